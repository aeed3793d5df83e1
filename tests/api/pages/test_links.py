"""Games, cards and rules in links: what goes in comes out, and damage is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.pages.links import (
    LinkError,
    pack_cards,
    pack_line,
    pack_rules,
    unpack_cards,
    unpack_line,
    unpack_rules,
)
from engine.deals import deal
from engine.moves import Tableau, parse_move
from engine.variants import NAMED, VariantError, resolve

COLUMNS = st.integers(1, 16)
MOVES = st.one_of(
    st.builds(lambda a, step, n: str(Tableau(a - 1, (a - 1 + step) % 16, n)), COLUMNS, st.integers(1, 15),
              st.integers(1, 13)),
    st.sampled_from(["deal", "undo", "resign"]),
    st.builds(lambda c: f"remove {c}", COLUMNS),
)  # fmt: skip


@given(st.lists(MOVES, max_size=300))
def test_any_game_comes_back(moves: list[str]) -> None:
    packed = pack_line([parse_move(m) for m in moves], NAMED["spider-4"])
    assert unpack_line(packed) == moves
    assert packed.isascii()
    assert packed.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("name", list(NAMED))
def test_cards_and_rules_of_every_variant_come_back(name: str) -> None:
    shown = deal(name, 77)
    back = unpack_cards(pack_cards(shown))
    assert (back.columns, back.face_down, back.stock) == (shown.columns, shown.face_down, shown.stock)
    custom = resolve({"base": name, "name": "mine", "move_limit": 99})
    assert unpack_rules(pack_rules(custom)) == custom


@pytest.mark.parametrize("text", ["", "2abc", "1", "1!!!!", "1eNo", "1" + "A" * 40])
def test_damaged_links_are_refused(text: str) -> None:
    for read in (unpack_line, unpack_cards, unpack_rules):
        with pytest.raises(LinkError):
            read(text)


@given(st.text("ABCDEFGHIJabcdefghij0123456789-_", max_size=60))
def test_no_text_breaks_a_reader(text: str) -> None:
    for read in (unpack_line, unpack_cards, unpack_rules):
        with pytest.raises((LinkError, VariantError)):
            read("1" + text)


def test_a_text_that_unfolds_to_too_much_is_refused() -> None:
    packed = pack_line([parse_move("deal")] * 150_000, NAMED["spider-4"])
    assert len(packed) < 2000
    with pytest.raises(LinkError, match="too long"):
        unpack_line(packed)
