"""The page that makes a job: choices explained, cost told before sending, nothing typed ever lost."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from api.access import require
from api.pages.form import JobForm, form_of
from api.pages.render import PageError, page, rendered
from api.state import Ledger, Service
from engine.deals import SCHEMES
from engine.guests import installed
from engine.players import Level
from engine.variants import NAMED, PRESETS, Scoring, Variant
from evaluation import costs
from evaluation.access.quota import QuotaError
from evaluation.access.roles import Identity, Role
from evaluation.db import now
from evaluation.ledger.control import NoSuchJobError
from evaluation.ledger.cut import live_slots
from evaluation.ledger.submit import KeyReusedError, submit
from evaluation.ledger.views import get_detail
from evaluation.spec import FieldFault, JobPlan, SpecError, parse_spec, plan_job
from evaluation.versions import engine_version

router = APIRouter(prefix="/jobs", include_in_schema=False)
Submitter = Annotated[Identity, require(Role.SUBMITTER)]

LEVELS = {
    Level.HINT: "follows the hint of common programs; a yardstick",
    Level.NOVICE: "a beginner",
    Level.CASUAL: "wins about as often as people on the web do",
    Level.CLUB: "a careful player, tens of milliseconds a game",
    Level.EXPERT: "looks wider, a tenth to two thirds of a second a game",
}
SCORINGS = {
    Scoring.WINDOWS: "500, less 1 a move, plus 100 a sequence",
    Scoring.WINDOWS_FLOOR: "the same, never below 0",
    Scoring.SOLITAIRE_PLUS: "a point a card put away or in suit order",
    Scoring.NONE: "no points",
}
PRESET_WORDS = {
    "tavern": "no whole column into a gap, 200 undos, score never below 0",
    "recorded": "deal over gaps when cards are short, 3,000 moves, no score",
}


@dataclass(frozen=True)
class Estimate:
    """What a job would cost. work_s: on one processor. workers: processes alive. measured: arms whose cost
    was measured before."""

    rows: int
    arms: int
    work_s: float
    workers: int
    measured: int

    @property
    def wall_s(self) -> float | None:
        return self.work_s / self.workers if self.workers else None


def estimate(service: Service, plan: JobPlan) -> Estimate:
    """Reckon a job's cost from measured costs of its arms, or guesses."""
    with service.db.read() as conn:
        known = costs.measured(conn)
        work_s = costs.estimate_s(conn, plan)
        workers = live_slots(conn, now(conn), service.settings)[engine_version()]
    measured = sum((a.variant.key, a.evaluator.label) in known for a in plan.arms)
    return Estimate(plan.units * len(plan.arms), len(plan.arms), work_s, workers, measured)


def checked(service: Service, form: JobForm) -> tuple[JobPlan | None, list[FieldFault]]:
    """The plan of a form, or all that is wrong with it: what is missing is filled in to look at the rest."""
    body, faults = form.body()
    told = {f.field for f in faults}
    for name, typed, wish, filled in (
        ("variants", "custom", "choose at least one game", ["spider-1"]),
        ("evaluators", "others", "choose at least one player, or the solver", [{"player": "hint"}]),
    ):
        if not body[name]:
            body[name] = filled
            if typed not in told:
                faults.append(FieldFault(name, wish))
    if not body["scoring"]:
        body["scoring"] = [Scoring.NONE.value]
    try:
        plan = plan_job(parse_spec(body), service.settings)
    except SpecError as error:
        return None, [*faults, *(f for f in error.faults if not _within(f.field, told))]
    return (None, faults) if faults else (plan, [])


def _within(field: str, told: set[str]) -> bool:
    """Whether a field, or one that it is part of, is told to be at fault already."""
    return any(field == known or field.startswith(f"{known}.") for known in told)


@router.get("/new")
def new_job(request: Request, service: Ledger, user: Submitter) -> HTMLResponse:
    """An empty form; with ``from`` that of another job."""
    source = request.query_params.get("from", "")
    if source:
        detail = get_detail(service.db, source, service.settings)
        if not user.may_see(detail.job.kind):
            raise NoSuchJobError(source)
        if detail.job.kind != "evaluation":
            raise PageError(409, "Not to be repeated here", "A vetting run is started from its calendar.")
        return _drawn(request, service, form_of(detail.spec, detail.job.name), repeats=detail.job.name)
    return _drawn(request, service, JobForm())


@router.post("/new")
async def send_job(request: Request, service: Ledger, user: Submitter) -> Response:
    """Send the job, or tell its cost and show the form again."""
    data = await request.form(max_part_size=service.settings.max_body_bytes)
    form = JobForm.of(data)
    return await run_in_threadpool(_sent, request, service, user, form, data.get("action") == "estimate")


def _sent(request: Request, service: Service, user: Identity, form: JobForm, only_estimate: bool) -> Response:
    plan, faults = checked(service, form)
    if plan is None:
        return _drawn(request, service, form, faults, status=422)
    if only_estimate:
        return _drawn(request, service, form, told=estimate(service, plan))
    try:
        made = submit(service.db, plan, service.settings, key=form.key or None, owner=user)
    except SpecError as error:
        return _drawn(request, service, form, list(error.faults), status=422)
    except QuotaError as error:
        return _drawn(request, service, form, [FieldFault("jobs", str(error))], status=429)
    except KeyReusedError:
        # The form was sent, gone back to and changed: it is another job now.
        made = submit(service.db, plan, service.settings, owner=user)
    return RedirectResponse(f"/jobs/{made.job_id}", 303)


@router.post("/estimate")
async def estimate_fragment(request: Request, service: Ledger, user: Submitter) -> Response:
    """The cost of a form as a piece of the page."""
    form = JobForm.of(await request.form(max_part_size=service.settings.max_body_bytes))
    return await run_in_threadpool(_told, request, service, form)


def _told(request: Request, service: Service, form: JobForm) -> HTMLResponse:
    plan, faults = checked(service, form)
    told = estimate(service, plan) if plan is not None else None
    return HTMLResponse(rendered(request, "_estimate.html", told=told, faults=faults))


def _drawn(
    request: Request,
    service: Service,
    form: JobForm,
    faults: list[FieldFault] | None = None,
    *,
    told: Estimate | None = None,
    status: int = 200,
    repeats: str = "",
) -> HTMLResponse:
    return page(
        request,
        "job_form.html",
        status,
        form=form,
        faults=faults or [],
        told=told,
        repeats=repeats,
        families=_families(),
        schemes=list(SCHEMES.values()),
        levels=[
            *((level.value, words) for level, words in LEVELS.items()),
            *((name, f"a guest: {point.value}") for name, point in installed().items()),
        ],
        scorings=[(s.value, words) for s, words in SCORINGS.items()],
        presets=[(name, PRESET_WORDS.get(name, "")) for name in PRESETS],
        settings=service.settings,
    )


def _families() -> list[tuple[str, list[Variant]]]:
    """Named variants by family, in the order of the rules."""
    return [
        (name, list(variants))
        for name, variants in groupby(NAMED.values(), key=lambda v: v.name.rstrip("124").rstrip("-"))
    ]
