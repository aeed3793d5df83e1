"""Reading jobs: one snapshot a call, never a transaction left open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import Connection, or_, select, tuple_

from engine.variants import Variant, resolve
from engine.words import counted
from evaluation import costs
from evaluation.access.roles import LOCAL, Identity, Role
from evaluation.db import Database, now
from evaluation.evaluators import evaluator_of
from evaluation.ledger.control import NoSuchJobError
from evaluation.ledger.cut import live_slots
from evaluation.schema import Arm, Event, Job, JobState
from evaluation.settings import Settings
from evaluation.spec import JobSpec, parse_spec
from evaluation.summary import ArmSummary
from evaluation.tally import Tally


def iso(at: float | None) -> str | None:
    """A time of the ledger as ISO 8601 in UTC, to the millisecond."""
    return (
        None
        if at is None
        else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


@dataclass(frozen=True)
class Counts:
    """Units of a job by where they are; they always add up to total."""

    total: int
    pending: int
    leased: int
    done: int
    failed: int
    cancelled: int

    @property
    def settled(self) -> int:
        """Units with nothing left to do, dropped ones included."""
        return self.done + self.failed + self.cancelled

    def to_json(self) -> dict[str, int]:
        return dict(vars(self))


@dataclass(frozen=True)
class Eta:
    """Seconds to the end, and what that was reckoned from."""

    seconds: float
    basis: str


@dataclass(frozen=True)
class JobView:
    """A job without its arms, as lists show it. running_s is the time since work began, or the whole."""

    id: str
    name: str
    owner: str | None
    kind: str
    state: JobState
    counts: Counts
    engine: str
    queue: str
    revision: int
    note: str
    created_at: float
    running_at: float | None
    cancelling_at: float | None
    finished_at: float | None
    read_at: float
    eta: Eta | None

    @property
    def stopped_early(self) -> bool:
        """Some arms had their answer before all of their deals: what they left out needs no doing."""
        return bool(self.counts.cancelled) and self.state not in (JobState.CANCELLING, JobState.CANCELLED)

    @property
    def progress(self) -> float:
        """The share of what there was to do that is done, the same wherever a job is shown.

        Rows that an early stop made needless count; those that a cancel dropped do not: a cancelled job keeps
        the share it had.
        """
        counts = self.counts
        done = counts.settled if self.stopped_early else counts.done + counts.failed
        return done / counts.total if counts.total else 1.0

    def times(self) -> dict[str, str | None]:
        """A time stamp for each state the job has been in."""
        out = {
            "queued": iso(self.created_at),
            "running": iso(self.running_at),
            "cancelling": iso(self.cancelling_at),
        }
        if self.state.final:
            out[self.state.value] = iso(self.finished_at)
        return out

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "owner": self.owner,
            "kind": self.kind,
            "state": self.state.value,
            "times": self.times(),
            "counts": self.counts.to_json(),
            "progress": self.progress,
            "eta_s": None if self.eta is None else round(self.eta.seconds, 1),
            "eta_basis": None if self.eta is None else self.eta.basis,
            "engine": self.engine,
            "queue": self.queue,
            "revision": self.revision,
            "note": self.note or None,
        }


@dataclass(frozen=True)
class ArmView:
    """An arm with its variant's full record."""

    id: int
    variant: Variant
    summary: ArmSummary


@dataclass(frozen=True)
class JobDetail:
    """A job with its specification and arms, from one snapshot."""

    job: JobView
    spec: JobSpec
    arms: tuple[ArmView, ...]

    def to_json(self) -> dict[str, Any]:
        spec = self.spec.model_dump(mode="json", exclude_none=True)
        spec["evaluators"] = [e.canonical() for e in self.spec.evaluators]
        return {**self.job.to_json(), "spec": brief(spec), "arms": [a.summary.to_json() for a in self.arms]}


def brief(spec: dict[str, Any], most: int = 1000) -> dict[str, Any]:
    """The spec with long lists of deals cut to their number, so that a page stays small."""
    deals = spec["deals"]
    for key in ("seeds", "layouts"):
        if len(deals.get(key, ())) > most:
            spec = {**spec, "deals": {**deals, key: deals[key][:10], f"{key}_in_all": len(deals[key])}}
    return spec


_JOB = (
    Job.id,
    Job.name,
    Job.owner,
    Job.kind,
    Job.state,
    Job.engine,
    Job.queue,
    Job.revision,
    Job.note,
    Job.total,
    Job.leased,
    Job.done,
    Job.failed,
    Job.cancelled,
    Job.created_at,
    Job.running_at,
    Job.cancelling_at,
    Job.finished_at,
)


def _view(row: Any, at: float, eta: Eta | None) -> JobView:
    busy = row.leased + row.done + row.failed + row.cancelled
    return JobView(
        id=row.id,
        name=row.name,
        owner=row.owner,
        kind=row.kind,
        state=JobState(row.state),
        counts=Counts(row.total, row.total - busy, row.leased, row.done, row.failed, row.cancelled),
        engine=row.engine,
        queue=row.queue,
        revision=row.revision,
        note=row.note,
        created_at=row.created_at,
        running_at=row.running_at,
        cancelling_at=row.cancelling_at,
        finished_at=row.finished_at,
        read_at=at,
        eta=eta,
    )


