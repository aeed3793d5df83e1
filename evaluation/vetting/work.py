"""What a worker does with a run's units: judge candidates of a date until one fits, then settle the choice.

Dates are judged at once and independently of each other: nothing but the calendar's variety makes one
depend on another. The last unit goes through them in order and proposes, for each, the first candidate
that fits and whose opening differs enough from its neighbours'; where that leaves a date without one, it
judges further candidates. So the choice is the one that a single worker would make, in whatever order
the dates were done, and however often workers died.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import structlog
from sqlalchemy import select

from engine.core import Control
from evaluation.db import Database, now
from evaluation.ledger.claim import Lease
from evaluation.rows import Row
from evaluation.schema import Chunk, ChunkState, Job
from evaluation.settings import Settings
from evaluation.versions import engine_version
from evaluation.vetting import days, records
from evaluation.vetting.candidates import Candidate, State, Wanted, step
from evaluation.vetting.openings import refused_by_variety
from evaluation.vetting.records import DERIVED, OWN, Place, Stored
from evaluation.vetting.runs import KIND as KIND
from evaluation.vetting.runs import RunPlan, load_run, wanted_of
from evaluation.vetting.scales import Chosen, scale_for

log = structlog.get_logger("spidervet.vetting")
SAVE_S = 2.0
"""Least pause between two savings of a candidate that is still being rated."""
WAIT_S = 0.5


@dataclass
class Work:
    """One worker at one lease."""

    db: Database
    settings: Settings
    plan: RunPlan
    chosen: Chosen
    control: Control

    @property
    def wanted_effort(self) -> int:
        return self.plan.spec.effort.candidates

    def wanted(self, day: date, source: str) -> Wanted:
        return wanted_of(self.plan.spec, self.settings, day, source)

    def source(self, day: date) -> str:
        return OWN if day.isoformat() in self.plan.own else DERIVED

    def numbers(self, day: date) -> list[int]:
        """Numbers of the candidates that may be looked at for a date: all but those that other dates hold."""
        with self.db.read() as conn:
            lent = days.lent(conn, self.plan.calendar, day)
        source = self.source(day)
        every = range(1, 2 if source == OWN else self.wanted_effort + 1)
        return [n for n in every if Place(self.plan.calendar, day, source, n) not in lent]

    def judged(self, day: date, number: int) -> Stored | None:
        """A candidate, done; taken up where an earlier worker left it. None when cancelled."""
        place = Place(self.plan.calendar, day, self.source(day), number)
        wanted = self.wanted(day, place.source)
        digest = wanted.digest(self.chosen.scale, engine_version())
        stored = self._begun(place, digest)
        saved = time.monotonic()
        while not stored.candidate.state.done:
            started = time.thread_time()
            before = stored.candidate
            after = step(before, self.chosen.scale, wanted, self.control)
            if after is None:
                self.save(stored)
                return None
            spent = time.thread_time() - started
            at = time.monotonic()
            stored = replace(stored, candidate=replace(after, seconds=before.seconds + spent))
            if after.state is not before.state or at - saved > SAVE_S:
                self.save(stored)
                saved = at
        return stored

    def _begun(self, place: Place, digest: str) -> Stored:
        with self.db.read() as conn:
            found = records.load(conn, place)
            if found is not None and days.settled(conn, place):
                return found  # an editor was faster than the run: what was looked at stays as it is
        deal = self.plan.dealt(place)
        if found is not None and found.candidate.deal == deal:
            by_editor = any(r.rule == "editor" for r in found.candidate.refusals)
            if by_editor or found.wanted == digest:
                return _without_variety(found)
        return Stored(place, digest, engine_version(), Candidate.fresh(deal, self.chosen.scale))

    def save(self, stored: Stored) -> None:
        """Keep a candidate, unless an editor has taken it, as it was, while it was being judged anew."""
        with self.db.write() as conn:
            if not days.settled(conn, stored.place):
                records.save(conn, stored, self.db.sqlite)


def _without_variety(stored: Stored) -> Stored:
    """The candidate as it is apart from its neighbours: they may have changed since it was refused."""
    candidate = stored.candidate
    if candidate.refusals and all(r.rule == "variety" for r in candidate.refusals):
        return replace(stored, candidate=replace(candidate, state=State.FITS, refusals=()))
    return stored


def scale_for_plan(db: Database, plan: RunPlan) -> Chosen:
    """The scale that a run's deals are rated by. Raises NoScaleError."""
    with db.read() as conn:
        return scale_for(conn, plan.spec.game)


