"""Rows of a job by pages, and its reports."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response, StreamingResponse

from api.downloads import disposition, job_file
from api.owners import DealsJob
from api.problems import Problem
from api.state import Ledger, json_response
from engine.solver import Verdict
from evaluation.ledger.results import Filter, Place, page_rows
from evaluation.reports.document import Report, load_report
from evaluation.reports.files import WRITERS
from evaluation.spec import FieldFault

router = APIRouter(prefix="/v1/jobs", tags=["results"])

Outcome = Literal[
    "won", "stuck", "dead", "no-progress", "move-limit", "solved", "unsolvable", "unknown", "failed"
]
"""A player's ending, a solver's verdict, or neither: the column `outcome` holds nothing else."""

Kind = Literal["json", "csv", "ndjson", "parquet", "xlsx", "html"]
MEDIA_TYPES: dict[str, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html; charset=utf-8",
}
SHOWN = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}
"""The page is looked at rather than saved. It loads nothing; its one style sheet is inside it."""


@router.get("/{job_id}/results", summary="Rows by pages")
def get_results(
    service: Ledger,
    job_id: DealsJob,
    arm: Annotated[int | None, Query(ge=0)] = None,
    outcome: Annotated[list[Outcome] | None, Query(max_length=20)] = None,
    verdict: Annotated[list[Verdict] | None, Query(max_length=20)] = None,
    cursor: Annotated[str | None, Query(max_length=80)] = None,
    limit: Annotated[int, Query(ge=1)] = 100,
) -> Response:
    """Keyset pages by arm and deal: send ``next`` back as ``cursor``; rows that arrive do not shift pages."""
    if limit > service.settings.max_page_rows:
        raise _bad("limit", f"{limit}; at most {service.settings.max_page_rows}")
    try:
        after = Place.parse(cursor) if cursor else None
    except ValueError as error:
        raise _bad("cursor", str(error)) from error
    report = load_report(service.db, job_id, service.settings)
    arms = [a.id for a in report.detail.arms if arm is None or a.summary.number == arm]
    if not arms:
        raise _bad("arm", f"the job has arms 0 to {len(report.detail.arms) - 1}")
    rows = page_rows(service.db, arms, after, limit, Filter(tuple(outcome or ()), tuple(verdict or ())))
    last = Place(rows[-1].arm_id, rows[-1].row.ordinal).text() if len(rows) == limit else None
    shown = [dict(zip(report.columns, report.cells(r), strict=True)) for r in rows]
    return json_response({"results": shown, "next": last, "partial": report.partial})


def _bad(field: str, message: str) -> Problem:
    return Problem(422, f"{field}: {message}", "/problems/invalid", [FieldFault(field, message)])


@router.get("/{job_id}/report.{kind}", summary="The report, also while partial")
def get_report(service: Ledger, job_id: DealsJob, kind: Kind) -> Response:
    """Streamed, so that a report of any length takes little memory; docs/reports.md has the columns."""
    report = load_report(service.db, job_id, service.settings)
    headers = _download(report, kind)
    if kind == "html":
        headers |= SHOWN
    return StreamingResponse(WRITERS[kind](report), 200, headers, MEDIA_TYPES[kind])


def _download(report: Report, kind: str) -> dict[str, str]:
    job = report.detail.job
    name = job_file(job.name, job.id, kind, report.partial)
    return {
        # of a job that has ended: what a reader of the file must find
        **({"Spidervet-Rows": str(job.counts.done + job.counts.failed)} if job.state.final else {}),
        **disposition(name, inline=kind == "html"),
        "Spidervet-Partial": "true" if report.partial else "false",
        "Cache-Control": "no-store",
    }
