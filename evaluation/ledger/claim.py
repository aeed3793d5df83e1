"""Claiming a chunk by compare-and-set, and keeping its lease by progress."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from sqlalchemy import Connection, Double, Executable, bindparam, func, select, update

from evaluation.db import Database, DbNow, now
from evaluation.ledger.events import add_event, log
from evaluation.schema import Arm, Chunk, ChunkState, Job, JobState, Worker

OPEN_STATES = (JobState.QUEUED.value, JobState.RUNNING.value)


@dataclass(frozen=True)
class Lease:
    """The right to finish a chunk, for as long as ``number`` is its newest claim."""

    chunk_id: int
    number: int
    job_id: str
    arm_id: int
    start: int
    size: int


class Refusal(StrEnum):
    """Why a chunk was not given."""

    TAKEN = "taken"
    OTHER_VERSION = "other-version"
    JOB_CLOSED = "job-closed"
    DRAINING = "draining"


class _UndoError(Exception):
    """Rolls the transaction back."""


def claim(db: Database, chunk_id: int, worker: str, engine: str, lease_s: float) -> Lease | Refusal:
    """Take a pending chunk. Exactly one of any number of concurrent callers gets it.

    A host that is to stop gets none: what its broker had handed it before is free to be sent again.
    """
    try:
        with db.write() as conn:
            return _claim(conn, chunk_id, worker, engine, lease_s)
    except _UndoError:
        return Refusal.TAKEN


def _claim(conn: Connection, chunk_id: int, worker: str, engine: str, lease_s: float) -> Lease | Refusal:
    found = conn.execute(
        select(Chunk.job_id, Chunk.size, Job.engine)
        .join(Job, Job.id == Chunk.job_id)
        .where(Chunk.id == chunk_id, Chunk.state == ChunkState.PENDING)
    ).one_or_none()
    if found is None:
        return Refusal.TAKEN
    at = now(conn)
    if found.engine != engine:
        _say_other_version(conn, found.job_id, worker, engine, found.engine, at)
        return Refusal.OTHER_VERSION
    if _draining(conn, worker):
        conn.execute(
            update(Chunk)
            .where(Chunk.id == chunk_id, Chunk.state == ChunkState.PENDING)
            .values(sent_at=None)  # to be sent again now, not when SPIDERVET_RESEND_S is over
        )
        return Refusal.DRAINING
    job = conn.execute(
        update(Job)
        .where(Job.id == found.job_id, Job.state.in_(OPEN_STATES))
        .values(
            leased=Job.leased + found.size,
            revision=Job.revision + 1,
            running_at=func.coalesce(Job.running_at, at),
        )
        .returning(Job.state)
    ).one_or_none()
    if job is None:
        return Refusal.JOB_CLOSED
    chunk = conn.execute(
        update(Chunk)
        .where(Chunk.id == chunk_id, Chunk.state == ChunkState.PENDING, Chunk.size == found.size)
        .values(
            state=ChunkState.LEASED.value,
            lease=Chunk.lease + 1,
            worker=worker,
            leased_at=at,
            lease_until=at + lease_s,
            progress=0,
            nodes=0,
        )
        .returning(Chunk.lease, Chunk.arm_id, Chunk.start, Chunk.size)
    ).one_or_none()
    if chunk is None:
        raise _UndoError
    if job.state == JobState.QUEUED:
        conn.execute(update(Job).where(Job.id == found.job_id).values(state=JobState.RUNNING.value))
        add_event(conn, found.job_id, at, "state", {"state": JobState.RUNNING.value})
    return Lease(chunk_id, chunk.lease, found.job_id, chunk.arm_id, chunk.start, chunk.size)


def _host(worker: str) -> str:
    return worker.rpartition("/")[0] or worker


def _draining(conn: Connection, worker: str) -> bool:
    state = conn.execute(select(Worker.state).where(Worker.id == _host(worker))).scalar_one_or_none()
    return state == "draining"


def _say_other_version(conn: Connection, job_id: str, worker: str, mine: str, wanted: str, at: float) -> None:
    note = f"left alone a chunk of engine {wanted}: this worker has {mine}"
    host = _host(worker)
    changed = conn.execute(
        update(Worker).where(Worker.id == host, Worker.note != note).values(note=note).returning(Worker.id)
    ).all()
    if changed:
        log(conn, job_id, at, f"worker {host} {note}")


@dataclass(frozen=True)
class Word:
    """What the ledger tells a worker at a beat."""

    held: bool
    cancel: bool
    drain: bool


@cache
def _report(extends: bool) -> Executable:
    """What a beat sends: progress and perhaps more time, for word of the job, the arm and the host."""
    values: dict[str, object] = {"progress": bindparam("progress_is"), "nodes": bindparam("nodes_is")}
    if extends:
        values["lease_until"] = DbNow() + bindparam("lease_s", type_=Double)
    return (
        update(Chunk)
        .where(
            Chunk.id == bindparam("chunk_is"),
            Chunk.state == ChunkState.LEASED,
            Chunk.lease == bindparam("lease_is"),
        )
        .values(values)
        .returning(
            select(Job.state).where(Job.id == bindparam("job_is")).scalar_subquery().label("job"),
            select(Arm.stop_at).where(Arm.id == bindparam("arm_is")).scalar_subquery().label("stop_at"),
            select(Worker.state).where(Worker.id == bindparam("host_is")).scalar_subquery().label("worker"),
        )
    )


def beat(db: Database, lease: Lease, worker: str, done: int, nodes: int, lease_s: float | None) -> Word:
    """Report progress; ``lease_s`` extends the lease and is None when nothing moved since the last beat.

    One statement, built once, since every worker process sends it twice a second.
    """
    given = {
        "chunk_is": lease.chunk_id,
        "lease_is": lease.number,
        "job_is": lease.job_id,
        "arm_is": lease.arm_id,
        "host_is": _host(worker),
        "progress_is": done,
        "nodes_is": nodes,
    }
    if lease_s is not None:
        given["lease_s"] = lease_s
    with db.write() as conn:
        told = conn.execute(_report(lease_s is not None), given).one_or_none()
    if told is None:
        return Word(held=False, cancel=True, drain=False)
    return Word(True, told.job not in OPEN_STATES or told.stop_at is not None, told.worker == "draining")
