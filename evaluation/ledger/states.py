"""Job states: when a job ends, and in which state. Callers hold the job's row."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from evaluation.ledger.events import add_event
from evaluation.metrics import count
from evaluation.schema import Job, JobState


def end_state(state: str, done: int, failed: int) -> JobState:
    """The final state of a job with nothing left to do."""
    if state == JobState.CANCELLING:
        return JobState.CANCELLED
    if failed == 0:
        return JobState.COMPLETED
    return JobState.COMPLETED_WITH_ERRORS if done else JobState.FAILED


def settle(conn: Connection, job_id: str, at: float) -> JobState:
    """Give the job its final state if nothing is left to do; tell the event stream. Returns the state."""
    row = conn.execute(
        select(Job.state, Job.total, Job.leased, Job.done, Job.failed, Job.cancelled).where(Job.id == job_id)
    ).one()
    if JobState(row.state).final or row.done + row.failed + row.cancelled < row.total:
        return JobState(row.state)
    state = end_state(row.state, row.done, row.failed)
    conn.execute(update(Job).where(Job.id == job_id).values(state=state.value, finished_at=at))
    add_event(conn, job_id, at, "state", {"state": state.value})
    count(conn, "jobs_ended", {"state": state.value}, 1, conn.dialect.name == "sqlite")
    return state
