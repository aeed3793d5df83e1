"""What counts as a win in SQL: a player's won game, a solver's solved deal."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, func

from engine.solver import Verdict
from evaluation.rows import FAILED
from evaluation.schema import Result


def hit(row: Any = Result) -> ColumnElement[int]:
    """1 for a win, 0 for anything else, of `Result` or an alias of it."""
    return case((func.coalesce(row.won, row.verdict == Verdict.SOLVED.value), 1), else_=0)


def unknown(row: Any = Result) -> ColumnElement[int]:
    """1 for a verdict that is unknown, else 0."""
    return case((row.verdict == Verdict.UNKNOWN.value, 1), else_=0)


def good(row: Any = Result) -> ColumnElement[bool]:
    """Rows that count in statistics."""
    found: ColumnElement[bool] = row.outcome != FAILED
    return found
