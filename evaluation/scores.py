"""Scores of a finished game under the scorings that a job asks for."""

from __future__ import annotations

from collections.abc import Sequence

from engine.variants import Scoring, Variant

START = 500
SEQUENCE = 100


def scores_of(
    variant: Variant, packed: bytes, moves: Sequence[int], sequences: int, scoring: Sequence[Scoring]
) -> dict[str, int | None]:
    """One score a scoring; `none` gives no number. Players never undo, so windows is a closed form."""
    return {s.value: _score(s, variant, packed, moves, sequences) for s in scoring}


def _score(
    scoring: Scoring, variant: Variant, packed: bytes, moves: Sequence[int], sequences: int
) -> int | None:
    if scoring is Scoring.WINDOWS:
        return START + SEQUENCE * sequences - len(moves)
    if scoring is Scoring.WINDOWS_FLOOR and len(moves) <= START:
        return START + SEQUENCE * sequences - len(moves)  # 0 can be reached only by the last action
    return None
