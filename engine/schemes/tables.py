"""Dealing from a shuffled order into columns, the way other programs do it: rows over listed columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.cards import Card
from engine.layouts import Layout
from engine.variants import Variant

SPIDER_TEN = (0, 3, 6, 9)
"""Columns 1, 4, 7 and 10: where some programs put Spider's four extra cards."""


def full_rows(columns: int, count: int) -> list[Sequence[int]]:
    """``count`` rows over all columns, left to right."""
    return [range(columns)] * count


def variant_rows(variant: Variant) -> list[Sequence[int]]:
    """Rows left to right, each over the columns that are still short of the variant's length."""
    depth = max(variant.columns)
    return [[i for i, n in enumerate(variant.columns) if row < n] for row in range(depth)]


def laid(order: Sequence[Card], rows: Iterable[Sequence[int]], variant: Variant) -> Layout:
    """Deal rows in order, each card to the next column listed; what is left is the stock, in order.

    Face-down counts follow the variant: columns of one length get them in the variant's order.
    """
    cards = iter(order)
    columns: list[list[Card]] = [[] for _ in variant.columns]
    for row in rows:
        for i in row:
            columns[i].append(next(cards))
    return Layout(tuple(map(tuple, columns)), face_down(variant, columns), tuple(cards))


def face_down(variant: Variant, columns: Sequence[Sequence[Card]]) -> tuple[int, ...]:
    """The variant's face-down counts for columns that may stand in another order than the variant's."""
    left: dict[int, list[int]] = {}
    for length, down in zip(variant.columns, variant.face_down, strict=True):
        left.setdefault(length, []).append(down)
    return tuple(left[len(column)].pop(0) for column in columns)
