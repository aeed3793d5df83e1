"""The editors' pages: calendars, a month or a week of one, a day with its candidates and its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from api.access import require
from api.pages.links import pack_line
from api.pages.playback import playback
from api.pages.render import PageError, page
from api.pages.view import Line, View
from api.state import Ledger, Service
from engine.moves import action_of
from engine.variants import NAMED
from evaluation.access.roles import Identity, Role
from evaluation.ledger.views import get_job
from evaluation.plain import first_fault
from evaluation.spec import FieldFault, SpecError
from evaluation.vetting import audit, calendars, days, owndeals, publishing, records, replays, runs
from evaluation.vetting.calendars import WEEKDAYS, Calendar, CalendarSpec
from evaluation.vetting.clock import today
from evaluation.vetting.days import Day, Editor
from evaluation.vetting.errors import VettingError
from evaluation.vetting.records import Place, Stored
from evaluation.vetting.report import range_json
from evaluation.vetting.scale import Difficulty
from evaluation.vetting.scalefile import NoScaleError
from evaluation.vetting.scales import scale_for

router = APIRouter(prefix="/vetting", include_in_schema=False)
User = Annotated[Identity, require(Role.EDITOR)]
SWAP_DAYS = 31
"""How far a day may be from one that its page offers to swap it with."""
LABELS = [*(d.value for d in Difficulty), "any"]


@router.get("")
def list_page(request: Request, service: Ledger, user: User) -> HTMLResponse:
    """Every calendar, with the days that nobody can play; below, a form for a new one."""
    return _list(request, service)


@dataclass(frozen=True)
class Fault:
    """Why a form was not taken. faults: by field, where fields are at fault. form: what was sent."""

    text: str
    status: int
    faults: tuple[FieldFault, ...] = ()
    form: FormData = field(default_factory=FormData)

    @classmethod
    def of(cls, error: Exception, form: FormData) -> Fault:
        """An error in words; 422 for what was typed, 409 for what the ledger has."""
        if isinstance(error, ValidationError):
            return cls(first_fault(error, "calendar"), 422, (), form)
        faults = tuple(error.faults) if isinstance(error, SpecError) else ()
        status = 422 if isinstance(error, ValueError | NoScaleError) else 409
        return cls(str(error), status, faults, form)


NO_FAULT = Fault("", 200)


def _list(request: Request, service: Service, fault: Fault = NO_FAULT) -> HTMLResponse:
    with service.db.read() as conn:
        found = calendars.load_all(conn)
    missing = days.unpublished(service.db, service.settings.vetting_days)
    return page(
        request,
        "vetting.html",
        fault.status,
        calendars=found,
        missing=missing,
        fault=fault.text,
        form=fault.form,
        labels=LABELS,
        weekdays=WEEKDAYS,
        variants=list(NAMED),
    )


@router.post("")
async def make_calendar(request: Request, service: Ledger, user: User) -> Response:
    """Make a calendar of the form."""
    form = await request.form()
    return await run_in_threadpool(_made, request, service, user, form)


def _made(request: Request, service: Service, user: Identity, form: FormData) -> Response:
    try:
        spec = spec_of_form(form)
        calendars.create(service.db, service.settings, spec, user.name)
    except (VettingError, ValueError) as error:
        return _list(request, service, Fault.of(error, form))
    return RedirectResponse(f"/vetting/{spec.name}", 303)


def spec_of_form(form: FormData) -> CalendarSpec:
    """A calendar from form fields. Raises ValidationError, SpecError for numbers that are none."""
    text = {key: str(form.get(key, "")).strip() for key in form}
    names = {"name": text.get("name", ""), "variant": text.get("variant", "")}
    return CalendarSpec.model_validate(names | _asked(text))


def _asked(text: dict[str, str]) -> dict[str, Any]:
    """What a calendar asks of its deals, as its form says it."""
    bounds: dict[str, Any] = {"borderline": "borderline" in text}
    for name, kind in (("par", int), ("win_rate", float), ("solver_nodes", int)):
        low, high = text.get(f"{name}_from", ""), text.get(f"{name}_to", "")
        if low or high:
            unit = 100 if name == "win_rate" else 1
            ends = [_number(kind, end, f"bounds.{name}") for end in (low or "0", high or "1000000000")]
            bounds[name] = [round(end / unit, 6) for end in ends]
            if kind is int:
                bounds[name] = [int(x) for x in bounds[name]]
            elif not high:
                bounds[name][1] = 1.0
    variety = {
        k: int(_number(int, text[f"variety_{k}"], f"bounds.variety.{k}"))
        for k in ("days", "cards")
        if text.get(f"variety_{k}")
    }
    return {
        "title": text.get("title", ""),
        "difficulty": {day: text.get(f"difficulty_{day}", "medium") for day in WEEKDAYS},
        "bounds": bounds | ({"variety": variety} if variety else {}),
    }


def form_of_spec(spec: CalendarSpec) -> dict[str, str]:
    """The fields of a calendar's form; empty text for what is not asked for."""
    asked = spec.difficulty
    fields = {
        f"difficulty_{d}": asked if isinstance(asked, str) else asked.get(d, "medium")  # type: ignore[call-overload]
        for d in WEEKDAYS
    }
    for name, unit in (("par", 1), ("win_rate", 100), ("solver_nodes", 1)):
        for end, value in zip(("from", "to"), getattr(spec.bounds, name) or (), strict=False):
            fields[f"{name}_{end}"] = f"{unit * value:.12g}"
    variety, effort = spec.bounds.variety, spec.effort
    numbers = {"variety_days": variety.days, "variety_cards": variety.cards,
               "candidates": effort.candidates, "games": effort.games}  # fmt: skip
    ticked = {"borderline": spec.bounds.borderline, "active": spec.active}
    return {
        "title": spec.title,
        **fields,
        **{name: str(value) for name, value in numbers.items()},
        **{name: "1" if value else "" for name, value in ticked.items()},
    }


