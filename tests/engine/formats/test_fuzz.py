"""Fuzzers: whatever comes in, a reader gives a deal or a FormatError, and what is written reads back."""

from __future__ import annotations

import contextlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.deals import deal
from engine.formats import Format, FormatError, UnsayableError, read_deal, write_deal
from engine.formats.errors import START
from engine.formats.games import read_game, write_game
from engine.formats.located import parse
from engine.moves import MoveError, parse_move
from engine.replay import GameRecord
from engine.variants import NAMED, Variant, VariantError, resolve

VARIANTS = st.sampled_from(sorted(NAMED))
SEEDS = st.integers(0, 2**64 - 1)
SMALL = {"base": "spider-4", "name": "small", "ranks": 3, "columns": [2, 3, 1], "face_down": [1, 2, 0]}
TEXTS = [
    write_deal(deal(resolve(SMALL), 1), Format.TEXT),
    write_deal(deal(resolve(SMALL), 1), Format.JSON),
    write_deal(deal("simple-simon", 24, "pysolfc"), Format.PYSOLFC),
    write_deal(deal("spiderette", 1), Format.SOLVITAIRE),
    write_deal(deal("spider-4", 1, "kpat"), Format.KPAT),
]


def reads_or_refuses(data: str | bytes, variant: Variant | None) -> None:
    try:
        made = read_deal(data, variant)
    except FormatError as error:
        spot = error.spot
    else:
        spot = START
        assert len(made.cards) == made.variant.cards
    assert min(spot) >= 1


@given(VARIANTS, SEEDS, st.sampled_from([Format.TEXT, Format.JSON]))
def test_what_is_written_reads_back(name: str, seed: int, form: Format) -> None:
    made = deal(name, seed)
    assert read_deal(write_deal(made, form)) == made


@given(VARIANTS, SEEDS, st.sampled_from([Format.SOLVITAIRE, Format.KPAT, Format.PYSOLFC]))
def test_what_other_forms_can_say_reads_back(name: str, seed: int, form: Format) -> None:
    made = deal(name, seed)
    with contextlib.suppress(UnsayableError):
        assert read_deal(write_deal(made, form), made.variant).packed() == made.packed()


@given(st.text() | st.binary(), st.none() | st.just(NAMED["spider-4"]))
def test_any_text_is_read_or_refused(data: str | bytes, variant: Variant | None) -> None:
    reads_or_refuses(data, variant)


@given(st.sampled_from(TEXTS), st.integers(0, 10_000), st.integers(0, 12), st.text(max_size=6), st.booleans())
def test_a_damaged_file_is_read_or_refused(text: str, at: int, cut: int, put: str, named: bool) -> None:
    at %= len(text)
    reads_or_refuses(text[:at] + put + text[at + cut :], NAMED["spider-4"] if named else None)


@given(st.sampled_from(TEXTS), st.permutations(range(12)))
def test_shuffled_lines_are_read_or_refused(text: str, order: list[int]) -> None:
    lines = text.splitlines(keepends=True)
    head = [lines[i] for i in order if i < len(lines)]
    reads_or_refuses("".join(head + lines[12:]), NAMED["simple-simon-4"])


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
FIELDS = st.sampled_from([*NAMED["spider-4"].record(), "base", "presets", "colour"])


@given(st.dictionaries(FIELDS, JSON_VALUES, max_size=6))
def test_any_variant_record_is_resolved_or_refused_by_field(record: dict[str, object]) -> None:
    fault = "base"
    try:
        variant = resolve({"base": "spider-4", **record})
    except VariantError as error:
        fault = error.field
    else:
        assert resolve(variant.record()) == variant
    assert fault in {*NAMED["spider-4"].record(), "base", "presets", "colour"}


@given(st.text(max_size=20) | st.from_regex(r"[0-9]{1,4}>[0-9]{1,4}(x[0-9]{1,4})?", fullmatch=True))
def test_any_move_text_is_read_or_refused(text: str) -> None:
    try:
        move = parse_move(text)
    except MoveError:
        return
    assert parse_move(str(move)) == move


MOVES = st.sampled_from(["1>2", "10>3x4", "deal", "remove 5", "undo", "resign"])


@settings(max_examples=30)
@given(VARIANTS, SEEDS, st.lists(MOVES), st.text())
def test_a_game_file_reads_back(name: str, seed: int, moves: list[str], by: str) -> None:
    record = GameRecord(deal(name, seed), tuple(moves), by, "0.1.0")
    assert read_game(write_game(record)) == record


GAME = write_game(GameRecord(deal(resolve(SMALL), 1), ("1>2", "deal"), "someone"))


@given(st.integers(0, 10_000), st.integers(0, 12), st.text(max_size=6))
def test_a_damaged_game_file_is_read_or_refused(at: int, cut: int, put: str) -> None:
    at %= len(GAME)
    with contextlib.suppress(FormatError):
        assert read_game(GAME[:at] + put + GAME[at + cut :]).deal.variant.cards > 0


@given(JSON_VALUES)
def test_located_json_reads_what_json_writes(value: object) -> None:
    assert parse(json.dumps(value)).plain() == value
