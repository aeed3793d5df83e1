"""Solvitaire's ``--random`` numbers (git 2815238f), four-suit games only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.layouts import Layout
from engine.schemes.generators import deck, mt19937
from engine.schemes.tables import laid, variant_rows
from engine.variants import Variant

FIRST, LAST = 0, 2**32 - 1
VARIANTS = ("spider-4", "spiderette-4", "will-o-the-wisp-4", "simple-simon-4")


def deal(seed: str, variant: Variant) -> Layout:
    cards = deck("CHSD", ranks_first=True)
    cards = cards * variant.decks
    outputs = mt19937(int(seed))
    for i in range(len(cards) - 1, 0, -1):
        j = _up_to(outputs, i)
        cards[i], cards[j] = cards[j], cards[i]
    taken = cards[::-1]
    stock, table = taken[: variant.stock], taken[variant.stock :]
    layout = laid(table, _rows(variant), variant)
    return Layout(layout.columns, layout.face_down, tuple(stock[::-1]))


def _up_to(outputs: Iterator[int], i: int) -> int:
    """0 to i: the outputs in i+1 equal buckets, those past the last bucket skipped."""
    top = 2**32 - 1
    bucket = top // (i + 1) + (1 if top % (i + 1) == i else 0)
    return next(r for r in (x // bucket for x in outputs) if r <= i)


def _rows(variant: Variant) -> list[Sequence[int]]:
    """Diagonal layouts fill row k from right to left in columns k and up; Simple Simon stands mirrored."""
    if len(set(variant.columns)) <= 2:
        return variant_rows(variant)
    lengths = sorted(variant.columns)
    return [[i for i in range(len(lengths) - 1, -1, -1) if row < lengths[i]] for row in range(max(lengths))]
