"""/v1/vetting/calendars/{name}/days: the editorial way of a date. Every change takes an If-Match."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from api.access import require
from api.conditions import Conditional, etag, revision_of
from api.dates import Dates
from api.downloads import calendar_file, disposition
from api.state import Ledger, Service, json_response
from evaluation.access.roles import Identity, Role
from evaluation.evaluators import Strict
from evaluation.vetting import calendars, days, exports, owndeals, publishing, records
from evaluation.vetting.days import MOST_NOTE, Day
from evaluation.vetting.days import Editor as By
from evaluation.vetting.records import Place
from evaluation.vetting.report import candidate_json, range_json

router = APIRouter(prefix="/v1/vetting/calendars/{name}", tags=["vetting"])
Editor = Annotated[Identity, require(Role.EDITOR)]


Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Note(Strict):
    """Why, in an editor's words."""

    note: str = Field(default="", max_length=MOST_NOTE)


class Reason(Strict):
    """Why a published day is taken back; it is published, too."""

    reason: str = Field(max_length=MOST_NOTE)


class Choice(Strict):
    """A candidate taken by hand, with the reason."""

    number: Number
    source: Literal["derived", "own"] = "derived"
    date: str | None = Field(default=None, description="whose candidate; default: the day's own")
    note: str = Field(max_length=MOST_NOTE)


class Swap(Strict):
    """The other day, and the revision of it that was looked at."""

    other: str = Field(description="date", examples=["2026-12-08"])
    other_etag: str = Field(description="the ETag of the other day", max_length=40)


@router.get("/days", summary="A range of dates, gaps flagged")
def get_days(
    service: Ledger,
    user: Editor,
    name: str,
    dates: Dates,
    tried: bool = False,
) -> Response:
    """`gap` marks dates without a deal; `tried` adds every candidate."""
    with service.db.read() as conn:
        return json_response({"calendar": name, "days": range_json(conn, name, dates, tried=tried)})


@router.get("/export.{kind}", summary="Published days of any date, as a file")
def get_export(
    service: Ledger,
    user: Editor,
    name: str,
    kind: exports.Kind,
    dates: Dates,
) -> Response:
    """Days to come are in it: it is for the site that hosts the game, not for its players."""
    with service.db.read() as conn:
        calendars.load(conn, name)
        found = publishing.in_force(conn, name, dates[0], dates[-1])
    headers = disposition(calendar_file(name, dates[0], kind))
    return Response(exports.write(kind, name, found), 200, headers, exports.MEDIA[kind])


@router.get("/days/{day}", summary="A date with every candidate tried")
def get_day(service: Ledger, user: Editor, name: str, day: str) -> Response:
    return _shown(service, name, days_date(day))


@router.get("/days/{day}/candidates/{source}/{number}", summary="A candidate with its solution")
def get_candidate(
    service: Ledger, user: Editor, name: str, day: str, source: Literal["derived", "own"], number: Number
) -> Response:
    place = Place(name, days_date(day), source, number)
    with service.db.read() as conn:
        stored = records.must_load(conn, place)
    data = candidate_json(stored, solution=True)
    return json_response(data | {"deal": records.deal_json(stored.candidate.deal)})


def days_date(text: str) -> Any:
    """A date in a path. Raises SpecError."""
    return owndeals.parse_date(text, "date")


def _shown(service: Service, name: str, day: Any) -> Response:
    with service.db.read() as conn:
        data = range_json(conn, name, [day])[0]
    return json_response(data, headers=etag(data["revision"]))


def _changed(service: Service, day: Day) -> Response:
    return _shown(service, day.calendar, day.date)


@router.post("/days/{day}/approve", summary="Approve what a date holds")
def approve(
    service: Ledger, user: Editor, by: Conditional, name: str, day: str, body: Note | None = None
) -> Response:
    note = body.note if body else ""
    return _changed(service, days.approve(service.db, name, days_date(day), by, note))


@router.post("/days/{day}/reject", summary="Turn a proposal down, saying why")
def reject(service: Ledger, user: Editor, by: Conditional, name: str, day: str, body: Note) -> Response:
    return _changed(service, days.reject(service.db, name, days_date(day), by, body.note))


@router.post("/days/{day}/next", status_code=202, summary="Take the next candidate")
def next_candidate(
    service: Ledger, user: Editor, by: Conditional, name: str, day: str, body: Note | None = None
) -> Response:
    """At once where one has been judged already; else the day is open until its `job` has found one."""
    note = body.note if body else ""
    found = days.next_candidate(service.db, service.settings, name, days_date(day), by, note)
    response = _changed(service, found)
    response.status_code = 202
    return response


@router.post("/days/{day}/choose", summary="Take a candidate by hand, also one out of bounds")
def choose(service: Ledger, user: Editor, by: Conditional, name: str, day: str, body: Choice) -> Response:
    whose = days_date(body.date) if body.date is not None else days_date(day)
    place = Place(name, whose, body.source, body.number)
    return _changed(service, days.choose(service.db, name, days_date(day), by, place, body.note))


@router.post("/days/{day}/swap", summary="Let two dates exchange their deals")
def swap(service: Ledger, user: Editor, by: Conditional, name: str, day: str, body: Swap) -> Response:
    other = By(by.name, revision_of(body.other_etag))
    first, second = days_date(day), owndeals.parse_date(body.other, "other")
    days.swap(service.db, name, first, second, (by, other))
    with service.db.read() as conn:
        shown = [range_json(conn, name, [d])[0] for d in (first, second)]
    return json_response({"days": shown}, headers=etag(shown[0]["revision"]))


@router.post("/days/{day}/publish", summary="Freeze and sign an approved date")
def publish(service: Ledger, user: Editor, by: Conditional, name: str, day: str) -> Response:
    """From its date on, by UTC, players see it. It cannot be changed any more, only withdrawn."""
    found = publishing.publish(service.db, service.settings, name, days_date(day), by)
    return _changed(service, found)


@router.post("/days/{day}/withdraw", summary="Take a published date back, for all to see")
def withdraw(service: Ledger, user: Editor, by: Conditional, name: str, day: str, body: Reason) -> Response:
    found = publishing.withdraw(service.db, name, days_date(day), by, body.reason)
    return _changed(service, found)