def _number(kind: type[int] | type[float], text: str, at: str) -> float:
    """A number that stands in the field ``at``. Raises SpecError."""
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise SpecError.at(at, f"{text[:40]!r} is not {wanted}" if text else f"{wanted} is missing") from None


@dataclass(frozen=True)
class Span:
    """The dates that a view shows, and its neighbours. kind: month or week."""

    kind: str
    dates: tuple[date, ...]
    title: str
    before: str
    after: str


def span_of(request: Request, today_: date) -> Span:
    """Month (``?month=2026-12``) or week (``?week=2026-12-01``); default: this month. Raises PageError."""
    week, month = request.query_params.get("week"), request.query_params.get("month")
    try:
        if week is not None:
            day = date.fromisoformat(week)
            return _week(day - timedelta(days=day.weekday()))
        first = date.fromisoformat(f"{month}-01") if month else today_.replace(day=1)
        return _month(first)
    except (ValueError, OverflowError):
        raise PageError(400, "No such time", f"{(week or month or '')[:40]!r} is no week or month.") from None


def _week(first: date) -> Span:
    return Span(
        "week",
        tuple(first + timedelta(days=i) for i in range(7)),
        f"Week of {first.isoformat()}",
        f"week={first - timedelta(days=7)}",
        f"week={first + timedelta(days=7)}",
    )


def _month(first: date) -> Span:
    following = (first + timedelta(days=32)).replace(day=1)
    before = (first - timedelta(days=1)).replace(day=1)
    count = (following - first).days
    return Span(
        "month",
        tuple(first + timedelta(days=i) for i in range(count)),
        first.strftime("%B %Y"),
        f"month={before:%Y-%m}",
        f"month={following:%Y-%m}",
    )


@router.get("/{name}")
def calendar_page(request: Request, service: Ledger, user: User, name: str) -> HTMLResponse:
    """A month or a week, gaps flagged."""
    return _calendar(request, service, name)


