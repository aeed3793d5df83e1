"""The named games against the rule table, and custom variants: what is accepted, what is refused and why."""

from __future__ import annotations

import pytest

from engine.variants import (
    ALIASES,
    NAMED,
    DealOverEmpty,
    EmptyAccepts,
    Removal,
    Scoring,
    Variant,
    VariantError,
    WholeColumn,
    resolve,
)

TABLE = {  # name: (decks, suits, cards on the table, stock)
    **{f"spider-{s}": (2, s, 54, 50) for s in (1, 2, 4)},
    **{f"spider44-{s}": (2, s, 44, 60) for s in (1, 2, 4)},
    **{f"spider50-{s}": (2, s, 50, 54) for s in (1, 2, 4)},
    "black-widow": (2, 4, 54, 50),
    **{f"spiderette-{s}": (1, s, 28, 24) for s in (1, 2, 4)},
    **{f"will-o-the-wisp-{s}": (1, s, 21, 31) for s in (1, 2, 4)},
    **{f"simple-simon-{s}": (1, s, 52, 0) for s in (1, 2, 4)},
    "scorpion": (1, 4, 49, 3),
    "scorpion-ii": (1, 4, 49, 3),
    "double-scorpion": (2, 4, 100, 4),
}


def test_every_row_of_the_table_is_a_named_variant() -> None:
    found = {v.name: (v.decks, v.suits, sum(v.columns), v.stock) for v in NAMED.values()}
    assert found == TABLE


def test_named_variants_differ_in_their_rules() -> None:
    assert len({v.key for v in NAMED.values()}) == len(NAMED)


@pytest.mark.parametrize("name", sorted(NAMED))
def test_a_name_and_its_full_record_resolve_to_the_named_variant(name: str) -> None:
    assert resolve(name) is NAMED[name]
    assert resolve(NAMED[name].record()) is NAMED[name]
    assert NAMED[name].label == name


def test_a_name_without_a_number_is_the_four_suit_game() -> None:
    for name in ("spider", "spider44", "spider50", "spiderette", "will-o-the-wisp", "simple-simon"):
        assert resolve(name).name == f"{name}-4"
    assert ALIASES["solitaire-plus-easy"] == "spider44-1"


def test_tavern_and_recorded_lay_over_any_variant() -> None:
    tavern = resolve({"base": "spiderette-2", "presets": ["tavern"]})
    assert tavern.whole_column_to_empty is WholeColumn.FORBIDDEN
    assert (tavern.scoring, tavern.undo_limit, tavern.suits) == (Scoring.WINDOWS_FLOOR, 200, 2)
    recorded = resolve("spider-4+recorded")
    assert recorded.stock_deal_over_empty is DealOverEmpty.WHEN_SHORT
    assert (recorded.move_limit, recorded.scoring) == (3000, Scoring.NONE)


def test_a_changed_field_goes_over_the_presets() -> None:
    spec = {"base": "spider-4", "name": "mine", "presets": ["recorded"], "move_limit": 10}
    variant = resolve(spec)
    assert (variant.name, variant.move_limit, variant.scoring) == ("mine", 10, Scoring.NONE)


def test_a_custom_variant_is_labelled_by_name_and_key_and_the_label_resolves() -> None:
    relaxed = resolve({"base": "spider-4", "name": "relaxed", "stock_deal_over_empty": "allowed"})
    assert relaxed.label == f"relaxed~{relaxed.key}"
    tavern = resolve("spider-4+tavern")
    assert resolve(tavern.label) == tavern
    with pytest.raises(VariantError, match="has the key"):
        resolve("spider-4+tavern~0000000000")


def test_the_key_covers_every_field_but_the_name() -> None:
    one = resolve({"base": "spider-4", "name": "one", "sequence_removal": "optional"})
    two = resolve({"base": "spider-4", "name": "two", "sequence_removal": "optional"})
    assert one.key == two.key != NAMED["spider-4"].key
    assert one.sequence_removal is Removal.OPTIONAL


def test_mini_variants_are_legal_records() -> None:
    mini = resolve(
        {"name": "mini", "decks": 1, "suits": 2, "ranks": 3, "columns": [2, 2, 2], "face_down": [1, 1, 0]}
    )
    assert (mini.cards, mini.stock, mini.sequences) == (12, 6, 4)


