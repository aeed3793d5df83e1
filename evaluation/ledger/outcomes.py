"""What counts as a win in SQL: a player's won game, a solver's solved deal."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, or_

from engine.solver import Verdict
from evaluation.rows import FAILED
from evaluation.schema import Result


def decided(row: Any = Result) -> ColumnElement[int | None]:
    """1 for won or solved, 0 for lost or unsolvable, null for undecided or failed."""
    return case(
        (or_(row.won.is_(True), row.outcome == Verdict.SOLVED.value), 1),
        (or_(row.won.is_(False), row.outcome == Verdict.UNSOLVABLE.value), 0),
        else_=None,
    )


def unknown(row: Any = Result) -> ColumnElement[int]:
    """1 for a verdict that is unknown, else 0."""
    return case((row.outcome == Verdict.UNKNOWN.value, 1), else_=0)


def good(row: Any = Result) -> ColumnElement[bool]:
    """Rows that count in statistics."""
    found: ColumnElement[bool] = row.outcome != FAILED
    return found
