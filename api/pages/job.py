"""A job's page: live while it runs, and what one may do to it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Any

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from api.access import identity_of
from api.owners import OwnJob, SeenJob
from api.pages.jobs import listed
from api.pages.render import PageError, page, rendered
from api.state import Ledger, Service
from evaluation.charts.rates import rate_chart
from evaluation.ledger import control, watching
from evaluation.ledger.pairing import Side, paired, pairs_of
from evaluation.ledger.replan import replan
from evaluation.ledger.views import JobDetail, get_detail
from evaluation.paired import Pairs
from evaluation.reports.figures import SHARE_SCALE, PairTable, arm_figure, pair_table
from evaluation.reports.files import WRITERS
from evaluation.versions import engine_version
from evaluation.vetting import runs
from evaluation.vetting.summary import Summary, summary_of_run

router = APIRouter(prefix="/jobs", include_in_schema=False)
MANY_ROWS = 400_000
"""A running job with more rows than this is not compared in pairs until it has ended or someone asks."""
PAIRS_LAST_S = 5.0


@router.get("/{job_id}")
def job_page(request: Request, service: Ledger, job_id: SeenJob, part: str = "") -> Response:
    """The job, or with ``part=live`` only what changes while it runs."""
    context = _context(service, job_id)
    context["may_change"] = identity_of(request).may_change(context["job"].owner)
    if part == "live":
        html = rendered(request, "_job_live.html", **context)
        return HTMLResponse(html, headers={"Cache-Control": "no-store"})
    return page(request, "job.html", **context)


def _context(service: Service, job_id: str) -> dict[str, Any]:
    detail = get_detail(service.db, job_id, service.settings)
    speed = watching.speed(service.db, job_id)
    figures = [arm_figure(a.summary) for a in detail.arms]
    label = "rows stored a second over time"
    log = watching.last_events(service.db, job_id)
    return {
        "detail": detail,
        "job": detail.job,
        "row": listed(detail.job),
        "figures": figures,
        "share_scale": SHARE_SCALE,
        "speed": rate_chart(speed.rates, speed.slice_s, label),
        "at_work": [] if detail.job.state.final else watching.at_work(service.db, job_id),
        "failures": watching.failures(service.db, job_id) if detail.job.counts.failed else [],
        "log": [(line.at, line.kind, orjson.loads(line.data)) for line in log],
        "pairs": _pairs(service, detail),
        "kinds": list(WRITERS),
        "this_engine": engine_version(),
        "vetted": _vetted(service, detail),
    }


def _vetted(service: Service, detail: JobDetail) -> Summary | None:
    """Totals of a vetting run; None for any other job."""
    if detail.job.kind != runs.KIND:
        return None
    with service.db.read() as conn:
        return summary_of_run(conn, runs.load_run(conn, detail.job.id))


class _PairsKept:
    """Counts of pairs, kept for a few seconds so that many open tabs ask the ledger once."""

    def __init__(self, most: int = 64) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._kept: OrderedDict[tuple[str, int], tuple[float, list[Pairs]]] = OrderedDict()

    def get(self, key: tuple[str, int], final: bool) -> list[Pairs] | None:
        with self._lock:
            for (job_id, revision), (at, pairs) in self._kept.items():
                if job_id != key[0]:
                    continue
                if revision == key[1] or (not final and time.monotonic() - at < PAIRS_LAST_S):
                    return pairs
        return None

    def put(self, key: tuple[str, int], pairs: list[Pairs]) -> None:
        with self._lock:
            for old in [k for k in self._kept if k[0] == key[0]]:
                del self._kept[old]
            self._kept[key] = (time.monotonic(), pairs)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


_kept = _PairsKept()


def _pairs(service: Service, detail: JobDetail) -> PairTable | None:
    """Paired differences of the job's arms; None where there is nothing to pair or too much just now."""
    job, arms = detail.job, detail.arms
    wanted = pairs_of(arms)
    if not wanted or not job.counts.done or (not job.state.final and job.counts.done > MANY_ROWS):
        return None
    key = (job.id, job.revision)
    counted = _kept.get(key, job.state.final)
    if counted is None:
        sides = [Side(a.id, job.id, detail.spec.repeats) for a in arms]
        counted = [paired(service.db, sides[i], sides[k]) for i, k in wanted]
        _kept.put(key, counted)
    return pair_table(
        [(arms[i].summary, arms[k].summary, p) for (i, k), p in zip(wanted, counted, strict=True)]
    )


@router.post("/{job_id}/cancel")
def cancel(service: Ledger, job_id: OwnJob) -> Response:
    """Stop the job; what is done stays."""
    control.cancel(service.db, job_id)
    return RedirectResponse(f"/jobs/{job_id}", 303)


@router.post("/{job_id}/retry")
def retry(service: Ledger, job_id: OwnJob) -> Response:
    """Try failed deals again."""
    try:
        control.retry(service.db, job_id)
    except control.WrongStateError as error:
        raise PageError(409, "This cannot be done now", str(error)) from error
    return RedirectResponse(f"/jobs/{job_id}", 303)


@router.post("/{job_id}/replan")
def plan_anew(service: Ledger, job_id: OwnJob) -> Response:
    """Evaluate a job of another version by this one, from its first deal."""
    try:
        replan(service.db, job_id)
    except control.WrongStateError as error:
        raise PageError(409, "This cannot be done now", str(error)) from error
    return RedirectResponse(f"/jobs/{job_id}", 303)


@router.post("/{job_id}/delete")
def delete(service: Ledger, job_id: OwnJob) -> Response:
    """Remove a finished job with its rows."""
    try:
        control.delete_job(service.db, job_id)
    except control.WrongStateError as error:
        raise PageError(409, "This cannot be done now", str(error)) from error
    return RedirectResponse("/", 303)
