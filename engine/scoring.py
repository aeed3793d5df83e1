"""Scores: pure functions of a history. Nothing is kept while a game runs, so nothing can go stale.

A history is, for the windows scores, how many sequences were off at the start and after every action and
every undo; for solitaire-plus the last position; `Tally` is what scoring ``none`` reports. Sources:
docs/rules.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from engine.position import Position
from engine.variants import Scoring, Variant

WINDOWS_START = 500
WINDOWS_SEQUENCE = 100


@dataclass(frozen=True)
class Tally:
    """What is left and what is done, for games without points [E]."""

    cards_left: int
    sequences: int
    stock_deals_left: int


def windows(off: Sequence[int], floor: int | None = None) -> int:
    """500 at the start, -1 for every action and every undo, +100 when a sequence leaves the table, -100 when
    an undo brings it back [A]. floor: the least the score may be after each entry (0 in [D]), None for none.

    off: sequences off the table at the start and after each action or undo, in order; not empty.
    """
    score = WINDOWS_START + WINDOWS_SEQUENCE * off[0]
    for before, after in itertools.pairwise(off):
        score += WINDOWS_SEQUENCE * (after - before) - 1
        score = score if floor is None else max(floor, score)
    return score


def solitaire_plus(variant: Variant, position: Position) -> int:
    """1 for each card off the table and 1 for each face-up card in a same-suit descending run of two or more,
    anywhere in a column [C]."""
    score = position.off * variant.ranks
    for cards, down in zip(position.columns, position.face_down, strict=True):
        joined = [
            a.suit == b.suit and a.rank == b.rank + 1
            for a, b in zip(cards[down:], cards[down + 1 :], strict=False)
        ]
        score += sum(a or b for a, b in zip([False, *joined], [*joined, False], strict=True))
    return score


def tally(variant: Variant, position: Position) -> Tally:
    """Cards not yet off, sequences off, and the stock deals that the rest of the stock makes."""
    columns = len(position.columns)
    left = position.on_table + len(position.stock)
    return Tally(left, position.off, -(-len(position.stock) // columns))


def score(scoring: Scoring, variant: Variant, off: Sequence[int], last: Position) -> int | None:
    """The points of a history under one scoring; None under ``none``, which has no points but a `tally`.

    off: as for `windows`. last: the position at the end.
    """
    if scoring is Scoring.NONE:
        return None
    if scoring is Scoring.SOLITAIRE_PLUS:
        return solitaire_plus(variant, last)
    return windows(off, floor=0 if scoring is Scoring.WINDOWS_FLOOR else None)


def scores_of_trail(variant: Variant, trail: Sequence[Position]) -> dict[Scoring, int | None]:
    """Every score of a game of the reference rules (`playing.Game.trail`)."""
    off = [position.off for position in trail]
    return {scoring: score(scoring, variant, off, trail[-1]) for scoring in Scoring}