def list_jobs(
    db: Database,
    settings: Settings,
    limit: int,
    before: tuple[float, str] | None = None,
    states: list[JobState] | None = None,
    user: Identity = LOCAL,
    named: str = "",
) -> list[JobView]:
    """Jobs that a user may see, newest first; ``before`` is (created_at, id) of the last one seen.

    named: text that the job's name or its owner's must hold, in any case of letters.
    """
    query = select(*_JOB).order_by(Job.created_at.desc(), Job.id.desc()).limit(limit)
    if before is not None:
        query = query.where(tuple_(Job.created_at, Job.id) < tuple_(*before))
    if "\0" in named:  # no name holds one, and PostgreSQL takes none
        return []
    if named:
        holds = [column.icontains(named, autoescape=True) for column in (Job.name, Job.owner)]
        query = query.where(or_(*holds))
    if not user.role.covers(Role.EDITOR):
        query = query.where(Job.kind == "evaluation")
    if states:
        query = query.where(Job.state.in_([s.value for s in states]))
    with db.read() as conn:
        at = now(conn)
        rows = conn.execute(query).all()
        etas = _etas(conn, [r for r in rows if not JobState(r.state).final], at, settings)
    return [_view(row, at, etas.get(row.id)) for row in rows]


def get_job(db: Database, job_id: str, settings: Settings) -> JobView:
    """One job. Raises NoSuchJobError."""
    with db.read() as conn:
        return _get_job(conn, job_id, settings)


def _get_job(conn: Connection, job_id: str, settings: Settings) -> JobView:
    at = now(conn)
    row = conn.execute(select(*_JOB).where(Job.id == job_id)).one_or_none()
    if row is None:
        raise NoSuchJobError(job_id)
    eta = None if JobState(row.state).final else _etas(conn, [row], at, settings).get(job_id)
    return _view(row, at, eta)


def get_detail(db: Database, job_id: str, settings: Settings) -> JobDetail:
    """One job with its arms: none for a vetting run, whose units are dates and no deals. Raises
    NoSuchJobError."""
    with db.read() as conn:
        job = _get_job(conn, job_id, settings)
        spec = conn.execute(select(Job.spec).where(Job.id == job_id)).scalar_one()
        arms = conn.execute(
            select(
                Arm.id,
                Arm.number,
                Arm.variant,
                Arm.variant_key,
                Arm.variant_record,
                Arm.evaluator_json,
                Arm.total,
                Arm.tally,
                Arm.stop_note,
            )
            .where(Arm.job_id == job_id)
            .order_by(Arm.number)
        ).all()
    shown = tuple(_arm(a) for a in arms) if job.kind == "evaluation" else ()
    return JobDetail(job, parse_spec(orjson.loads(spec)), shown)


def _arm(a: Any) -> ArmView:
    evaluator = evaluator_of(orjson.loads(a.evaluator_json))
    summary = ArmSummary(
        a.number, a.variant, a.variant_key, evaluator, a.total, Tally.from_bytes(a.tally), a.stop_note
    )
    return ArmView(a.id, resolve(orjson.loads(a.variant_record)), summary)


def _etas(conn: Connection, jobs: list[Any], at: float, settings: Settings) -> dict[str, Eta]:
    """Time left by the measured cost of what is left, shared by the workers at hand; none without workers."""
    if not jobs:
        return {}
    slots = live_slots(conn, at, settings)
    known = costs.measured(conn)
    arms = conn.execute(
        select(
            Arm.job_id,
            Arm.variant_key,
            Arm.variant_record,
            Arm.evaluator,
            Arm.evaluator_json,
            Arm.total,
            Arm.done,
        ).where(Arm.job_id.in_([j.id for j in jobs]), Arm.done < Arm.total)
    ).all()
    out: dict[str, Eta] = {}
    for job in jobs:
        if slots[job.engine]:
            work, measured = 0.0, True
            for arm in (a for a in arms if a.job_id == job.id):
                unit_s = known.get((arm.variant_key, arm.evaluator))
                measured = measured and unit_s is not None
                work += (arm.total - arm.done) * (
                    unit_s or costs.guess_of(arm.variant_record, arm.evaluator_json)
                )
            basis = "measured cost of a deal" if measured else "a guess until the first chunks are measured"
            many = slots[job.engine]
            out[job.id] = Eta(work / many, f"{basis}, {counted(many, 'worker process', 'worker processes')}")
    return out


@dataclass(frozen=True)
class StoredEvent:
    """One line of the event stream that is kept."""

    id: int
    at: float
    kind: str
    data: dict[str, Any]


def events_after(db: Database, job_id: str, last: int, limit: int = 500) -> list[StoredEvent]:
    """Events of a job in their order."""
    with db.read() as conn:
        rows = conn.execute(
            select(Event.id, Event.at, Event.kind, Event.data)
            .where(Event.job_id == job_id, Event.id > last)
            .order_by(Event.id)
            .limit(limit)
        ).all()
    return [StoredEvent(r.id, r.at, r.kind, orjson.loads(r.data)) for r in rows]
