"""The editorial way of a date: open → proposed → approved → published, with every step logged.

    open       no deal yet, or the last one was given up
    proposed   a deal is held that fits, or that an editor chose
    approved   an editor has looked at it
    rejected   an editor does not want it; the note says why
    published  frozen and signed (`publishing`); past once its day is over
    withdrawn  taken back after publication, visibly; it may be replaced

Every change names the revision that was looked at: two editors cannot overwrite each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, insert, select, update

from engine.solver import Verdict
from evaluation.db import Database, now
from evaluation.settings import Settings
from evaluation.spec import SpecError
from evaluation.versions import engine_version
from evaluation.vetting import audit, calendars, records, runs
from evaluation.vetting.candidates import Refusal, State
from evaluation.vetting.clock import ends, following, today
from evaluation.vetting.errors import ChangedError, WrongStepError
from evaluation.vetting.keys import candidate_seed
from evaluation.vetting.openings import Opening, opening_of, refused_by_variety
from evaluation.vetting.records import DERIVED, Place, Stored
from evaluation.vetting.scales import scale_for
from evaluation.vetting.tables import VetDay

Date = date


class DayState(StrEnum):
    """Where a date stands. PAST is published with its day over; it is never stored."""

    OPEN = "open"
    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"
    PUBLISHED = "published"
    PAST = "past"
    WITHDRAWN = "withdrawn"


MOST_NOTE = 2000
"""Characters of a note or a reason."""
HOLDING = (DayState.PROPOSED, DayState.APPROVED, DayState.PUBLISHED)
"""States of a date that has a deal."""
SWAPPABLE = (DayState.PROPOSED, DayState.APPROVED)


@dataclass(frozen=True)
class Day:
    """A date as stored; revision 0 stands for one that was never touched."""

    calendar: str
    date: date
    revision: int = 0
    state: DayState = DayState.OPEN
    place: Place | None = None
    origin: str | None = None
    note: str = ""
    by: str = ""
    at: float = 0.0
    edition: int = 0
    job_id: str | None = None

    def shown(self, today_: Date) -> DayState:
        """The state for people: published days become past."""
        over = self.state is DayState.PUBLISHED and self.date < today_
        return DayState.PAST if over else self.state


@dataclass(frozen=True)
class Editor:
    """Who changes what: their name, and the revision of the day that they looked at; None skips the check
    (the command line, which shows and changes in one step)."""

    name: str
    revision: int | None


def get(conn: Connection, calendar: str, day: date, *, lock: bool = False) -> Day:
    """A date. Dates that were never touched are open."""
    query = select(VetDay.__table__).where(VetDay.calendar == calendar, VetDay.day == day.isoformat())
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return Day(calendar, day) if row is None else _day(row)


def between(conn: Connection, calendar: str, first: date, last: date) -> dict[date, Day]:
    """Dates that have been touched, both ends included."""
    rows = conn.execute(
        select(VetDay.__table__).where(
            VetDay.calendar == calendar, VetDay.day >= first.isoformat(), VetDay.day <= last.isoformat()
        )
    )
    return {d.date: d for d in map(_day, rows)}


def held_between(conn: Connection, calendar: str, first: date, last: date) -> dict[date, Place]:
    """The candidates that dates hold: proposed, approved or published."""
    found = between(conn, calendar, first, last)
    return {d: x.place for d, x in sorted(found.items()) if x.place is not None and x.state in HOLDING}


def lent(conn: Connection, calendar: str, day: date) -> dict[Place, date]:
    """Candidates of a date that other dates hold, after a swap or by hand, with the latest that does."""
    rows = conn.execute(
        select(VetDay.__table__)
        .where(
            VetDay.calendar == calendar,
            VetDay.candidate_day == day.isoformat(),
            VetDay.day != day.isoformat(),
            VetDay.state.in_(HOLDING),
        )
        .order_by(VetDay.day)
    )
    return {found.place: found.date for found in map(_day, rows) if found.place is not None}


def settled(conn: Connection, place: Place) -> bool:
    """Whether a candidate is to stay as it is: its own date holds it approved or published, or another date
    holds it."""
    own = get(conn, place.calendar, place.day)
    approved = own.place == place and own.state in (DayState.APPROVED, DayState.PUBLISHED)
    return approved or place in lent(conn, place.calendar, place.day)


def _holder(conn: Connection, place: Place) -> date | None:
    own = get(conn, place.calendar, place.day)
    if own.place == place and own.state in HOLDING:
        return place.day
    return lent(conn, place.calendar, place.day).get(place)


def openings_near(
    conn: Connection, calendar: str, day: date, reach: int, unsettled: Collection[date] = ()
) -> dict[date, Opening]:
    """Openings of the days around a date that hold a deal. reach: in days, 0 for none. unsettled: dates that
    do not count yet."""
    if reach == 0:
        return {}
    held = held_between(conn, calendar, day - timedelta(days=reach), day + timedelta(days=reach))
    return {
        d: opening_of(records.must_load(conn, place).candidate.deal)
        for d, place in held.items()
        if d != day and d not in unsettled
    }


def _day(row: Any) -> Day:
    day = date.fromisoformat(row.day)
    place = None
    if row.number is not None:
        place = Place(row.calendar, date.fromisoformat(row.candidate_day), row.source, row.number)
    return Day(
        row.calendar,
        day,
        row.revision,
        DayState(row.state),
        place,
        row.origin,
        row.note,
        row.by,
        row.at,
        row.edition,
        row.job_id,
    )


def change(
    conn: Connection, day: Day, state: DayState, at: float, by: str, action: str, **values: Any
) -> Day:
    """Write a date's new state in the caller's transaction, and a line of the log."""
    changed = {"state": state.value, "revision": day.revision + 1, "at": at, "by": by, **values}
    if "place" in changed:
        place: Place | None = changed.pop("place")
        changed |= {
            "source": place.source if place else None,
            "number": place.number if place else None,
            "candidate_day": place.day.isoformat() if place else None,
        }
    keys = {"calendar": day.calendar, "day": day.date.isoformat()}
    if day.revision == 0:
        conn.execute(insert(VetDay).values(**keys, **{"note": "", "edition": 0, **changed}))
    else:
        conn.execute(
            update(VetDay)
            .where(VetDay.calendar == day.calendar, VetDay.day == day.date.isoformat())
            .values(changed)
        )
    after = get(conn, day.calendar, day.date)
    detail: dict[str, Any] = {"state": state.value, "revision": after.revision}
    if after.place is not None:
        detail["candidate"] = f"{after.place.source} {after.place.number} of {after.place.day.isoformat()}"
    if after.note:
        detail["note"] = after.note
    audit.add(conn, at, by, day.calendar, action, day.date, **detail)
    return after


def looked_at(conn: Connection, calendar: str, day: date, editor: Editor) -> Day:
    """A date, locked, if it still is as the editor saw it. Raises NotFoundError, ChangedError."""
    calendars.load(conn, calendar, lock=True)
    found = get(conn, calendar, day, lock=True)
    if editor.revision is not None and found.revision != editor.revision:
        raise ChangedError(f"{calendar} {day}", str(editor.revision), found.revision)
    return found


def propose(
    conn: Connection, calendar: str, day: date, place: Place, job_id: str, at: float, by: str
) -> bool:
    """A run's proposal. False where the date is no longer the run's to fill."""
    found = get(conn, calendar, day, lock=True)
    if found.state not in (DayState.OPEN, DayState.REJECTED, DayState.PROPOSED):
        return False
    if found.state is DayState.PROPOSED and found.place == place:
        return True
    if place in lent(conn, calendar, day):
        return False  # swapped away while the run went on
    change(
        conn, found, DayState.PROPOSED, at, by, "proposed", place=place, origin="run", note="", job_id=job_id
    )
    return True


def leave_open(
    conn: Connection, calendar: str, day: date, note: str, job_id: str, at: float, by: str
) -> None:
    """A run found nothing for a date: say why."""
    found = get(conn, calendar, day, lock=True)
    if found.state in (DayState.OPEN, DayState.REJECTED, DayState.PROPOSED) and found.note != note:
        change(conn, found, DayState.OPEN, at, by, "nothing-fits", place=None, note=note, job_id=job_id)


def check_note(text: str, field: str = "note") -> None:
    """Raises SpecError for a note that cannot be kept."""
    if len(text) > MOST_NOTE:
        raise SpecError.at(field, f"{len(text)} characters; at most {MOST_NOTE} are kept")
    if "\0" in text:  # PostgreSQL takes none
        raise SpecError.at(field, "it holds a character of value 0")


def approve(db: Database, calendar: str, day: date, editor: Editor, note: str = "") -> Day:
    """An editor has looked at the proposal. Raises ChangedError, WrongStepError."""
    check_note(note)
    with db.write() as conn:
        found = looked_at(conn, calendar, day, editor)
        _require(found, "approved", DayState.PROPOSED)
        return change(conn, found, DayState.APPROVED, now(conn), editor.name, "approved", note=note)


def reject(db: Database, calendar: str, day: date, editor: Editor, note: str) -> Day:
    """Turn a proposal down, also one that was approved. The candidate will not be proposed again.

    Raises ChangedError; WrongStepError, also without a note.
    """
    check_note(note)
    with db.write() as conn:
        found = looked_at(conn, calendar, day, editor)
        return _reject(conn, found, editor.name, note, now(conn), db.sqlite)


def _reject(conn: Connection, found: Day, by: str, note: str, at: float, sqlite: bool) -> Day:
    _require(found, "rejected", DayState.PROPOSED, DayState.APPROVED)
    if not note.strip():
        raise WrongStepError("a rejection needs a note that says why")
    assert found.place is not None
    _refuse(conn, found.place, f"turned down by {by}: {note}", sqlite)
    return change(conn, found, DayState.REJECTED, at, by, "rejected", note=note)


def _refuse(conn: Connection, place: Place, text: str, sqlite: bool) -> None:
    stored = records.must_load(conn, place)
    records.save(conn, records.refused(stored, Refusal("editor", text, 0.0)), sqlite)


def next_candidate(
    db: Database, settings: Settings, calendar: str, day: date, editor: Editor, note: str = ""
) -> Day:
    """Give up what the date holds and take the next candidate that fits: at once if it has been judged, else
    by a run of its own, which is named in the day's job.

    Raises ChangedError, WrongStepError.
    """
    check_note(note)
    with db.write() as conn:
        found = looked_at(conn, calendar, day, editor)
        _require(
            found, "given another candidate",
            DayState.OPEN, DayState.PROPOSED, DayState.APPROVED, DayState.REJECTED, DayState.WITHDRAWN,
        )  # fmt: skip
        at = now(conn)
        if found.place is not None:
            _refuse(
                conn, found.place, f"passed over by {editor.name}" + (f": {note}" if note else ""), db.sqlite
            )
        ready = _ready(conn, settings, calendar, day)
        if ready is not None:
            return change(
                conn, found, DayState.PROPOSED, at, editor.name, "next-candidate",
                place=ready, origin="editor", note=note,
            )  # fmt: skip
        opened = change(
            conn, found, DayState.OPEN, at, editor.name, "next-candidate",
            place=None, note=note or "looking for the next candidate",
        )  # fmt: skip
        plan = runs.plan_run(conn, settings, calendar, [day], {}, editor.name, more=True)
        job_id = runs.submit_in(conn, settings, plan)
        conn.execute(
            update(VetDay)
            .where(VetDay.calendar == calendar, VetDay.day == day.isoformat())
            .values(job_id=job_id)
        )
        return get(conn, calendar, opened.date)


def _ready(conn: Connection, settings: Settings, calendar: str, day: date) -> Place | None:
    """A candidate that was judged by what is asked today and fits here; None where a run must look for it."""
    stored = calendars.load(conn, calendar)
    spec = stored.spec
    key = calendars.key_of_day(conn, settings, calendar, stored.key_version, day)
    wanted = runs.wanted_of(spec, settings, day, DERIVED)
    asked = wanted.digest(scale_for(conn, spec.game).scale, engine_version())
    elsewhere = lent(conn, calendar, day)
    near = openings_near(conn, calendar, day, spec.bounds.variety.days)

    def fits(s: Stored) -> bool:
        return (
            s.candidate.state is State.FITS
            and s.wanted == asked
            and s.place not in elsewhere
            and s.candidate.deal.seed == str(candidate_seed(key, s.place.number))
            and refused_by_variety(s.candidate, near, spec.bounds.variety) is None
        )

    derived = (s for s in records.of_day(conn, calendar, day) if s.place.source == DERIVED)
    return next((s.place for s in derived if fits(s)), None)


def choose(db: Database, calendar: str, day: date, editor: Editor, place: Place, note: str) -> Day:
    """Take a candidate by hand, also one out of bounds, as long as its win is proved. Needs a note.

    Raises NotFoundError, ChangedError, WrongStepError.
    """
    check_note(note)
    with db.write() as conn:
        found = looked_at(conn, calendar, day, editor)
        _require(
            found, "given a candidate by hand",
            DayState.OPEN, DayState.PROPOSED, DayState.REJECTED, DayState.WITHDRAWN,
        )  # fmt: skip
        if not note.strip():
            raise WrongStepError("a choice by hand needs a note that says why")
        holder = _holder(conn, place)
        if holder not in (None, day):
            raise WrongStepError(f"{holder} holds {place.source} candidate {place.number} of {place.day}")
        _secret(conn, place, day)
        candidate = records.must_load(conn, place).candidate
        if candidate.verdict is not Verdict.SOLVED:
            raise WrongStepError(
                f"{place.source} candidate {place.number} has no proof of a win"
                f" ({candidate.verdict or 'it was rejected before it was searched'})"
            )
        return change(
            conn, found, DayState.PROPOSED, now(conn), editor.name, "chosen",
            place=place, origin="editor", note=note,
        )  # fmt: skip


def swap(db: Database, calendar: str, a: date, b: date, editors: tuple[Editor, Editor]) -> tuple[Day, Day]:
    """Let two dates exchange their deals; both become proposals again.

    Raises ChangedError, WrongStepError.
    """
    if a == b:
        raise WrongStepError("a day cannot be swapped with itself")
    with db.write() as conn:
        first = looked_at(conn, calendar, a, editors[0])
        second = looked_at(conn, calendar, b, editors[1])
        for found in (first, second):
            _require(found, "swapped", *SWAPPABLE)
            assert found.place is not None
            _secret(conn, found.place, b if found is first else a)
        at, by = now(conn), editors[0].name
        return (
            _swapped(conn, first, second.place, b, at, by),
            _swapped(conn, second, first.place, a, at, by),
        )


def _swapped(conn: Connection, day: Day, place: Place | None, other: date, at: float, by: str) -> Day:
    return change(
        conn, day, DayState.PROPOSED, at, by, "swapped",
        place=place, origin="swap", note=f"swapped with {other.isoformat()}",
    )  # fmt: skip


def _secret(conn: Connection, place: Place, day: date) -> None:
    """Refuse a candidate for a day to come whose own day is over: its key may be known, and so its deal."""
    if place.source == DERIVED and ends(place.day) <= now(conn) < ends(day):
        raise WrongStepError(
            f"{place.day} is over, so that anyone may know its key and its candidates: none of them can be"
            f" played on {day}"
        )


def _require(day: Day, what: str, *states: DayState) -> None:
    if day.state not in states:
        raise WrongStepError(
            f"{day.calendar} {day.date} is {day.state.value}: only a day that is"
            f" {' or '.join(s.value for s in states)} can be {what}"
        )


def unpublished(db: Database, ahead: int) -> dict[str, list[date]]:
    """For each active calendar, the dates from today to ``ahead`` days on that nobody can play: what the
    alert watches."""
    with db.read() as conn:
        wanted = following(today(conn), ahead + 1)
        return {c.name: missing(conn, c.name, wanted) for c in calendars.load_all(conn) if c.spec.active}


def missing(conn: Connection, calendar: str, wanted: Sequence[date]) -> list[date]:
    """Which of some dates in order are not published."""
    found = between(conn, calendar, wanted[0], wanted[-1])
    return [d for d in wanted if d not in found or found[d].state is not DayState.PUBLISHED]
