"""What people may do to a job: cancel, retry, delete."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select, update

from evaluation.db import Database, now
from evaluation.ledger.events import add_event
from evaluation.ledger.states import settle
from evaluation.notify.tables import Notification
from evaluation.rows import FAILED
from evaluation.schema import (
    Arm,
    Chunk,
    ChunkState,
    Event,
    IdempotencyKey,
    Job,
    JobState,
    Result,
    Solution,
)
from evaluation.tally import Tally

DELETE_AT_ONCE = 5_000


class NoSuchJobError(LookupError):
    """There is no job of this id."""


class WrongStateError(Exception):
    """The job's state does not allow it."""

    def __init__(self, state: JobState, wish: str) -> None:
        super().__init__(f"the job is {state.value}: {wish}")
        self.state = state


def _held(conn: Connection, job_id: str) -> JobState:
    state = conn.execute(
        select(Job.state).where(Job.id == job_id).with_for_update(key_share=True)
    ).scalar_one_or_none()
    if state is None:
        raise NoSuchJobError(job_id)
    return JobState(state)


def cancel(db: Database, job_id: str) -> JobState:
    """Stop a job: what waits is dropped, what runs is told to stop, what is done stays. Idempotent.

    Raises NoSuchJobError.
    """
    with db.write() as conn:
        state = _held(conn, job_id)
        if state.final or state is JobState.CANCELLING:
            return state
        at = now(conn)
        waiting = conn.execute(
            update(Chunk)
            .where(Chunk.job_id == job_id, Chunk.state == ChunkState.PENDING)
            .values(state=ChunkState.CANCELLED.value, sent_at=None, finished_at=at)
            .returning(Chunk.size)
        ).scalars()
        uncut = conn.execute(select(func.sum(Arm.total - Arm.cut)).where(Arm.job_id == job_id)).scalar_one()
        dropped = sum(waiting) + int(uncut)
        conn.execute(update(Arm).where(Arm.job_id == job_id).values(cut=Arm.total))
        conn.execute(
            update(Job)
            .where(Job.id == job_id)
            .values(
                state=JobState.CANCELLING.value,
                cancelling_at=at,
                cancelled=Job.cancelled + dropped,
                revision=Job.revision + 1,
            )
        )
        add_event(conn, job_id, at, "state", {"state": JobState.CANCELLING.value})
        return settle(conn, job_id, at)


def retry(db: Database, job_id: str) -> int:
    """Put failed chunks back to the queue. Returns how many deals. Raises NoSuchJobError, WrongStateError."""
    with db.write() as conn:
        state = _held(conn, job_id)
        if state in (JobState.CANCELLING, JobState.CANCELLED):
            raise WrongStateError(
                state, "only failed deals of a job that was not cancelled can be tried again"
            )
        at = now(conn)
        failed = conn.execute(
            update(Chunk)
            .where(Chunk.job_id == job_id, Chunk.state == ChunkState.FAILED)
            .values(state=ChunkState.PENDING.value, failures=0, sent_at=None, finished_at=None, error="")
            .returning(Chunk.arm_id, Chunk.start)
        ).all()
        if not failed:
            return 0
        for arm_id in sorted({f.arm_id for f in failed}):
            _forget_failed(conn, arm_id, [f.start for f in failed if f.arm_id == arm_id])
        conn.execute(
            update(Job)
            .where(Job.id == job_id)
            .values(
                state=JobState.RUNNING.value,
                failed=Job.failed - len(failed),
                finished_at=None,
                revision=Job.revision + 1,
            )
        )
        add_event(conn, job_id, at, "state", {"state": JobState.RUNNING.value})
        conn.execute(
            update(Notification)
            .where(Notification.job_id == job_id)
            .values(state="waiting", attempts=0, next_at=0.0, error="")
        )  # its next end is to be told as well
        return len(failed)


def _forget_failed(conn: Connection, arm_id: int, ordinals: list[int]) -> None:
    conn.execute(
        delete(Result).where(Result.arm_id == arm_id, Result.ordinal.in_(ordinals), Result.outcome == FAILED)
    )
    data = conn.execute(
        select(Arm.tally).where(Arm.id == arm_id).with_for_update(key_share=True)
    ).scalar_one()
    tally = Tally.from_bytes(data)
    tally.drop_failed(len(ordinals))
    conn.execute(update(Arm).where(Arm.id == arm_id).values(tally=tally.to_bytes(), done=tally.rows))


def delete_job(db: Database, job_id: str) -> None:
    """Remove a finished job and its rows, in batches so that nobody waits long for a lock.

    The chunks go first: without them nothing can be tried again, so no worker stores a row meanwhile.
    Raises NoSuchJobError, WrongStateError while it runs. A delete that is cut off can be repeated.
    """
    with db.write() as conn:
        _refuse_open(conn, job_id)
        arms = list(conn.execute(select(Arm.id).where(Arm.job_id == job_id)).scalars())
        conn.execute(delete(Chunk).where(Chunk.job_id == job_id))
    for table in (Solution, Result):
        for arm_id in arms:
            while _delete_some(db, table, arm_id):
                pass
    with db.write() as conn:
        _refuse_open(conn, job_id)  # it may have been planned anew meanwhile, and then it stays
        for model in (Chunk, Event, IdempotencyKey, Notification, Arm):
            conn.execute(delete(model).where(model.job_id == job_id))
        conn.execute(delete(Job).where(Job.id == job_id))


def _refuse_open(conn: Connection, job_id: str) -> None:
    """Hold the job's row. Raises WrongStateError unless it has ended."""
    state = _held(conn, job_id)
    if not state.final:
        raise WrongStateError(state, "cancel it first")


def _delete_some(db: Database, table: type[Solution] | type[Result], arm_id: int) -> bool:
    with db.write() as conn:
        last = conn.execute(
            select(table.ordinal)
            .where(table.arm_id == arm_id)
            .order_by(table.ordinal)
            .offset(DELETE_AT_ONCE - 1)
            .limit(1)
        ).scalar_one_or_none()
        where = [table.arm_id == arm_id] + ([table.ordinal <= last] if last is not None else [])
        conn.execute(delete(table).where(*where))
    return last is not None
