"""Recounting: every stored sum against the rows and chunks it came from."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, exists, func, select

from engine.words import counted
from evaluation.db import Database
from evaluation.ledger.results import iter_rows
from evaluation.schema import Arm, Chunk, ChunkState, Job, JobState, Result
from evaluation.tally import Tally


@dataclass(frozen=True)
class LedgerFault:
    """A sum that does not hold. where: job and arm. what: the two figures."""

    where: str
    what: str


@dataclass(frozen=True)
class CheckResult:
    jobs: int
    rows: int
    faults: tuple[LedgerFault, ...]


@dataclass(frozen=True)
class _Arm:
    id: int
    number: int
    total: int
    cut: int
    done: int
    tally: bytes


def check_ledger(db: Database, job_id: str | None = None) -> CheckResult:
    """Check one job or all. Jobs that run while they are checked are checked against their chunks only."""
    with db.read() as conn:
        query = select(Job.id) if job_id is None else select(Job.id).where(Job.id == job_id)
        ids = list(conn.execute(query.order_by(Job.created_at)).scalars())
    faults: list[LedgerFault] = []
    rows = 0
    for job in ids:
        with db.read() as conn:
            state, arms = _check_counts(conn, job, faults)
        if state.final:
            rows += sum(_check_arm(db, job, arm, faults) for arm in arms)
    if job_id is None:
        faults += _rows_of_no_arm(db)
    return CheckResult(len(ids), rows, tuple(faults))


def _check_counts(conn: Connection, job_id: str, faults: list[LedgerFault]) -> tuple[JobState, list[_Arm]]:
    job = conn.execute(
        select(Job.state, Job.total, Job.leased, Job.done, Job.failed, Job.cancelled).where(Job.id == job_id)
    ).one()
    arms = [
        _Arm(a.id, a.number, a.total, a.cut, a.done, a.tally)
        for a in conn.execute(
            select(Arm.id, Arm.number, Arm.total, Arm.cut, Arm.done, Arm.tally).where(Arm.job_id == job_id)
        )
    ]
    sums = {
        row.state: int(row.units)
        for row in conn.execute(
            select(Chunk.state, func.sum(Chunk.size).label("units"))
            .where(Chunk.job_id == job_id)
            .group_by(Chunk.state)
        )
    }
    for name, state in (
        ("leased", ChunkState.LEASED),
        ("done", ChunkState.DONE),
        ("failed", ChunkState.FAILED),
    ):
        _compare(faults, f"job {job_id}", f"units {name}", getattr(job, name), sums.get(state.value, 0))
    parts = job.leased + job.done + job.failed + job.cancelled
    if parts > job.total or min(job.leased, job.done, job.failed, job.cancelled) < 0:
        faults.append(LedgerFault(f"job {job_id}", f"counts add up to {parts} of {job.total}"))
    _compare(faults, f"job {job_id}", "rows of its arms", job.done + job.failed, sum(a.done for a in arms))
    _compare(faults, f"job {job_id}", "units of its arms", job.total, sum(a.total for a in arms))
    if JobState(job.state).final and parts != job.total:
        faults.append(
            LedgerFault(f"job {job_id}", f"{job.state} with {counted(job.total - parts, 'unit')} open")
        )
    return JobState(job.state), arms


def _check_arm(db: Database, job_id: str, arm: _Arm, faults: list[LedgerFault]) -> int:
    where = f"job {job_id}, arm {arm.number}"
    counted = Tally.of(stored.row for stored in iter_rows(db, [arm.id]))
    _compare(faults, where, "rows", arm.done, counted.rows)
    if counted.to_bytes() != arm.tally:
        faults.append(LedgerFault(where, "the running sums differ from a recount of the rows"))
    return counted.rows


def _rows_of_no_arm(db: Database) -> list[LedgerFault]:
    """Rows whose arm is gone: results have no foreign key that would keep them from it."""
    with db.read() as conn:
        lost = conn.execute(
            select(Result.arm_id, func.count().label("n"))
            .where(~exists().where(Arm.id == Result.arm_id))
            .group_by(Result.arm_id)
            .order_by(Result.arm_id)
        ).all()
    return [
        LedgerFault(f"arm {row.arm_id}", f"{counted(row.n, 'row')} of an arm that is not there")
        for row in lost
    ]


def _compare(faults: list[LedgerFault], where: str, what: str, stored: int, counted: int) -> None:
    if stored != counted:
        faults.append(LedgerFault(where, f"{what}: stored {stored}, counted {counted}"))
