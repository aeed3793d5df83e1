"""Deals: the project's own numbering to the bit, identities, seeds in and out of range."""

from __future__ import annotations

import itertools
from collections import Counter
from math import sqrt

import pytest

from engine.cards import Card
from engine.deals import DealError, DealId, canonical_seed, deal, deal_by_id, laid_out
from engine.layouts import Layout, full_pack
from engine.schemes.spidervet import bounded, permutation, splitmix64, xoshiro256ss_from
from engine.variants import NAMED, resolve

# The permutation of (decks, seed): golden for ever.
GOLDEN_ORDER = {
    (1, 0): (
        "2D QD 2S KD TC QS 4C 8S 3H 5D QC 8D 8C 6D JH 7H 7S 7D KC 9C 5C 9H 3S 4S AS 8H "
        "AC 9D 4D TD 2C 4H QH JC JS 5S 2H KS 7C 3D KH TH 3C 6S AH AD JD TS 5H 6H 9S 6C"
    ),
    (1, 1): (
        "KH 7S JS 6D 5S JC 2C 6S 5D QS 4S 8D 2H 3C 8S TC 9S QC QH TH KS KC 6C 7C 9C 3H "
        "6H 3S 9D 2D JD 5C AH 4H 9H KD AD 4C JH 2S 3D 7H QD 5H AC 7D 4D TD 8H AS 8C TS"
    ),
    (2, 0): (
        "AD 5C JH KD 7C TH 4S 6S 9S 8D 7H QH 9D AD 7C JS 7S TS AS 3H 5H 6S JD 2C TD 4C "
        "4D KC QD 6C JH 7H TC 3C TD 8C 3S JD AH QS 2H 8S 5D 2D AH 9H 9H 6D KS 8S 6H 9D "
        "4H 4S 5C KH 7S QH 3H AC 5H 2S 7D 5D 4D TH 9S KH QS KD 2C 8D 2H 2S 4C KC QC QC "
        "KS 8C TS JC 6D 4H TC 5S 9C 5S 3C 3D AC AS 7D 3D 8H JC 9C 3S JS QD 2D 6H 8H 6C"
    ),
    (2, 12345): (
        "QS 8D 2S 4C AC 8D 5H 4D 2C 6D KS 3S 9H JD 5H 8C JD 9D TD KS KH 8S TD 2S 7S JS "
        "7D 9C AH 9C 8H JS 4D 7D QS KC 6D 8H 2H 7C KC 5D 3C 3H TH 7H QH QC AH 2H 3S 9H "
        "4S KH 6H 9S 2D 6S AD JH AD JH TC 9D QD AC JC 7C 3D 4H 7H QC 8C TC QD KD 5S 5D "
        "5C 2C 5S TS KD 5C 4C JC 4S QH 6H TS 6S 8S 9S AS 4H TH 3D 3C AS 6C 3H 7S 6C 2D"
    ),
    (2, 18446744073709551615): (
        "2H AH JC 8D 5D QS 4H 5C 7S 6C 4D TH 8H KD 7D KS KS KC 5H 9C 7C 8H 5S 6S 2C 3H "
        "4S KC 7C AS JD JH 7H 5C 3S 6D 6D TD QH TC 8C TS 3C QD QH 8D 2D AC 7H 7D 9S 7S "
        "9H 2S 5D 8S KH 9S 2D TS KD JD 8C TH AH 4C 9H 3S 4S 6H 6S 3C JH 5H 8S 3D 6C KH "
        "3D AD JC QC QD QS 4C 2S 9D AC 9C TD TC AD 9D 4D AS QC 6H JS 3H JS 4H 5S 2H 2C"
    ),
}


def spelled(cards: tuple[Card, ...] | list[Card]) -> str:
    return " ".join(map(str, cards))


