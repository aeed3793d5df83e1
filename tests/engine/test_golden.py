"""Golden files against both rule sets, and that none is missing or left over."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.deals import deal
from engine.formats import read_deal
from engine.game import played, start
from engine.variants import NAMED, Variant
from tests.engine import golden

IDS = {"ids": lambda v: v.name}
REFERENCE_LINES = 1500


@pytest.mark.parametrize(
    ("kind", "variants"), [("perft", golden.PERFT), ("deals", golden.DEALS), ("games", golden.GAMES)]
)
def test_no_golden_file_is_missing_or_left_over(kind: str, variants: list[Variant]) -> None:
    wanted: set[Path] = {golden.path(kind, variant) for variant in variants}
    assert set((golden.DATA / kind).iterdir()) == wanted


@pytest.mark.parametrize("variant", golden.PERFT, **IDS)
def test_native_perft_counts(variant: Variant) -> None:
    for perft in golden.read_perft(variant):
        position = golden.reached(variant, perft)
        splits = [golden.native_split(variant, position, depth + 1) for depth in range(len(perft.counts))]
        assert splits[-1] == perft.split
        assert tuple(sum(split.values()) for split in splits) == perft.counts


def check_reference(variant: Variant, most: int) -> None:
    for perft in golden.read_perft(variant):
        position = golden.reached(variant, perft)
        for depth, count in enumerate(perft.counts, 1):
            if count <= most:
                split = golden.reference_split(variant, position, depth)
                assert sum(split.values()) == count
                assert depth < len(perft.counts) or split == perft.split


@pytest.mark.parametrize("variant", golden.PERFT, **IDS)
def test_reference_perft_counts(variant: Variant) -> None:
    check_reference(variant, REFERENCE_LINES)


@pytest.mark.slow
@pytest.mark.parametrize("variant", golden.PERFT, **IDS)
def test_reference_perft_counts_at_every_depth(variant: Variant) -> None:
    check_reference(variant, golden.MOST_LINES)


@pytest.mark.parametrize("variant", golden.DEALS, **IDS)
def test_golden_deals(variant: Variant) -> None:
    assert read_deal(golden.path("deals", variant).read_text(), variant) == deal(variant, 12345)


@pytest.mark.parametrize("variant", golden.GAMES, **IDS)
def test_golden_playthroughs(variant: Variant) -> None:
    text = golden.path("games", variant).read_text()
    made = read_deal(text.split("\n\n")[0], variant)
    line = golden.line_of(text)
    assert golden.playthrough(variant, made, line) == text
    position = start(variant, made)
    for action in line:
        position = played(variant, position, action)
    assert golden.native_end(variant, made, line) == position.packed()


def test_every_named_variant_has_a_won_playthrough() -> None:
    for name, variant in NAMED.items():
        last = golden.path("games", variant).read_text().splitlines()[-1]
        assert last.startswith("won after "), name
