"""The audit log: one line for everything that people, or jobs in their name, do to calendars and days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import orjson
from sqlalchemy import Connection, insert, select

from evaluation.db import Database
from evaluation.vetting.tables import VetAudit

EVERY = ""
"""Stands for the calendar in lines that are of all of them."""


@dataclass(frozen=True)
class Entry:
    """One line."""

    id: int
    at: float
    by: str
    calendar: str
    day: str | None
    action: str
    detail: dict[str, Any]


def add(
    conn: Connection, at: float, by: str, calendar: str, action: str, day: date | None = None, **detail: Any
) -> None:
    """Write a line in the caller's transaction."""
    conn.execute(
        insert(VetAudit).values(
            at=at,
            by=by,
            calendar=calendar,
            day=None if day is None else day.isoformat(),
            action=action,
            detail=orjson.dumps(detail).decode(),
        )
    )


def entries(
    db: Database, calendar: str, day: date | None = None, before: int | None = None, limit: int = 100
) -> list[Entry]:
    """Lines of a calendar or of one of its days, newest first. before: the id of the last one seen.

    What is done to the keys that sign every calendar's days is among each calendar's lines.
    """
    table = VetAudit.__table__
    shown = VetAudit.calendar.in_((calendar, EVERY))
    query = select(table).where(shown).order_by(VetAudit.id.desc()).limit(limit)
    if day is not None:
        query = query.where(VetAudit.day == day.isoformat())
    if before is not None:
        query = query.where(VetAudit.id < before)
    with db.read() as conn:
        rows = conn.execute(query).all()
    return [Entry(r.id, r.at, r.by, r.calendar, r.day, r.action, orjson.loads(r.detail)) for r in rows]
