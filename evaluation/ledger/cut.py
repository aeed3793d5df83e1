"""Cutting chunks, a few ahead of the workers, and choosing which are sent next.

Cutting late keeps submission cheap and lets later chunks use measured costs. Sending few ahead
keeps the broker's queue short, so that fair shares between jobs are decided here, in SQL.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select, update

from evaluation import costs
from evaluation.db import Database, now
from evaluation.ledger.claim import OPEN_STATES
from evaluation.schema import Arm, Chunk, ChunkState, Job, Worker
from evaluation.settings import Settings


@dataclass(frozen=True)
class Sending:
    """A chunk to publish."""

    chunk_id: int
    queue: str
    engine: str


def live_slots(conn: Connection, at: float, settings: Settings) -> Counter[str]:
    """Worker processes at hand by engine version."""
    rows = conn.execute(
        select(Worker.engine, func.sum(Worker.concurrency).label("slots"))
        .where(Worker.state == "ready", Worker.seen_at > at - settings.worker_stale_s)
        .group_by(Worker.engine)
    )
    return Counter({r.engine: int(r.slots) for r in rows})


def next_to_send(db: Database, settings: Settings) -> list[Sending]:
    """Mark chunks as sent, as many as keep every worker busy, the job with the fewest at work first."""
    with db.read() as conn:
        at = now(conn)
        jobs = _open_jobs(conn)
        if not jobs:
            return []
        slots = live_slots(conn, at, settings)
        busy = _outstanding(conn)
        if not any(_room(engine, slots, busy, jobs, settings) > 0 for engine in {j.engine for j in jobs}):
            return []
    out: list[Sending] = []
    with db.write() as conn:
        at, jobs, busy = now(conn), _open_jobs(conn), _outstanding(conn)
        known = costs.measured(conn)
        for engine in sorted({j.engine for j in jobs}):
            group = [j for j in jobs if j.engine == engine]
            room = _room(engine, slots, busy, group, settings)
            while room > 0 and group:
                job = min(group, key=lambda j: (j.queue != "interactive", busy[j.id], j.created_at))
                chunk = _take(conn, job.id, job.queue, at, known, max(1, slots[engine]), settings)
                if chunk is None:
                    group.remove(job)
                    continue
                out.append(Sending(chunk, job.queue, engine))
                busy[job.id] += 1
                room -= 1
    return out


@dataclass(frozen=True)
class _OpenJob:
    id: str
    engine: str
    queue: str
    created_at: float


def _open_jobs(conn: Connection) -> list[_OpenJob]:
    """Jobs with something neither leased nor finished."""
    left = Job.total - Job.leased - Job.done - Job.failed - Job.cancelled
    rows = conn.execute(
        select(Job.id, Job.engine, Job.queue, Job.created_at)
        .where(Job.state.in_(OPEN_STATES), left > 0)
        .order_by(Job.created_at)
        .limit(200)
    )
    return [_OpenJob(r.id, r.engine, r.queue, r.created_at) for r in rows]


def _outstanding(conn: Connection) -> Counter[str]:
    """Chunks sent or leased, by job."""
    rows = conn.execute(
        select(Chunk.job_id, func.count().label("n"))
        .where(
            Chunk.state.in_([ChunkState.PENDING.value, ChunkState.LEASED.value]), Chunk.sent_at.is_not(None)
        )
        .group_by(Chunk.job_id)
    )
    return Counter({r.job_id: r.n for r in rows})


def _room(
    engine: str, slots: Counter[str], busy: Counter[str], jobs: list[_OpenJob], settings: Settings
) -> int:
    mine = sum(busy[j.id] for j in jobs if j.engine == engine)
    return max(1, slots[engine]) * settings.chunks_ahead - mine


def _take(
    conn: Connection,
    job_id: str,
    queue: str,
    at: float,
    known: dict[tuple[str, str], float],
    slots: int,
    settings: Settings,
) -> int | None:
    """The job's next chunk, marked as sent: one that waits, or one newly cut; None if there is none."""
    waiting = conn.execute(
        select(Chunk.id)
        .where(Chunk.job_id == job_id, Chunk.state == ChunkState.PENDING, Chunk.sent_at.is_(None))
        .order_by(Chunk.id)
        .limit(1)
    ).scalar_one_or_none()
    if waiting is not None:
        conn.execute(update(Chunk).where(Chunk.id == waiting).values(sent_at=at))
        return waiting
    return _cut(conn, job_id, queue, at, known, slots, settings)


def _cut(
    conn: Connection,
    job_id: str,
    queue: str,
    at: float,
    known: dict[tuple[str, str], float],
    slots: int,
    settings: Settings,
) -> int | None:
    """Cut a chunk from the arm that is furthest behind, so that all arms of a job advance together."""
    arm = conn.execute(
        select(
            Arm.id, Arm.total, Arm.cut, Arm.variant_key, Arm.variant_record, Arm.evaluator, Arm.evaluator_json
        )
        .where(Arm.job_id == job_id, Arm.cut < Arm.total)
        .order_by(Arm.cut * 1.0 / Arm.total, Arm.number)
        .limit(1)
        .with_for_update(key_share=True)
    ).one_or_none()
    if arm is None:
        return None
    unit_s = known.get((arm.variant_key, arm.evaluator))
    if unit_s is None:
        unit_s = costs.guess_of(arm.variant_record, arm.evaluator_json)
    size = chunk_size(unit_s, arm.total, arm.total - arm.cut, slots, settings)
    chunk_id: int = conn.execute(
        insert(Chunk)
        .values(
            job_id=job_id,
            arm_id=arm.id,
            start=arm.cut,
            size=size,
            state=ChunkState.PENDING.value,
            queue=queue,
            sent_at=at,
        )
        .returning(Chunk.id)
    ).scalar_one()
    conn.execute(update(Arm).where(Arm.id == arm.id).values(cut=arm.cut + size))
    return chunk_id


def chunk_size(unit_s: float, total: int, left: int, slots: int, settings: Settings) -> int:
    """Units in the next chunk: a few seconds of work, and no more than a fair part of a small arm."""
    by_cost = round(settings.chunk_seconds / max(unit_s, 1e-6))
    fair = math.ceil(total / slots)
    return max(1, min(by_cost, fair, settings.chunk_max_units, left))
