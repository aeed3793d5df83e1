"""A vetting run: what to vet for which dates, written into the ledger as a job of its own kind.

A run's units are its dates, in order, and one more that settles the choice date by date (`work`). It
travels through the same chunks, leases and reaper as every job, so what a killed worker had in hand is
taken up by the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import orjson
import uuid_utils
from sqlalchemy import Connection, insert, select

from engine.deals import Deal
from engine.words import counted, plural
from evaluation.db import Database, now
from evaluation.evaluators import SolverBudget, SolverEvaluator
from evaluation.ledger.events import add_event
from evaluation.ledger.submit import BATCH
from evaluation.schema import Arm, Job, JobState
from evaluation.settings import Settings
from evaluation.spec import JobSpec, SpecError, canonical, parse_spec
from evaluation.tally import Tally
from evaluation.versions import engine_version
from evaluation.vetting import audit, calendars
from evaluation.vetting.calendars import CalendarSpec
from evaluation.vetting.candidates import Wanted
from evaluation.vetting.errors import NotFoundError
from evaluation.vetting.keys import candidate_seed, day_key
from evaluation.vetting.records import OWN, Place, deal_json, deal_of
from evaluation.vetting.scales import scale_for
from evaluation.vetting.tables import VetDay, VetRun

KIND = "vetting"
LABEL = "vetting"
HELD = ("proposed", "approved", "published", "withdrawn")
"""Days in these states are left alone by a run."""


@dataclass(frozen=True)
class RunPlan:
    """What a run works on. keys: the key of each date, in hex. own: a site's own deals by date, JSON of
    `records.deal_json`; dates with one have no derived candidates. skipped: dates left alone, and why."""

    calendar: str
    spec: CalendarSpec
    key_version: int
    dates: tuple[date, ...]
    keys: Mapping[str, str]
    own: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    by: str = ""

    @property
    def units(self) -> int:
        return len(self.dates) + 1

    def dealt(self, place: Place) -> Deal:
        """The deal of a candidate's place."""
        from engine.deals import deal

        if place.source == OWN:
            return deal_of(self.own[place.day.isoformat()])
        key = bytes.fromhex(self.keys[place.day.isoformat()])
        return deal(self.spec.game, candidate_seed(key, place.number))

    def to_json(self) -> str:
        return orjson.dumps(
            {
                "calendar": self.calendar,
                "spec": orjson.loads(self.spec.stored()),
                "key_version": self.key_version,
                "dates": [d.isoformat() for d in self.dates],
                "keys": dict(self.keys),
                "own": dict(self.own),
                "skipped": dict(self.skipped),
                "by": self.by,
            }
        ).decode()

    @classmethod
    def from_json(cls, text: str) -> RunPlan:
        data = orjson.loads(text)
        return cls(
            data["calendar"],
            CalendarSpec.model_validate(data["spec"]),
            data["key_version"],
            tuple(map(date.fromisoformat, data["dates"])),
            data["keys"],
            data["own"],
            data["skipped"],
            data["by"],
        )


def wanted_of(spec: CalendarSpec, settings: Settings, day: date, source: str) -> Wanted:
    """What a date's candidates are judged against."""
    return Wanted(spec.wanted(day), spec.bounds, spec.effort, settings.solver_memory_mb, whole=source == OWN)


def dates_from(first: date, days: int, settings: Settings) -> list[date]:
    """``days`` dates in order. Raises SpecError."""
    if not 1 <= days <= settings.vetting_max_days:
        raise SpecError.at("days", f"{days} is not between 1 and {settings.vetting_max_days}")
    if first.toordinal() + days > date.max.toordinal():
        raise SpecError.at(
            "from",
            f"{counted(days, 'day')} from {first} {plural(days, 'runs', 'run')} past the end of the calendar",
        )
    return [first + timedelta(days=i) for i in range(days)]


def plan_run(
    conn: Connection,
    settings: Settings,
    name: str,
    dates: Sequence[date],
    own: Mapping[date, Deal],
    by: str,
    *,
    again: bool = False,
    more: bool = False,
) -> RunPlan:
    """Check a request and give the run.

    again: also dates that hold a proposal which nobody has approved. more: whatever state the dates are in;
    the caller has opened them.

    Raises NotFoundError; NoScaleError for a variant that cannot be rated; SpecError for deals of another
    game, for solver budgets over the limit and where no date is left.
    """
    calendar = calendars.load(conn, name)
    scale_for(conn, calendar.spec.game)
    calendars.check_effort(calendar.spec.effort, settings)  # the limit may have come after the calendar
    for day, deal in own.items():
        if deal.variant.key != calendar.spec.game.key:
            raise SpecError.at(
                "deals", f"{day}: a deal of {deal.variant.label}, but {name} plays {calendar.spec.game.label}"
            )
        if other := _lender(conn, name, day):
            raise SpecError.at("deals", f"{day}: {other} holds the deal that was sent for it; swap them back")
    wanted = sorted(own) if own else list(dates)
    held = {} if more else _held(conn, name, wanted, again)
    left = [d for d in wanted if d.isoformat() not in held]
    if not left:
        raise SpecError.at("days", f"every date is taken: {'; '.join(list(held.values())[:3])}")
    master = calendars.master_key(conn, settings, name, calendar.key_version)
    keys = {d.isoformat(): day_key(master, name, d).hex() for d in left}
    return RunPlan(
        name,
        calendar.spec,
        calendar.key_version,
        tuple(left),
        keys,
        {d.isoformat(): deal_json(own[d]) for d in left if d in own},
        held,
        by,
    )


