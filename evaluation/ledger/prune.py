"""Retention: removing finished jobs by age."""

from __future__ import annotations

from sqlalchemy import select

from evaluation.db import Database, now
from evaluation.ledger.control import delete_job
from evaluation.schema import Job, JobState

DAY_S = 86_400.0


def prune(db: Database, days: float) -> list[str]:
    """Delete jobs that ended more than ``days`` ago. Returns their ids, oldest first."""
    final = [s.value for s in JobState if s.final]
    with db.read() as conn:
        before = now(conn) - days * DAY_S
        old = conn.execute(
            select(Job.id).where(Job.state.in_(final), Job.finished_at < before).order_by(Job.finished_at)
        ).scalars()
        ids = list(old)
    for job_id in ids:
        delete_job(db, job_id)
    return ids