def test_splitmix64_gives_its_published_outputs() -> None:
    assert list(itertools.islice(splitmix64(1234567), 3)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_xoshiro256ss_gives_its_published_outputs() -> None:
    outputs = xoshiro256ss_from(iter([1, 2, 3, 4]))
    assert list(itertools.islice(outputs, 5)) == [
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
    ]


def test_bounded_skips_outputs_that_would_favour_small_numbers() -> None:
    top = 2**64 - 1
    assert 2**64 % 3 == 1
    assert bounded(iter([top, 5]), 3) == 2
    assert bounded(iter([top - 1]), 3) == (top - 1) % 3
    assert bounded(iter([top]), 4) == 3


@pytest.mark.parametrize(("decks", "seed"), sorted(GOLDEN_ORDER))
def test_the_permutation_of_a_seed_never_changes(decks: int, seed: int) -> None:
    assert spelled(permutation(seed, decks)) == GOLDEN_ORDER[decks, seed]


def test_one_seed_is_one_card_order_under_every_variant_of_a_deck_count() -> None:
    order = permutation(99, 2)
    for name in ("spider-1", "spider-2", "spider44-4", "spider50-4", "double-scorpion"):
        variant = NAMED[name]
        dealt = row_order(deal(name, 99))
        assert [c.rank for c in dealt] == [c.rank for c in order]
        assert [c.suit for c in dealt] == [c.suit % variant.suits for c in order]


def row_order(layout: Layout) -> list[Card]:
    rows = itertools.zip_longest(*layout.columns)
    return [card for row in rows for card in row if card is not None] + list(layout.stock)


def test_a_mini_variant_takes_its_ranks_out_of_the_same_order() -> None:
    mini = resolve(
        {"name": "mini", "decks": 1, "suits": 4, "ranks": 3, "columns": [2, 2], "face_down": [0, 1]}
    )
    assert row_order(deal(mini, 5)) == [c for c in permutation(5, 1) if c.rank <= 3]


@pytest.mark.parametrize("name", sorted(NAMED))
def test_a_deal_holds_the_whole_pack_in_the_variants_layout(name: str) -> None:
    variant = NAMED[name]
    made = deal(variant, 3)
    assert Counter(made.cards) == full_pack(variant)
    assert tuple(map(len, made.columns)) == variant.columns
    assert (made.face_down, len(made.stock)) == (variant.face_down, variant.stock)


def test_packed_lists_counts_then_columns_then_stock() -> None:
    made = deal("spiderette-4", 8)
    packed = made.packed()
    assert list(packed[:3]) == [7, 0, 24]
    assert list(packed[3:17]) == [1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6]
    assert [Card.from_code(b) for b in packed[17:]] == list(made.cards)


def test_an_identity_prints_and_reads_back() -> None:
    made = deal("spider", 12345)
    assert str(made.identity) == "spidervet:spider-4:12345"
    assert DealId.parse("spidervet:spider-4:12345") == made.identity
    assert deal_by_id("spidervet:spider-4:12345") == made
    custom = resolve({"base": "spider-4", "name": "relaxed", "stock_deal_over_empty": "allowed"})
    assert str(deal(custom, 1).identity) == f"spidervet:relaxed~{custom.key}:1"


@pytest.mark.parametrize("text", ["", "spider-4:1", "a:b:c:d", "spidervet::1"])
def test_a_malformed_identity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a deal identity"):
        DealId.parse(text)


def test_seeds_are_canonical_text() -> None:
    spider = NAMED["spider-4"]
    assert canonical_seed("spidervet", spider, "007") == "7"
    assert canonical_seed("spidervet", spider, 2**64 - 1) == "18446744073709551615"


@pytest.mark.parametrize(
    "seed", ["-1", -1, 2**64, "18446744073709551616", "", "x", "1.0", "+1", " 1", "٣", "9" * 5000]
)
def test_a_seed_out_of_range_is_refused_with_the_range(seed: str | int) -> None:
    with pytest.raises(DealError, match="is not a whole number from 0 to 18446744073709551615") as caught:
        deal("spider-4", seed)
    assert caught.value.field == "seed"


@pytest.mark.parametrize("seed", [False, 1.0, None])
def test_a_seed_of_the_wrong_type_is_refused(seed: object) -> None:
    with pytest.raises(DealError, match="expected a whole number"):
        deal("spider-4", seed)  # type: ignore[arg-type]


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(DealError, match="no scheme is named 'windows'") as caught:
        deal("spider-4", 1, "windows")
    assert caught.value.field == "scheme"


def test_a_layout_is_named_by_its_cards() -> None:
    made = deal("spider-4", 1)
    same = laid_out(made.variant, Layout(made.columns, made.face_down, made.stock))
    other = laid_out(made.variant, Layout(made.columns, made.face_down, made.stock[::-1]))
    assert same.scheme == "layout"
    assert len(same.seed) == 32
    assert same.seed != other.seed


def shuffled_counts(seeds: range) -> tuple[list[Counter[int]], int]:
    places: list[Counter[int]] = [Counter() for _ in range(52)]
    fixed = 0
    for seed in seeds:
        order = permutation(seed, 1)
        codes = [card.suit * 13 + card.rank - 1 for card in order]
        fixed += sum(i == code for i, code in enumerate(codes))
        for place, code in enumerate(codes):
            places[place][code] += 1
    return places, fixed


def check_uniform(seeds: range) -> None:
    """Every card equally often at every place: chi-square with 51 × 51 degrees of freedom within six
    standard deviations; fixed points of a random permutation: one a shuffle, variance one."""
    n = len(seeds)
    places, fixed = shuffled_counts(seeds)
    expected = n / 52
    chi2 = sum((place[c] - expected) ** 2 / expected for place in places for c in range(52))
    assert abs(chi2 - 51 * 51) < 6 * sqrt(2 * 51 * 51)
    assert abs(fixed - n) < 6 * sqrt(n)


def test_simple_solitaire_86_shuffles_are_uniform_over_consecutive_seeds() -> None:
    check_uniform(range(4000))


@pytest.mark.slow
def test_simple_solitaire_86_shuffles_are_uniform_over_100000_seeds() -> None:
    check_uniform(range(100_000))
