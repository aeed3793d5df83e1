"""How much waits, and for how long."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from evaluation.db import Database, now
from evaluation.ledger.claim import OPEN_STATES
from evaluation.schema import Chunk, ChunkState, Job, JobState


@dataclass(frozen=True)
class QueueDepth:
    """chunks: pending and leased ones. units: rows to come in open jobs. oldest_s: 0 where nothing waits."""

    chunks: dict[str, int]
    units: int
    oldest_s: float
    jobs: dict[str, int]


def queue_depth(db: Database) -> QueueDepth:
    """One snapshot of the queue."""
    busy = (ChunkState.PENDING.value, ChunkState.LEASED.value)
    left = Job.total - Job.done - Job.failed - Job.cancelled
    with db.read() as conn:
        at = now(conn)
        chunks = conn.execute(
            select(Chunk.state, func.count().label("n")).where(Chunk.state.in_(busy)).group_by(Chunk.state)
        ).all()
        waiting = conn.execute(
            select(
                func.coalesce(func.sum(left), 0).label("units"), func.min(Job.created_at).label("oldest")
            ).where(Job.state.in_(OPEN_STATES))
        ).one()
        jobs = conn.execute(select(Job.state, func.count().label("n")).group_by(Job.state)).all()
    return QueueDepth(
        dict.fromkeys(busy, 0) | {c.state: c.n for c in chunks},
        int(waiting.units),
        max(0.0, at - waiting.oldest) if waiting.oldest else 0.0,
        {state.value: 0 for state in JobState} | {j.state: j.n for j in jobs},
    )
