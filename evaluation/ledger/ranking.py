"""Rows of one arm sorted and filtered for people, by keyset pages; optionally beside another arm's rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Select, and_, or_, select
from sqlalchemy.orm import aliased

from engine.solver import Verdict
from evaluation.db import Database
from evaluation.schema import Result


class Sort(StrEnum):
    """What rows are sorted by."""

    DEAL = "deal"
    MOVES = "moves"
    LENGTH = "length"
    NODES = "nodes"
    SECONDS = "seconds"


class Beside(StrEnum):
    """What the other arm must have made of the same deal."""

    ANY = "any"
    WON = "won"
    LOST = "lost"


@dataclass(frozen=True)
class Question:
    """Which rows of which arm, in which order. outcome: empty for all. other: the arm set beside, or None.

    won: only rows that the arm itself won (or solved). solver: the arm is a solver's; then the
    index of its rows by positions can be used.
    """

    arm_id: int
    sort: Sort = Sort.DEAL
    descending: bool = False
    outcome: str = ""
    won: bool = False
    other: int | None = None
    beside: Beside = Beside.ANY
    solver: bool = False


_PLACE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,2})?)~([0-9]{1,15})")


@dataclass(frozen=True)
class Mark:
    """Where a page ended: the sorted value of its last row, and that row."""

    value: float
    ordinal: int

    def text(self) -> str:
        return f"{self.value!r}~{self.ordinal}"

    @classmethod
    def parse(cls, text: str) -> Mark:
        """Raises ValueError naming the text."""
        place = _PLACE.fullmatch(text)
        if place is None:
            raise ValueError(f"{text[:60]!r} is not a place in this list")
        return cls(float(place[1]), int(place[2]))


@dataclass(frozen=True)
class Ranked:
    """One row, with what the other arm made of the deal."""

    ordinal: int
    seed: str
    outcome: str
    won: bool
    reason: str
    moves: int | None
    sequences: int | None
    nodes: int | None
    seconds: float
    scores: dict[str, int | None]
    other_outcome: str | None
    value: float


def ranked(db: Database, q: Question, after: Mark | None, limit: int) -> list[Ranked]:
    """A page of rows. Rows without the sorted value are left out of sorted lists."""
    with db.read() as conn:
        rows = conn.execute(page_query(q, after, limit)).all()
    return [
        Ranked(
            r.ordinal, r.seed, r.outcome, bool(r.won) or r.outcome == Verdict.SOLVED, r.reason or "",
            r.moves if r.moves is not None else r.length, r.sequences, r.nodes, r.seconds,
            orjson.loads(r.scores) if r.scores else {}, r.other if q.other is not None else None, r.value,
        )
        for r in rows
    ]  # fmt: skip


def page_query(q: Question, after: Mark | None, limit: int) -> Select[*tuple[Any, ...]]:
    """The query of a page."""
    mine, theirs = aliased(Result), aliased(Result)
    key = _key(mine, q.sort)
    query = select(
        mine.ordinal, mine.seed, mine.outcome, mine.won, mine.reason, mine.moves, mine.length, mine.sequences,
        mine.nodes, mine.seconds, mine.scores, key.label("value"),
        *([theirs.outcome.label("other")] if q.other is not None else []),
    ).where(mine.arm_id == q.arm_id)  # fmt: skip
    if q.sort is not Sort.DEAL:
        query = query.where(key.is_not(None))
    if q.sort is Sort.NODES and q.solver:
        query = query.where(mine.verdict.is_not(None))
    if q.outcome:
        query = query.where(mine.outcome == q.outcome)
    if q.won:
        query = query.where(_won(mine))
    if q.other is not None:
        joined = and_(theirs.arm_id == q.other, theirs.ordinal == mine.ordinal)
        query = query.join(theirs, joined, isouter=q.beside is Beside.ANY)
        if q.beside is not Beside.ANY:
            query = query.where(_won(theirs) if q.beside is Beside.WON else _lost(theirs))
    if after is not None:
        query = query.where(_past(key, mine.ordinal.expression, after, q))
    order = (key.desc(), mine.ordinal.desc()) if q.descending else (key, mine.ordinal)
    return query.order_by(*order).limit(limit)


def _key(row: type[Result], sort: Sort) -> ColumnElement[float]:
    column: ColumnElement[float] = getattr(row, "ordinal" if sort is Sort.DEAL else sort.value).expression
    return column


def _past(
    key: ColumnElement[float], ordinal: ColumnElement[int], mark: Mark, q: Question
) -> ColumnElement[bool]:
    if q.descending:
        return or_(key < mark.value, and_(key == mark.value, ordinal < mark.ordinal))
    return or_(key > mark.value, and_(key == mark.value, ordinal > mark.ordinal))


def _won(row: type[Result]) -> ColumnElement[bool]:
    return or_(row.won.is_(True), row.outcome == Verdict.SOLVED.value)


def _lost(row: type[Result]) -> ColumnElement[bool]:
    """Lost or proved unsolvable; an unknown deal is neither."""
    return or_(row.won.is_(False), row.outcome == Verdict.UNSOLVABLE.value)
