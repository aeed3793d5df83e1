"""Moving a job to this program's engine version: all of it, from the first deal. Versions never mix."""

from __future__ import annotations

from sqlalchemy import delete, select, update

from evaluation.db import Database, now
from evaluation.ledger.control import NoSuchJobError, WrongStateError
from evaluation.ledger.events import add_event, log
from evaluation.schema import Arm, Chunk, Job, JobState, Result, Solution
from evaluation.tally import Tally
from evaluation.versions import engine_version


def replan(db: Database, job_id: str) -> str:
    """Drop what an older version found and queue the job anew. Returns the version it had.

    One transaction, which for millions of rows takes seconds: it is a rare wish. Raises NoSuchJobError,
    WrongStateError while a worker is at the job, or where it has this version already.
    """
    with db.write() as conn:
        job = conn.execute(
            select(Job.state, Job.leased, Job.engine, Job.kind).where(Job.id == job_id).with_for_update()
        ).one_or_none()
        if job is None:
            raise NoSuchJobError(job_id)
        state, version = JobState(job.state), engine_version()
        if job.engine == version:
            raise WrongStateError(state, f"it has this version already, {version}")
        if job.leased:
            raise WrongStateError(state, f"a worker of {job.engine} is at it; cancel it or wait")
        if job.kind != "evaluation":
            raise WrongStateError(state, "only evaluations are planned anew; start a new run")
        arms = list(conn.execute(select(Arm.id).where(Arm.job_id == job_id)).scalars())
        for table in (Solution, Result):
            conn.execute(delete(table).where(table.arm_id.in_(arms)))
        conn.execute(delete(Chunk).where(Chunk.job_id == job_id))
        fresh = {"cut": 0, "done": 0, "tally": Tally().to_bytes(), "looks": "", "pair_looks": ""}
        conn.execute(update(Arm).where(Arm.job_id == job_id).values(**fresh, stop_at=None, stop_note=""))
        at = now(conn)
        conn.execute(
            update(Job)
            .where(Job.id == job_id)
            .values(
                engine=version,
                state=JobState.QUEUED.value,
                done=0,
                failed=0,
                cancelled=0,
                running_at=None,
                cancelling_at=None,
                finished_at=None,
                revision=Job.revision + 1,
            )
        )
        log(conn, job_id, at, f"planned anew for engine {version}; rows of {job.engine} were dropped")
        add_event(conn, job_id, at, "state", {"state": JobState.QUEUED.value})
    old: str = job.engine
    return old
