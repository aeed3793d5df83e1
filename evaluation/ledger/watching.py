"""What people who watch a job ask of the ledger: its speed over time, who is at work, what failed."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Integer, cast, func, select

from evaluation.charts.rates import Rate
from evaluation.db import Database, now
from evaluation.rows import FAILED
from evaluation.schema import Arm, Chunk, ChunkState, Event, Job, Result

SLICES = 40


@dataclass(frozen=True)
class Speed:
    """Units stored a second, by slices of equal length from the first chunk's start on."""

    slice_s: float
    rates: tuple[Rate, ...]


def speed(db: Database, job_id: str, slices: int = SLICES) -> Speed:
    """How fast a job was over its time. A chunk counts where it was finished; the last, unfinished slice of a
    running job is left out."""
    with db.read() as conn:
        job = conn.execute(select(Job.running_at, Job.finished_at).where(Job.id == job_id)).one_or_none()
        if job is None or job.running_at is None:
            return Speed(0.0, ())
        end = job.finished_at or now(conn)
        slice_s = max(3.0, (end - job.running_at) / slices)
        share = (Chunk.finished_at - job.running_at) / slice_s
        number = cast(share if db.sqlite else func.floor(share), Integer)
        rows = conn.execute(
            select(number.label("at"), func.sum(Chunk.size).label("units"))
            .where(Chunk.job_id == job_id, Chunk.state == ChunkState.DONE)
            .group_by(number)
        ).all()
    units = {max(0, int(r.at)): int(r.units) for r in rows}
    whole = int((end - job.running_at) / slice_s) if job.finished_at is None else max(units, default=-1) + 1
    return Speed(
        slice_s, tuple(Rate(i * slice_s, units.get(i, 0) / slice_s) for i in range(min(whole, slices + 1)))
    )


@dataclass(frozen=True)
class AtWork:
    """A chunk that a worker holds. for_s: since it was claimed. kind: its job's."""

    chunk_id: int
    job_id: str
    job_name: str
    arm: int
    variant: str
    evaluator: str
    start: int
    size: int
    progress: int
    worker: str
    for_s: float
    failures: int
    kind: str


def at_work(db: Database, job_id: str | None = None, limit: int = 200) -> list[AtWork]:
    """Chunks at work, of one job or of all, the longest at it first."""
    query = (
        select(Chunk, Job.name, Arm.number, Arm.variant, Arm.evaluator)
        .with_only_columns(
            Chunk.id, Chunk.job_id, Chunk.start, Chunk.size, Chunk.progress, Chunk.worker, Chunk.leased_at,
            Chunk.failures, Job.name, Job.kind, Arm.number, Arm.variant, Arm.evaluator,
        )
        .join(Job, Job.id == Chunk.job_id)
        .join(Arm, Arm.id == Chunk.arm_id)
        .where(Chunk.state == ChunkState.LEASED)
        .order_by(Chunk.leased_at, Chunk.id)
        .limit(limit)
    )  # fmt: skip
    if job_id is not None:
        query = query.where(Chunk.job_id == job_id)
    with db.read() as conn:
        at = now(conn)
        rows = conn.execute(query).all()
    return [
        AtWork(
            r.id, r.job_id, r.name, r.number, r.variant, r.evaluator, r.start, r.size,
            min(r.progress, r.size), r.worker or "", max(0.0, at - (r.leased_at or at)), r.failures,
            r.kind,
        )
        for r in rows
    ]  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """A deal that was set aside, with its error."""

    arm: int
    variant: str
    evaluator: str
    ordinal: int
    seed: str
    error: str


def failures(db: Database, job_id: str, limit: int = 50) -> list[Failure]:
    """Deals of a job that were set aside, by arm and deal."""
    query = (
        select(Arm.number, Arm.variant, Arm.evaluator, Result.ordinal, Result.seed, Result.reason)
        .join(Arm, Arm.id == Result.arm_id)
        .where(Arm.job_id == job_id, Result.outcome == FAILED)
        .order_by(Arm.number, Result.ordinal)
        .limit(limit)
    )
    with db.read() as conn:
        return [
            Failure(r.number, r.variant, r.evaluator, r.ordinal, r.seed, r.reason or "no error was kept")
            for r in conn.execute(query)
        ]


@dataclass(frozen=True)
class LogLine:
    """A line of a job's log."""

    at: float
    kind: str
    data: str


def last_events(db: Database, job_id: str, limit: int = 30) -> list[LogLine]:
    """The newest stored events of a job, newest first."""
    query = select(Event.at, Event.kind, Event.data).where(Event.job_id == job_id)
    with db.read() as conn:
        rows = conn.execute(query.order_by(Event.id.desc()).limit(limit)).all()
    return [LogLine(r.at, r.kind, r.data) for r in rows]