def _calendar(request: Request, service: Service, name: str, fault: Fault = NO_FAULT) -> HTMLResponse:
    with service.db.read() as conn:
        found = _load(conn, name)
        now_day = today(conn)
        span = span_of(request, now_day)
        shown = range_json(conn, name, list(span.dates), tried=False)
        try:
            remarks = list(scale_for(conn, found.spec.game).remarks)
        except NoScaleError as error:
            remarks = [str(error)]
    return page(
        request,
        "calendar.html",
        fault.status,
        calendar=found,
        span=span,
        days=[(d, date.fromisoformat(d["date"])) for d in shown],
        gaps=[d for d in shown if d["gap"] and d["date"] >= now_day.isoformat()],
        today=now_day,
        tomorrow=now_day + timedelta(days=1),
        remarks=remarks,
        fault=fault.text,
        faults=fault.faults,
        most_days=service.settings.vetting_max_days,
        form=fault.form,
        weekdays=WEEKDAYS,
        lines=audit.entries(service.db, name, limit=8),
    )


def _load(conn: Any, name: str) -> Calendar:
    try:
        return calendars.load(conn, name)
    except VettingError as error:
        raise PageError(404, "No such calendar", str(error)) from error


@router.get("/{name}/edit")
def edit_page(request: Request, service: Ledger, user: User, name: str) -> HTMLResponse:
    """What a calendar asks for, to be changed, and the versions it had."""
    return _edit(request, service, name)


def _edit(request: Request, service: Service, name: str, fault: Fault = NO_FAULT) -> HTMLResponse:
    with service.db.read() as conn:
        found = _load(conn, name)
    return page(
        request,
        "calendar_edit.html",
        fault.status,
        calendar=found,
        versions=calendars.history(service.db, name),
        form=fault.form or {"revision": str(found.revision), **form_of_spec(found.spec)},
        fault=fault.text,
        labels=LABELS,
        weekdays=WEEKDAYS,
    )


@router.post("/{name}/edit")
async def edit_calendar(request: Request, service: Ledger, user: User, name: str) -> Response:
    """Save a calendar's form, at the revision that it was made for."""
    form = await request.form()
    return await run_in_threadpool(_edited, request, service, user, name, form)


def _edited(request: Request, service: Service, user: Identity, name: str, form: FormData) -> Response:
    with service.db.read() as conn:
        old = _load(conn, name).spec
    text = {key: str(form.get(key, "")).strip() for key in form}
    try:
        effort = {
            k: int(_number(int, text[k], f"effort.{k}")) for k in ("candidates", "games") if text.get(k)
        }
        changed = _asked(text) | {
            "effort": old.effort.model_dump() | effort,
            "active": "active" in text,
        }
        spec = CalendarSpec.model_validate(old.model_dump() | changed)
        calendars.edit(
            service.db,
            service.settings,
            spec,
            int(_number(int, text.get("revision", ""), "revision")),
            user.name,
        )
    except (VettingError, ValueError) as error:
        return _edit(request, service, name, Fault.of(error, form))
    return RedirectResponse(f"/vetting/{name}", 303)


@router.post("/{name}")
async def start_run(request: Request, service: Ledger, user: User, name: str) -> Response:
    """Vet a range of dates."""
    form = await request.form()
    return await run_in_threadpool(_started, request, service, user, name, form)


def _started(request: Request, service: Service, user: Identity, name: str, form: FormData) -> Response:
    try:
        first = owndeals.parse_date(str(form.get("from", "")), "from")
        count = int(_number(int, str(form.get("days", "7")), "days"))
        with service.db.read() as conn:
            dates = runs.dates_from(first, count, service.settings)
            plan = runs.plan_run(
                conn, service.settings, name, dates, {}, user.name, again=bool(form.get("again"))
            )
    except (SpecError, VettingError, NoScaleError, ValueError) as error:
        return _calendar(request, service, name, Fault.of(error, form))
    job = runs.submit_run(service.db, service.settings, plan)
    return RedirectResponse(f"/jobs/{job}", 303)


@router.get("/{name}/{day}")
def day_page(request: Request, service: Ledger, user: User, name: str, day: str) -> HTMLResponse:
    """A date: what it holds, what was tried, what may be done."""
    return _day(request, service, name, day)


def _date(text: str) -> date:
    try:
        return owndeals.parse_date(text, "date")
    except SpecError as error:
        raise PageError(404, "No such day", str(error)) from error


