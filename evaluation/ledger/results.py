"""Reading rows of results by keyset pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Select, select

from evaluation.db import Database
from evaluation.ledger.finish import unpack_line
from evaluation.rows import Row
from evaluation.schema import Result, Solution

PAGE = 5_000


@dataclass(frozen=True)
class Place:
    """Where a page ended: the last row's arm and ordinal."""

    arm_id: int
    ordinal: int

    def text(self) -> str:
        return f"{self.arm_id}.{self.ordinal}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Raises ValueError naming the text."""
        arm, dot, ordinal = text.partition(".")
        if not (dot and arm.isdigit() and ordinal.isdigit() and len(text) < 40):
            raise ValueError(f"{text[:60]!r} is not a cursor of this list")
        return cls(int(arm), int(ordinal))


@dataclass(frozen=True)
class StoredRow:
    """A row with its arm."""

    arm_id: int
    row: Row


@dataclass(frozen=True)
class Filter:
    """Which rows; None is all."""

    outcomes: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()


def page_rows(
    db: Database, arm_ids: Sequence[int], after: Place | None, limit: int, only: Filter = Filter()
) -> list[StoredRow]:
    """Rows by arm and ordinal, after a place.

    Arm by arm: over several arms at once, PostgreSQL walks each arm's index from its beginning to the place.
    """
    out: list[StoredRow] = []
    with db.read() as conn:
        for arm_id in sorted(arm_ids):
            if after is not None and arm_id < after.arm_id:
                continue
            query = _filtered(select(Result.__table__).where(Result.arm_id == arm_id), only)
            if after is not None and arm_id == after.arm_id:
                query = query.where(Result.ordinal > after.ordinal)
            found = conn.execute(query.order_by(Result.ordinal).limit(limit - len(out)))
            out += [StoredRow(arm_id, _row(r)) for r in found]
            if len(out) >= limit:
                break
    return out


def _filtered(query: Select[Any], only: Filter) -> Select[Any]:
    """A verdict is its row's outcome too, and outcomes have an index."""
    for outcomes in (only.outcomes, only.verdicts):
        if outcomes:
            query = query.where(Result.outcome.in_(outcomes))
    return query.where(Result.verdict.in_(only.verdicts)) if only.verdicts else query


def iter_rows(db: Database, arm_ids: Sequence[int]) -> Iterator[StoredRow]:
    """Every row by arm and ordinal, in constant memory and without a transaction held open."""
    for arm_id in arm_ids:
        after: Place | None = None
        while True:
            page = page_rows(db, [arm_id], after, PAGE)
            yield from page
            if len(page) < PAGE:
                break
            after = Place(arm_id, page[-1].row.ordinal)


def solution_line(db: Database, arm_id: int, ordinal: int) -> tuple[int, ...] | None:
    """Move codes of a solved unit, None where there is no line."""
    with db.read() as conn:
        line = conn.execute(
            select(Solution.line).where(Solution.arm_id == arm_id, Solution.ordinal == ordinal)
        ).scalar_one_or_none()
    return None if line is None else unpack_line(line)


def _row(r: Any) -> Row:
    return Row(
        ordinal=r.ordinal,
        seed=r.seed,
        outcome=r.outcome,
        won=r.won,
        moves=r.moves,
        stock_deals=r.stock_deals,
        sequences=r.sequences,
        scores=orjson.loads(r.scores) if r.scores else {},
        verdict=r.verdict,
        reason=r.reason,
        length=r.length,
        nodes=r.nodes,
        certificate=r.certificate,
        seconds=r.seconds,
    )