REFUSED = [
    ("spider-3", "variant", "no variant is named 'spider-3'"),
    ("", "variant", "no variant"),
    (None, "variant", "not null"),
    (7, "variant", "not 7"),
    ({"base": "spidr"}, "base", "no variant"),
    ({"base": 4}, "base", "expected the name"),
    ({"base": "spider-4", "colums": [1]}, "colums", "no such rule field"),
    ({"base": "spider-4", "decks": False}, "decks", "not false"),
    ({"base": "spider-4", "decks": 1.0}, "decks", "whole number"),
    ({"base": "spider-4", "decks": 3}, "decks", "not 1 or 2"),
    ({"base": "spider-4", "suits": 3}, "suits", "not 1, 2 or 4"),
    ({"base": "spider-4", "ranks": 14}, "ranks", "between 2 and 13"),
    ({"base": "spider-4", "ranks": 1}, "ranks", "between 2 and 13"),
    ({"base": "spider-4", "name": ["x"]}, "name", "expected text"),
    ({"base": "spider-4", "name": "No Way"}, "name", "is not a name"),
    ({"base": "spider-4", "name": "spider-1", "suits": 2}, "name", "other rules"),
    ({"base": "spider-4", "name": "spider", "suits": 2}, "name", "other rules"),
    ({"base": "spider-4", "columns": "666"}, "columns", "list of whole numbers"),
    ({"base": "spider-4", "columns": [6, True]}, "columns", "list of whole numbers"),
    ({"base": "spider-4", "columns": [6]}, "columns", "1 column;"),
    ({"base": "spider-4", "columns": [6] * 17, "face_down": [0] * 17}, "columns", "17 columns"),
    ({"base": "spider-4", "columns": [11] * 10}, "columns", "110 cards dealt, but the game has 104"),
    ({"base": "spider-4", "columns": [-1] + [6] * 9}, "columns", "holds -1 cards"),
    ({"base": "spider-4", "columns": [0] * 10, "face_down": [0] * 10}, "columns", "no card"),
    ({"base": "spider-4", "columns": [6] * 9}, "face_down", "10 entries for 9 columns"),
    ({"base": "spider-4", "face_down": [6] + [4] * 9}, "face_down", "must be face up"),
    ({"base": "spider-4", "group_move": "any"}, "group_move", "is not one of same-suit"),
    ({"base": "spider-4", "group_move": None}, "group_move", "null is not one of"),
    ({"base": "spider-4", "move_limit": 0}, "move_limit", "null or between 1"),
    ({"base": "spider-4", "move_limit": True}, "move_limit", "not true"),
    ({"base": "spider-4", "undo_limit": -1}, "undo_limit", "null or between 0"),
    ({"base": "spider-4", "undo_limit": 10**9}, "undo_limit", "null or between 0"),
    ({"base": "spider-4", "presets": "tavern"}, "presets", "list of names"),
    ({"base": "spider-4", "presets": ["saloon"]}, "presets", "not one of tavern, recorded"),
    ({"base": "spider-4", "presets": ["tavern", "tavern"]}, "presets", "twice"),
    ({"base": "spider-4", "presets": ["tavern", "recorded"]}, "presets", "disagree on scoring"),
    ({"name": "x", "decks": 1}, "suits", "missing"),
    (
        {
            "base": "spider-4",
            "columns": [0] + [6] * 9,
            "face_down": [0] * 10,
            "empty_column_accepts": "nothing",
        },
        "stock_deal_over_empty",
        "could never be dealt",
    ),
    (
        {"base": "spider-4", "columns": [8, 1] + [0] * 8, "face_down": [0] * 10},
        "stock_deal_over_empty",
        "9 cards on the table for 10 columns",
    ),
    (
        {"base": "spiderette-4", "columns": [23, 0, 0, 0, 0, 0], "face_down": [0] * 6,
         "empty_column_accepts": "kings"},
        "stock_deal_over_empty",
        "5 columns start empty, only kings fill them, and the game has 4",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "field", "message"), REFUSED)
def test_a_bad_variant_is_refused_naming_the_field(spec: object, field: str, message: str) -> None:
    with pytest.raises(VariantError) as caught:
        resolve(spec)  # type: ignore[arg-type]
    assert caught.value.field == field
    assert message in caught.value.message


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": [8, 2] + [0] * 8},
        {"columns": [8, 1] + [0] * 8, "stock_deal_over_empty": "allowed"},
        {"columns": [8, 1] + [0] * 8, "stock_deal_over_empty": "allowed-when-short"},
        {"columns": [10, 10] + [0] * 8, "empty_column_accepts": "kings"},
    ],
)
def test_a_stock_that_can_be_dealt_some_day_is_no_fault(changed: dict[str, object]) -> None:
    assert resolve({"base": "spider-4", "face_down": [0] * 10, **changed}).stock > 0


def test_fields_come_as_enums_whatever_the_spelling_in_json() -> None:
    record = NAMED["scorpion"].record()
    assert record["empty_column_accepts"] == "kings"
    assert isinstance(resolve(record), Variant)
    assert resolve(record).empty_column_accepts is EmptyAccepts.KINGS
