"""What vetting some dates came to in all: what was tried, what it cost, why deals were refused, what is held.

It counts what the ledger keeps of the dates, whichever run found it, and can be asked for while a run goes
on. Candidates of an earlier key or list, whose place a later run took, are no longer there to be counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any

import orjson
from sqlalchemy import Connection, select

from evaluation.vetting import calendars, days, records
from evaluation.vetting.calendars import ANY, WEEKDAYS, CalendarSpec
from evaluation.vetting.candidates import State
from evaluation.vetting.records import Place
from evaluation.vetting.runs import RunPlan
from evaluation.vetting.tables import VetCandidate


@dataclass(frozen=True)
class Spread:
    """Least, median and greatest of a figure over the deals that are held."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        return cls(min(values), median(values), max(values)) if values else None


@dataclass(frozen=True)
class Weekday:
    """What the dates of one day of the week asked for and hold. wanted, labels: dates by label. missing:
    dates without a deal."""

    name: str
    dates: int
    missing: int
    wanted: dict[str, int]
    labels: dict[str, int]


@dataclass(frozen=True)
class Summary:
    """Totals over dates.

    dates: how many were asked about. held: those that hold a deal, whatever has become of it since.
    borderline: held deals whose label is not clear. candidates: deals looked at; rejected and fitting are
    done, the others under way. refused: candidates by the rule they fail; one that fails two counts under
    both. games: rated games. positions: rated by the solver in its searches, shortening left out.
    seconds: processor time spent on candidates. par, win_rate: of the deals held.
    """

    calendar: str
    dates: int
    held: int
    borderline: int
    candidates: int
    fitting: int
    rejected: int
    games: int
    positions: int
    seconds: float
    refused: dict[str, int]
    weekdays: tuple[Weekday, ...]
    par: Spread | None
    win_rate: Spread | None

    def to_json(self) -> dict[str, Any]:
        plain = {**vars(self), "weekdays": [vars(w) for w in self.weekdays]}
        for name in ("par", "win_rate"):
            found = plain[name]
            plain[name] = None if found is None else vars(found)
        return plain | {"seconds": round(self.seconds, 1), "missing": self.dates - self.held}


@dataclass(frozen=True)
class _Tried:
    """A candidate as far as it is counted."""

    place: Place
    state: State
    par: int | None
    positions: int
    games: int
    rating: dict[str, Any] | None
    rules: frozenset[str]
    seconds: float


def summary_of(conn: Connection, calendar: str, wanted: Sequence[date]) -> Summary:
    """Totals over some dates of a calendar by its rules of today. Raises NotFoundError."""
    return _summary(conn, calendar, calendars.load(conn, calendar).spec, wanted)


def summary_of_run(conn: Connection, plan: RunPlan) -> Summary:
    """Totals over the dates of a run, by the rules it was started with."""
    return _summary(conn, plan.calendar, plan.spec, plan.dates)


def _summary(conn: Connection, calendar: str, spec: CalendarSpec, wanted: Sequence[date]) -> Summary:
    tried = list(_tried(conn, calendar, set(wanted)))
    held = _held(conn, calendar, set(wanted), tried)
    ratings = [c.rating for c in held.values() if c.rating is not None]
    return Summary(
        calendar=calendar,
        dates=len(wanted),
        held=len(held),
        borderline=sum(r["borderline"] for r in ratings),
        candidates=len(tried),
        fitting=sum(c.state is State.FITS for c in tried),
        rejected=sum(c.state is State.REJECTED for c in tried),
        games=sum(c.games for c in tried),
        positions=sum(c.positions for c in tried),
        seconds=sum(c.seconds for c in tried),
        refused=dict(Counter(rule for c in tried for rule in c.rules).most_common()),
        weekdays=tuple(_weekdays(spec, wanted, held)),
        par=Spread.of([c.par for c in held.values() if c.par is not None]),
        win_rate=Spread.of([r["win_rate"] for r in ratings]),
    )


def _tried(conn: Connection, calendar: str, wanted: set[date]) -> Iterator[_Tried]:
    rows = conn.execute(
        _COUNTED.where(
            VetCandidate.calendar == calendar,
            VetCandidate.day >= min(wanted).isoformat(),
            VetCandidate.day <= max(wanted).isoformat(),
        ).order_by(VetCandidate.day, VetCandidate.source, VetCandidate.number)
    )
    for row in rows:
        if (found := _counted(row)).place.day in wanted:
            yield found


_COUNTED = select(
    VetCandidate.calendar, VetCandidate.day, VetCandidate.source, VetCandidate.number, VetCandidate.state,
    VetCandidate.par, VetCandidate.nodes, VetCandidate.tally, VetCandidate.rating, VetCandidate.reasons,
    VetCandidate.seconds,
)  # fmt: skip


def _counted(row: Any) -> _Tried:
    return _Tried(
        Place(row.calendar, date.fromisoformat(row.day), row.source, row.number),
        State(row.state),
        row.par,
        row.nodes or 0,
        sum(map(sum, orjson.loads(row.tally))),
        orjson.loads(row.rating) if row.rating else None,
        frozenset(r["rule"] for r in orjson.loads(row.reasons)),
        row.seconds,
    )


def _held(conn: Connection, calendar: str, wanted: set[date], tried: Sequence[_Tried]) -> dict[date, _Tried]:
    """What each date holds; after a swap it may be another date's candidate."""
    known = {c.place: c for c in tried}
    places = days.held_between(conn, calendar, min(wanted), max(wanted))
    return {day: known.get(place) or _one(conn, place) for day, place in places.items() if day in wanted}


def _one(conn: Connection, place: Place) -> _Tried:
    found = records.must_load(conn, place)
    candidate = found.candidate
    return _Tried(
        place,
        candidate.state,
        candidate.par,
        candidate.nodes or 0,
        candidate.tally.games,
        records.rating_json(candidate.rating) if candidate.rating else None,
        frozenset(r.rule for r in candidate.refusals),
        candidate.seconds,
    )


def _weekdays(spec: CalendarSpec, wanted: Sequence[date], held: dict[date, _Tried]) -> Iterator[Weekday]:
    for i, name in enumerate(WEEKDAYS):
        dates = [d for d in wanted if d.weekday() == i]
        if not dates:
            continue
        asked = Counter(label.value if (label := spec.wanted(d)) else ANY for d in dates)
        found = [held[d].rating for d in dates if d in held]
        labels = Counter(r["difficulty"] for r in found if r is not None)
        yield Weekday(name, len(dates), len(dates) - len(found), dict(asked), dict(labels))