def run_units(
    db: Database, settings: Settings, lease: Lease, control: Control, seeds: Sequence[str]
) -> list[Row | None]:
    """Rows of a lease's units in their order; None from where it was cancelled on, or has to wait.

    seeds: the text of each unit of the lease.
    """
    with db.read() as conn:
        plan = load_run(conn, lease.job_id)
    work = Work(db, settings, plan, scale_for_plan(db, plan), control)
    rows: list[Row | None] = []
    for i in range(lease.size):
        ordinal = lease.start + i
        last = ordinal == len(plan.dates)
        row = _settle(work, lease, ordinal, seeds[i]) if last else _vet(work, ordinal, seeds[i])
        if row is None:
            return rows + [None] * (lease.size - i)
        rows.append(row)
    return rows


def _vet(work: Work, ordinal: int, seed: str) -> Row | None:
    """Judge candidates of a date until one fits; those that an editor or variety refused are passed over."""
    day = work.plan.dates[ordinal]
    started = time.monotonic()
    for number in work.numbers(day):
        stored = work.judged(day, number)
        if stored is None:
            return None
        if stored.candidate.state is State.FITS:
            return _row(ordinal, seed, stored.candidate, time.monotonic() - started)
    return Row(ordinal, seed, "unknown", verdict="unknown", reason="nothing-fits",
               seconds=time.monotonic() - started)  # fmt: skip


def _row(ordinal: int, seed: str, candidate: Candidate, seconds: float) -> Row:
    return Row(
        ordinal,
        seed,
        "solved",
        verdict="solved",
        length=candidate.par,
        nodes=candidate.nodes,
        seconds=seconds,
    )


def _settle(work: Work, lease: Lease, ordinal: int, seed: str) -> Row | None:
    """Propose for every date in order. None where dates are still at work elsewhere."""
    with work.db.read() as conn:
        job = conn.execute(select(Job.done, Job.failed, Job.cancelled).where(Job.id == lease.job_id)).one()
    if job.done + job.failed + job.cancelled + lease.size < work.plan.units:
        time.sleep(WAIT_S)
        return None
    started = time.monotonic()
    with work.db.read() as conn:
        crashed = set(
            conn.execute(
                select(Chunk.start).where(Chunk.job_id == lease.job_id, Chunk.state == ChunkState.FAILED)
            ).scalars()
        )
    for i, day in enumerate(work.plan.dates):
        if i in crashed:
            with work.db.write() as conn:
                note = "its evaluation failed and was set aside; see the job's log"
                days.leave_open(conn, work.plan.calendar, day, note, lease.job_id, now(conn), work.plan.by)
        elif not _propose(work, lease.job_id, day, work.plan.dates[i + 1 :]):
            return None
    return Row(ordinal, seed, "solved", verdict="solved", seconds=time.monotonic() - started)


def _propose(work: Work, job_id: str, day: date, later: Sequence[date]) -> bool:
    """Settle one date. False when cancelled."""
    variety = work.plan.spec.bounds.variety
    with work.db.read() as conn:
        near = days.openings_near(conn, work.plan.calendar, day, variety.days, set(later))
    seen: list[Stored] = []
    for number in work.numbers(day):
        stored = work.judged(day, number)
        if stored is None:
            return False
        seen.append(stored)
        candidate = stored.candidate
        if candidate.state is not State.FITS:
            continue
        refusal = refused_by_variety(candidate, near, variety)
        if refusal is None:
            work.save(stored)
            with work.db.write() as conn:
                days.propose(conn, work.plan.calendar, day, stored.place, job_id, now(conn), work.plan.by)
            return True
        stored = replace(stored, candidate=replace(candidate, state=State.REJECTED, refusals=(refusal,)))
        seen[-1] = stored
        work.save(stored)
    with work.db.write() as conn:
        note = nothing_fits([s.candidate for s in seen], [s.place.number for s in seen])
        days.leave_open(conn, work.plan.calendar, day, note, job_id, now(conn), work.plan.by)
    return True


def nothing_fits(candidates: Sequence[Candidate], numbers: Sequence[int]) -> str:
    """What is said of a date without a fitting deal, with the nearest one."""
    if not candidates:
        return "other dates hold its deals"
    i = min(range(len(candidates)), key=lambda k: candidates[k].misfit)
    why = "; ".join(r.text for r in candidates[i].refusals)
    if len(candidates) == 1:
        return f"the deal does not fit: {why}"
    return (
        f"none of {len(candidates)} candidates fits; the nearest is candidate {numbers[i]}"
        f" ({candidates[i].deal.identity}): {why}"
    )
