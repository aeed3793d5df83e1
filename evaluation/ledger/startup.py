"""What `serve` does to a ledger that it alone works on, before anything starts."""

from __future__ import annotations

from sqlalchemy import Connection, func, select, update

from evaluation.db import Database, now
from evaluation.ledger.states import settle
from evaluation.schema import Chunk, ChunkState, Job, JobState, Worker


def forget_the_dead(db: Database) -> int:
    """Put every leased and sent chunk back: whoever held it died with the last run. Returns leases ended.

    Only for a ledger that no other process uses (`serve` holds a lock on its folder).
    """
    with db.write() as conn:
        leased = conn.execute(
            select(Chunk.job_id, func.sum(Chunk.size).label("units"), func.count().label("n"))
            .where(Chunk.state == ChunkState.LEASED)
            .group_by(Chunk.job_id)
        ).all()
        for row in leased:
            conn.execute(
                update(Job)
                .where(Job.id == row.job_id)
                .values(leased=Job.leased - int(row.units), revision=Job.revision + 1)
            )
        conn.execute(
            update(Chunk)
            .where(Chunk.state.in_([ChunkState.LEASED.value, ChunkState.PENDING.value]))
            .values(state=ChunkState.PENDING.value, sent_at=None, lease_until=None)
        )
        conn.execute(update(Worker).values(state="gone", seen_at=now(conn)))
        _end_cancelled(conn)
    return sum(r.n for r in leased)


def _end_cancelled(conn: Connection) -> None:
    """Jobs that were being cancelled: nobody is left to hand their chunks back."""
    jobs = conn.execute(select(Job.id).where(Job.state == JobState.CANCELLING)).scalars().all()
    for job_id in jobs:
        dropped = conn.execute(
            update(Chunk)
            .where(Chunk.job_id == job_id, Chunk.state == ChunkState.PENDING)
            .values(state=ChunkState.CANCELLED.value)
            .returning(Chunk.size)
        ).scalars()
        conn.execute(update(Job).where(Job.id == job_id).values(cancelled=Job.cancelled + sum(dropped)))
        settle(conn, job_id, now(conn))