def _lender(conn: Connection, name: str, day: date) -> str | None:
    """Another date that holds a deal which a site sent for this one."""
    return (
        conn.execute(
            select(VetDay.day).where(
                VetDay.calendar == name,
                VetDay.candidate_day == day.isoformat(),
                VetDay.day != day.isoformat(),
                VetDay.source == OWN,
                VetDay.state.in_(HELD),
            )
        )
        .scalars()
        .first()
    )


def _held(conn: Connection, name: str, wanted: Sequence[date], again: bool) -> dict[str, str]:
    rows = conn.execute(
        select(VetDay.day, VetDay.state).where(VetDay.calendar == name, VetDay.state.in_(HELD))
    )
    asked = {d.isoformat() for d in wanted}
    states = {r.day: r.state for r in rows if r.day in asked and not (again and r.state == "proposed")}
    return {day: f"{day} is {state}" for day, state in sorted(states.items())}


def submit_run(db: Database, settings: Settings, plan: RunPlan) -> str:
    """Write the run as a job. Returns its id."""
    with db.write() as conn:
        return submit_in(conn, settings, plan)


def submit_in(conn: Connection, settings: Settings, plan: RunPlan) -> str:
    """The same in the caller's transaction."""
    at = now(conn)
    job_id = str(uuid_utils.uuid7())
    game = plan.spec.game
    evaluator = SolverEvaluator(
        solver=SolverBudget(nodes=plan.spec.effort.solver_nodes, shorten_nodes=plan.spec.effort.shorten_nodes)
    )
    spec = _job_spec(plan, evaluator)
    conn.execute(
        insert(Job).values(
            id=job_id,
            name=spec.name,
            owner=plan.by or None,
            kind=KIND,
            spec=canonical(spec),
            spec_hash="",
            engine=engine_version(),
            state=JobState.QUEUED.value,
            queue=BATCH,
            total=plan.units,
            created_at=at,
        )
    )
    conn.execute(
        insert(Arm).values(
            job_id=job_id,
            number=0,
            variant=game.label,
            variant_key=game.key,
            variant_record=orjson.dumps(game.record()).decode(),
            evaluator=LABEL,
            evaluator_json=orjson.dumps(evaluator.canonical()).decode(),
            total=plan.units,
            tally=Tally().to_bytes(),
        )
    )
    conn.execute(insert(VetRun).values(job_id=job_id, calendar=plan.calendar, plan=plan.to_json()))
    add_event(conn, job_id, at, "state", {"state": JobState.QUEUED.value})
    audit.add(
        conn, at, plan.by, plan.calendar, "vetting-started",
        job=job_id, first=plan.dates[0].isoformat(), days=len(plan.dates), own=len(plan.own),
    )  # fmt: skip
    return job_id


def _job_spec(plan: RunPlan, evaluator: SolverEvaluator) -> JobSpec:
    """The run in the form that every job's views read: a unit is a date, written 20261201; the last unit,
    which settles the choice, is 0."""
    first, last = plan.dates[0].isoformat(), plan.dates[-1].isoformat()
    return parse_spec(
        {
            "name": f"vetting {plan.calendar} {first}" + (f" to {last}" if last != first else ""),
            "deals": {"scheme": "spidervet", "seeds": [*(d.strftime("%Y%m%d") for d in plan.dates), "0"]},
            "variants": [plan.spec.game.record()],
            "evaluators": [evaluator.canonical()],
        }
    )


def load_run(conn: Connection, job_id: str) -> RunPlan:
    """What a job works on. Raises NotFoundError."""
    if "\0" in job_id:  # PostgreSQL takes none
        raise NotFoundError("there is no such vetting run")
    text = conn.execute(select(VetRun.plan).where(VetRun.job_id == job_id)).scalar_one_or_none()
    if text is None:
        raise NotFoundError(f"there is no vetting run {job_id}")
    return RunPlan.from_json(text)
