"""Taking back what its holder will not finish: lost leases, splits, the one deal that kills workers."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from engine.words import counted
from evaluation.db import Database, now
from evaluation.ledger.events import log
from evaluation.ledger.finish import add_to_arm
from evaluation.ledger.states import settle
from evaluation.metrics import add_chunk, count
from evaluation.rows import FAILED, Row
from evaluation.schema import Arm, Chunk, ChunkState, Job, JobState, Result
from evaluation.settings import Settings
from evaluation.tally import Tally

__all__ = ["Lost", "reap", "take_back"]


@dataclass(frozen=True)
class Lost:
    """A leased chunk whose lease ran out."""

    chunk_id: int
    lease: int


def reap(db: Database, settings: Settings) -> int:
    """Take back overdue leases, re-send what was sent but never claimed. Returns leases taken back."""
    with db.read() as conn:
        at = now(conn)
        overdue = conn.execute(
            select(Chunk.id, Chunk.lease)
            .where(Chunk.state == ChunkState.LEASED, Chunk.lease_until < at)
            .order_by(Chunk.id)
            .limit(500)
        ).all()
        unheard = conn.execute(
            select(Chunk.id)
            .where(Chunk.state == ChunkState.PENDING, Chunk.sent_at < at - settings.resend_s)
            .limit(500)
        ).all()
    for chunk in overdue:
        take_back(db, Lost(chunk.id, chunk.lease), "lease", "no progress within the lease", settings)
    if unheard:
        with db.write() as conn:
            conn.execute(
                update(Chunk)
                .where(Chunk.id.in_([c.id for c in unheard]), Chunk.state == ChunkState.PENDING)
                .values(sent_at=None)
            )
            count(conn, "chunk_retries", {"reason": "unclaimed"}, len(unheard), db.sqlite)
    return len(overdue)


def take_back(db: Database, lost: Lost, reason: str, error: str, settings: Settings) -> bool:
    """End a lease that will not be finished. False if the holder was faster or someone else did it.

    reason: a word of a closed set, for metrics: lease, crash, error. error: what is told to people.
    """
    with db.write() as conn:
        found = conn.execute(
            select(Chunk.job_id).where(
                Chunk.id == lost.chunk_id, Chunk.state == ChunkState.LEASED, Chunk.lease == lost.lease
            )
        ).one_or_none()
        if found is None:
            return False
        job = conn.execute(
            select(Job.state).where(Job.id == found.job_id).with_for_update(key_share=True)
        ).one()
        chunk = conn.execute(
            update(Chunk)
            .where(Chunk.id == lost.chunk_id, Chunk.state == ChunkState.LEASED, Chunk.lease == lost.lease)
            .values(state=ChunkState.PENDING.value, failures=Chunk.failures + 1, sent_at=None, error=error)
            .returning(
                Chunk.id,
                Chunk.job_id,
                Chunk.arm_id,
                Chunk.start,
                Chunk.size,
                Chunk.failures,
                Chunk.worker,
                Chunk.queue,
            )
        ).one_or_none()
        if chunk is None:
            return False
        at = now(conn)
        conn.execute(
            update(Job)
            .where(Job.id == chunk.job_id)
            .values(leased=Job.leased - chunk.size, revision=Job.revision + 1)
        )
        count(conn, "chunk_retries", {"reason": reason}, 1, db.sqlite)
        arm = conn.execute(select(Arm.number).where(Arm.id == chunk.arm_id)).scalar_one()
        where = f"chunk {chunk.id} (arm {arm}, {counted(chunk.size, 'deal')}) of worker {chunk.worker}"
        log(conn, chunk.job_id, at, f"{where}: {error}", failures=chunk.failures)
        _next_step(conn, chunk, JobState(job.state), error, at, settings, db.sqlite)
        settle(conn, chunk.job_id, at)
    return True


def _next_step(
    conn: Connection, chunk: object, state: JobState, error: str, at: float, settings: Settings, sqlite: bool
) -> None:
    c: Chunk = chunk  # type: ignore[assignment]  # a row with the chunk's columns
    stopped = conn.execute(select(Arm.stop_at).where(Arm.id == c.arm_id)).scalar_one()
    if state is JobState.CANCELLING or stopped is not None:
        conn.execute(update(Chunk).where(Chunk.id == c.id).values(state=ChunkState.CANCELLED.value))
        conn.execute(update(Job).where(Job.id == c.job_id).values(cancelled=Job.cancelled + c.size))
    elif c.failures >= settings.max_attempts:
        if c.size > 1:
            _split(conn, c, settings.max_attempts - 1)
        else:
            _set_aside(conn, c, error, at, sqlite)


def _split(conn: Connection, chunk: Chunk, failures: int) -> None:
    """Halve a chunk that keeps failing; each half is halved again at its next failure."""
    half = chunk.size // 2
    conn.execute(update(Chunk).where(Chunk.id == chunk.id).values(size=half, failures=failures))
    conn.execute(
        insert(Chunk).values(
            job_id=chunk.job_id,
            arm_id=chunk.arm_id,
            start=chunk.start + half,
            size=chunk.size - half,
            state=ChunkState.PENDING.value,
            queue=chunk.queue,
            failures=failures,
        )
    )


def _set_aside(conn: Connection, chunk: Chunk, error: str, at: float, sqlite: bool) -> None:
    """Record the one deal as failed, with its error, so that the rest of the job can complete."""
    from evaluation.ledger.context import load_context

    context = load_context(conn, chunk.arm_id)
    seed = context.source.seed(chunk.start // context.spec.repeats)
    conn.execute(
        insert(Result).values(
            arm_id=chunk.arm_id,
            ordinal=chunk.start,
            seed=seed,
            outcome=FAILED,
            reason=error[:500],
            seconds=0.0,
        )
    )
    tally = Tally.of([Row(chunk.start, seed, FAILED)])
    arm = add_to_arm(conn, chunk.arm_id, tally)
    add_chunk(conn, arm.variant, arm.evaluator, tally, 0.0, sqlite)
    conn.execute(
        update(Chunk).where(Chunk.id == chunk.id).values(state=ChunkState.FAILED.value, finished_at=at)
    )
    conn.execute(update(Job).where(Job.id == chunk.job_id).values(failed=Job.failed + 1))
    log(conn, chunk.job_id, at, f"set aside deal {seed} of arm {context.arm.number}: {error}")