def _day(request: Request, service: Service, name: str, text: str, fault: Fault = NO_FAULT) -> HTMLResponse:
    day = _date(text)
    with service.db.read() as conn:
        found = _load(conn, name)
        now_day = today(conn)
        data = range_json(conn, name, [day])[0]
        stored = days.get(conn, name, day)
        held = records.load(conn, stored.place) if stored.place is not None else None
        tried = records.of_day(conn, name, day)
        kept = publishing.editions(conn, name, day)
        table = replays.results(conn, kept[-1]) if kept else None
        others = _to_swap(conn, name, day)
    running = None
    if data["job"] and data["state"] == "open":
        view = get_job(service.db, data["job"], service.settings)
        running = None if view.state.final else view
    return page(
        request,
        "vetting_day.html",
        fault.status,
        calendar=found,
        day=day,
        data=data,
        held=held,
        viewer=viewer_link(held) if held else "",
        start=playback(held.candidate.deal, ()) if held else None,
        tried=[(s, viewer_link(s)) for s in tried],
        editions=kept,
        table=table,
        others=others,
        running=running,
        fault=fault.text,
        today=now_day,
        before=day - timedelta(days=1),
        after=day + timedelta(days=1),
        lines=audit.entries(service.db, name, day, limit=20),
    )


def _to_swap(conn: Connection, name: str, day: date) -> list[Day]:
    """The days around a date that it may be swapped with."""
    near = days.between(conn, name, day - timedelta(days=SWAP_DAYS), day + timedelta(days=SWAP_DAYS))
    return [d for at, d in sorted(near.items()) if at != day and d.state in days.SWAPPABLE]


def viewer_link(stored: Stored) -> str:
    """The deal viewer's address of a candidate, its solution beside it where there is one."""
    candidate = stored.candidate
    lines: tuple[Line, ...] = ()
    if candidate.line:
        entries = [action_of(code) for code in candidate.line]
        lines = (Line(pack_line(entries, candidate.deal.variant), "solver"),)
    return View.of_deal(candidate.deal, lines).url()


Step = Callable[[Service, str, date, Editor, FormData], object]


def _choose(service: Service, name: str, day: date, editor: Editor, form: FormData) -> object:
    source = "own" if form.get("source") == "own" else "derived"
    number = int(_number(int, str(form.get("number", "")), "number"))
    place = Place(name, day, source, number)
    return days.choose(service.db, name, day, editor, place, str(form.get("note", "")))


def _swap(service: Service, name: str, day: date, editor: Editor, form: FormData) -> object:
    """``other`` is the other day and the revision of it that the form showed: ``2026-12-08 3``."""
    text, _, revision = str(form.get("other", "")).partition(" ")
    other = owndeals.parse_date(text, "other")
    seen = Editor(editor.name, int(_number(int, revision, "other")))
    return days.swap(service.db, name, day, other, (editor, seen))


STEPS: dict[str, Step] = {
    "approve": lambda s, n, d, e, f: days.approve(s.db, n, d, e, str(f.get("note", ""))),
    "reject": lambda s, n, d, e, f: days.reject(s.db, n, d, e, str(f.get("note", ""))),
    "next": lambda s, n, d, e, f: days.next_candidate(s.db, s.settings, n, d, e, str(f.get("note", ""))),
    "publish": lambda s, n, d, e, f: publishing.publish(s.db, s.settings, n, d, e),
    "withdraw": lambda s, n, d, e, f: publishing.withdraw(s.db, n, d, e, str(f.get("note", ""))),
    "choose": _choose,
    "swap": _swap,
}


@router.post("/{name}/{day}/{step}")
async def take_step(
    request: Request, service: Ledger, user: User, name: str, day: str, step: str
) -> Response:
    """One step of a date, at the revision that the form was made for."""
    form = await request.form()
    return await run_in_threadpool(_taken, request, service, user, name, day, step, form)


def _taken(
    request: Request, service: Service, user: Identity, name: str, text: str, step: str, form: FormData
) -> Response:
    if step not in STEPS:
        raise PageError(404, "No such step", f"A day is {', '.join(STEPS)}.")
    day = _date(text)
    try:
        editor = Editor(user.name, int(_number(int, str(form.get("revision", "")), "revision")))
        STEPS[step](service, name, day, editor, form)
    except (VettingError, SpecError, NoScaleError, ValueError) as error:
        return _day(request, service, name, text, Fault.of(error, form))
    return RedirectResponse(f"/vetting/{name}/{day}", 303)
