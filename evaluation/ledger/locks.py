"""Named locks in SQL, so that one process at a time dispatches and reaps."""

from __future__ import annotations

from sqlalchemy import or_, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from evaluation.db import Database, now
from evaluation.schema import Lock


def hold(db: Database, name: str, holder: str, seconds: float) -> bool:
    """Take or keep a lock for a while. False while somebody else holds it."""
    maker = sqlite_insert if db.sqlite else pg_insert
    with db.write() as conn:
        at = now(conn)
        conn.execute(maker(Lock).values(name=name, holder="", until=0.0).on_conflict_do_nothing())
        held = conn.execute(
            update(Lock)
            .where(Lock.name == name, or_(Lock.holder == holder, Lock.until < at))
            .values(holder=holder, until=at + seconds)
            .returning(Lock.name)
        )
        return len(held.all()) == 1


def release(db: Database, name: str, holder: str) -> None:
    """Give a lock up at once instead of letting it run out."""
    with db.write() as conn:
        conn.execute(update(Lock).where(Lock.name == name, Lock.holder == holder).values(until=0.0))
