"""Scores of a finished game under the scorings that a job asks for."""

from __future__ import annotations

from collections.abc import Sequence

from engine.scoring import WINDOWS_SEQUENCE, WINDOWS_START
from engine.trails import trail_of
from engine.variants import Scoring, Variant


def scores_of(
    variant: Variant, packed: bytes, moves: Sequence[int], sequences: int, scoring: Sequence[Scoring]
) -> dict[str, int | None]:
    """One score a scoring; `none` gives no number."""
    return {s.value: _score(s, variant, packed, moves, sequences) for s in scoring}


def _score(
    scoring: Scoring, variant: Variant, packed: bytes, moves: Sequence[int], sequences: int
) -> int | None:
    """Players never undo, so windows is a closed form; so is its floored form while 0 is out of reach."""
    floored = scoring is Scoring.WINDOWS_FLOOR
    if scoring is Scoring.WINDOWS or (floored and len(moves) <= WINDOWS_START):
        return WINDOWS_START + WINDOWS_SEQUENCE * sequences - len(moves)
    if scoring is Scoring.NONE:
        return None
    return trail_of(variant, packed, moves).score(scoring, variant)
