"""Which day it is: always by UTC and the database's clock, wherever a player or a server stands."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Connection

from evaluation.db import now

DAY_S = 86_400


def today(conn: Connection) -> date:
    """The date by UTC."""
    return date_of(now(conn))


def date_of(at: float) -> date:
    """The date by UTC of a time in seconds since 1970."""
    return datetime.fromtimestamp(at, UTC).date()


def begins(day: date) -> float:
    """The time at which a date begins, in seconds since 1970 UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def ends(day: date) -> float:
    """The time at which a date is over."""
    return begins(day) + DAY_S


def following(day: date, days: int) -> list[date]:
    """``days`` dates from ``day`` on."""
    return [day + timedelta(days=i) for i in range(days)]
