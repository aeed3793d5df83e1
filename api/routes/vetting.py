"""/v1/vetting: runs, calendars, audit, keys. For editors; what they see here players never do."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Query
from pydantic import Field
from starlette.responses import Response

from api.access import require
from api.conditions import etag, revision_of
from api.dates import Dates
from api.state import Ledger, json_response
from evaluation.access.roles import Identity, Role
from evaluation.evaluators import Strict
from evaluation.ledger import views
from evaluation.spec import SpecError
from evaluation.vetting import audit, calendars, owndeals, refit, runs, signing
from evaluation.vetting.calendars import CalendarSpec
from evaluation.vetting.report import range_json
from evaluation.vetting.summary import summary_of, summary_of_run

router = APIRouter(prefix="/v1/vetting", tags=["vetting"])
Editor = Annotated[Identity, require(Role.EDITOR)]
Admin = Annotated[Identity, require(Role.ADMIN)]
Name = Annotated[str, Field(max_length=40)]


class RunRequest(Strict):
    """The body of POST /v1/vetting. deals: a site's own, judged instead of derived ones."""

    calendar: str = Field(max_length=40, examples=["daily-one-suit"])
    first: str = Field(alias="from", examples=["2026-12-01"], description="first date, UTC")
    days: int = Field(default=1, ge=1, examples=[30])
    deals: list[dict[str, Any]] | None = Field(
        default=None, description='{"date", "id"} or {"date", "deal": spidervet-deal/1} each'
    )
    again: bool = Field(default=False, description="also dates whose proposal nobody has approved")


@router.post("", status_code=202, summary="Vet deals for a range of dates")
def post_run(service: Ledger, user: Editor, body: RunRequest) -> Response:
    """Work begins by itself; follow the job's events, read the days at `/v1/vetting/runs/{id}`."""
    dates = runs.dates_from(owndeals.parse_date(body.first, "from"), body.days, service.settings)
    with service.db.read() as conn:
        game = calendars.load(conn, body.calendar).spec.game
        own = {} if body.deals is None else owndeals.read_deals(body.deals, game)
        outside = sorted(d for d in own if d not in dates)
        if outside:
            raise SpecError.at("deals", f"{outside[0]} is not within {dates[0]} to {dates[-1]}")
        plan = runs.plan_run(conn, service.settings, body.calendar, dates, own, user.name, again=body.again)
    job_id = runs.submit_run(service.db, service.settings, plan)
    job = views.get_job(service.db, job_id, service.settings).to_json()
    found = {**job, "calendar": plan.calendar, "dates": [d.isoformat() for d in plan.dates],
             "skipped": dict(plan.skipped)}  # fmt: skip
    return json_response(found, 202, {"Location": f"/v1/vetting/runs/{job_id}"})


@router.get("/runs/{job_id}", summary="What a run has found so far")
def get_run(service: Ledger, user: Editor, job_id: str) -> Response:
    """One object a date, as `spidervet vet --json` prints it, and totals over all of them."""
    with service.db.read() as conn:
        plan = runs.load_run(conn, job_id)
        total = summary_of_run(conn, plan).to_json()
        found = {d["date"]: d for d in range_json(conn, plan.calendar, _span(plan.dates))}
    job = views.get_job(service.db, job_id, service.settings).to_json()
    days = [found[d.isoformat()] for d in plan.dates]
    body = {**job, "calendar": plan.calendar, "skipped": dict(plan.skipped), "summary": total, "days": days}
    return json_response(body)


def _span(dates: tuple[date, ...]) -> list[date]:
    return [date.fromordinal(n) for n in range(dates[0].toordinal(), dates[-1].toordinal() + 1)]


@router.get("/calendars", summary="Every calendar")
def list_calendars(service: Ledger, user: Editor) -> Response:
    with service.db.read() as conn:
        return json_response({"calendars": [c.to_json() for c in calendars.load_all(conn)]})


