"""The list of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from api.access import require
from api.pages.render import PageError, page
from api.state import Ledger
from evaluation.access.roles import Identity, Role
from evaluation.ledger.views import JobView, list_jobs
from evaluation.schema import JobState

router = APIRouter(include_in_schema=False)
PAGE = 30

FILTERS: dict[str, tuple[str, list[JobState] | None]] = {
    "all": ("All", None),
    "open": ("Under way", [JobState.QUEUED, JobState.RUNNING, JobState.CANCELLING]),
    "completed": ("Completed", [JobState.COMPLETED]),
    "errors": ("With errors", [JobState.COMPLETED_WITH_ERRORS, JobState.FAILED]),
    "cancelled": ("Cancelled", [JobState.CANCELLED]),
}


@dataclass(frozen=True)
class Listed:
    """A job in the list. share: of what there was to do. per_s: rows a second over its running time so far,
    None before it runs. stopped: some of its arms had their answer before all of their deals."""

    job: JobView
    share: float
    per_s: float | None
    stopped: bool


def listed(job: JobView) -> Listed:
    """Progress and speed of a job."""
    end = job.finished_at or job.read_at
    ran = end - job.running_at if job.running_at is not None else 0.0
    per_s = job.counts.done / ran if ran > 0.2 and job.counts.done else None
    return Listed(job, job.progress, per_s, job.stopped_early)


@router.get("/")
def jobs_page(
    request: Request,
    service: Ledger,
    user: Annotated[Identity, require(Role.VIEWER)],
    state: str = "all",
    before: str = "",
    named: str = "",
) -> HTMLResponse:
    """Jobs, newest first, by pages."""
    if state not in FILTERS:
        raise PageError(404, "No such list", f"Jobs are listed as {', '.join(FILTERS)}.")
    place = _place(before) if before else None
    states, text = FILTERS[state][1], named.strip()[:200]
    jobs = list_jobs(service.db, service.settings, PAGE + 1, place, states, user, text)
    more = f"{jobs[PAGE - 1].created_at!r}~{jobs[PAGE - 1].id}" if len(jobs) > PAGE else ""
    return page(
        request,
        "jobs.html",
        jobs=[listed(j) for j in jobs[:PAGE]],
        filters=FILTERS,
        state=state,
        before=before,
        named=text,
        more=more,
        open_jobs=any(not j.state.final for j in jobs[:PAGE]),
    )


@router.get("/jobs")
def jobs_address(request: Request) -> RedirectResponse:
    """Whoever cuts off a job's address finds the list, which is the first page."""
    return RedirectResponse("/" + (f"?{request.url.query}" if request.url.query else ""), 307)


def _place(text: str) -> tuple[float, str]:
    at, _, job_id = text.partition("~")
    try:
        return float(at), job_id[:60]
    except ValueError:
        raise PageError(400, "No such place", f"{text[:60]!r} is not a place in this list.") from None