@router.post("/calendars", status_code=201, summary="Make a calendar")
def post_calendar(service: Ledger, user: Editor, spec: CalendarSpec) -> Response:
    """It gets a master key of its own, which nobody is ever shown while it is in use."""
    made = calendars.create(service.db, service.settings, spec, user.name)
    headers = {"Location": f"/v1/vetting/calendars/{made.name}", **etag(made.revision)}
    return json_response(made.to_json(), 201, headers)


@router.get("/calendars/{name}", summary="A calendar")
def get_calendar(service: Ledger, user: Editor, name: str) -> Response:
    with service.db.read() as conn:
        found = calendars.load(conn, name)
    return json_response(found.to_json(), headers=etag(found.revision))


@router.put("/calendars/{name}", summary="Change a calendar")
def put_calendar(
    service: Ledger,
    user: Editor,
    name: str,
    spec: CalendarSpec,
    if_match: Annotated[str | None, Header(max_length=40)] = None,
) -> Response:
    """A new version; the old ones stay in its history. Dates that hold a deal keep it."""
    if spec.name != name:
        raise SpecError.at(
            "name", f"{spec.name!r} is not {name!r}: a calendar keeps its name, its keys hang on it"
        )
    changed = calendars.edit(service.db, service.settings, spec, revision_of(if_match), user.name)
    return json_response(changed.to_json(), headers=etag(changed.revision))


@router.get("/calendars/{name}/history", summary="Every version of a calendar")
def get_history(service: Ledger, user: Editor, name: str) -> Response:
    versions = calendars.history(service.db, name)
    return json_response({"versions": [{**v, "at": views.iso(v["at"])} for v in versions]})


@router.get("/calendars/{name}/summary", summary="Totals over a range of dates")
def get_summary(service: Ledger, user: Editor, name: str, dates: Dates) -> Response:
    """What was tried and why it was refused, processor time, labels by day of the week, par."""
    with service.db.read() as conn:
        return json_response(summary_of(conn, name, dates).to_json())


@router.post("/calendars/{name}/rotate-key", summary="Give a calendar a new master key")
def rotate(service: Ledger, user: Admin, name: str) -> Response:
    """For dates vetted from now on. Dates that hold a deal of the old key should be published first."""
    version = calendars.rotate_key(service.db, service.settings, name, user.name)
    return json_response({"calendar": name, "key_version": version})


@router.post("/calendars/{name}/refit", summary="Fit predicted win rates to what people won")
def post_refit(
    service: Ledger,
    user: Editor,
    name: str,
    dry: Annotated[bool, Body(embed=True, description="only tell, change nothing")] = False,
) -> Response:
    done = refit.refit(service.db, name, user.name, dry=dry)
    return json_response(
        {
            "games": done.games,
            "days": [vars(d) for d in done.days],
            "before": vars(done.before),
            "after": vars(done.after),
            "loss_before": round(done.loss_before, 5),
            "loss_after": round(done.loss_after, 5),
            "stored": not dry,
        }
    )


@router.get("/calendars/{name}/audit", summary="Who did what, newest first")
def get_audit(
    service: Ledger,
    user: Editor,
    name: str,
    day: Annotated[str | None, Query(max_length=10)] = None,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Keyset pages: send ``next`` back as ``before``."""
    wanted = None if day is None else owndeals.parse_date(day, "day")
    with service.db.read() as conn:
        calendars.load(conn, name)
    lines = audit.entries(service.db, name, wanted, before, limit)
    more = lines[-1].id if len(lines) == limit else None
    shown = [{**vars(line), "at": views.iso(line.at)} for line in lines]
    return json_response({"entries": shown, "next": more})


@router.post("/keys", status_code=201, summary="Make a new signing key")
def post_key(service: Ledger, user: Admin) -> Response:
    """From now on it signs; the old ones stay listed, since they verify what they signed."""
    from evaluation.db import now

    with service.db.write() as conn:
        at = now(conn)
        key = signing.new_key(conn, service.settings, at)
        audit.add(conn, at, user.name, audit.EVERY, "signing-key", key=key)
    return json_response({"key": key}, 201)
