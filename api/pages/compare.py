"""Two arms on the same deals, of one job or of two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from api.access import require
from api.pages.render import PageError, page
from api.state import Ledger
from evaluation.access.roles import Identity, Role
from evaluation.ledger.control import NoSuchJobError
from evaluation.ledger.pairing import Side, differing, paired
from evaluation.ledger.views import ArmView, JobDetail, get_detail, list_jobs
from evaluation.reports.figures import pair_table

router = APIRouter(include_in_schema=False)
MOST_JOBS = 4
SHOWN = 200


@dataclass(frozen=True)
class Choice:
    """An arm that may be compared. at: its place in the list of all arms of the chosen jobs."""

    at: int
    detail: JobDetail
    arm: ArmView

    @property
    def label(self) -> str:
        return f"{self.detail.job.name}: {self.arm.summary.variant}, {self.arm.summary.evaluator.label}"

    @property
    def side(self) -> Side:
        return Side(self.arm.id, self.detail.job.id, self.detail.spec.repeats)


@router.get("/compare")
def compare_page(
    request: Request,
    service: Ledger,
    user: Annotated[Identity, require(Role.VIEWER)],
    jobs: str = "",
    a: int = 0,
    b: int = 1,
) -> HTMLResponse:
    """``jobs``: ids with commas between; ``a`` and ``b``: places in the list of their arms."""
    ids = [text.strip() for text in jobs.split(",") if text.strip()]
    if len(ids) > MOST_JOBS:
        raise PageError(400, "Too many jobs", f"At most {MOST_JOBS} jobs are compared at once.")
    details = []
    for job_id in dict.fromkeys([*ids, *request.query_params.getlist("job")]):
        try:
            detail = get_detail(service.db, job_id, service.settings)
            if not user.may_see(detail.job.kind):
                raise NoSuchJobError(job_id)
            details.append(detail)
        except NoSuchJobError:
            raise PageError(404, "No such job", f"There is no job {job_id[:60]}.") from None
    pairs = [(detail, arm) for detail in details for arm in detail.arms]
    choices = [Choice(i, detail, arm) for i, (detail, arm) in enumerate(pairs)]
    context: dict[str, Any] = {"table": None, "deals": [], "first": None, "second": None}
    if len(choices) > 1:
        if not (0 <= a < len(choices) and 0 <= b < len(choices)) or a == b:
            raise PageError(400, "No such pair", f"Two different arms of 0 to {len(choices) - 1}, please.")
        first, second = choices[a], choices[b]
        counted = paired(service.db, first.side, second.side)
        context = {
            "table": pair_table([(first.arm.summary, second.arm.summary, counted)]),
            "deals": differing(service.db, first.side, second.side, SHOWN),
            "first": first,
            "second": second,
        }
    recent = list_jobs(service.db, service.settings, 30, user=user)
    return page(
        request, "compare.html", recent=recent, chosen=[d.job.id for d in details], choices=choices, a=a, b=b,
        shown=SHOWN, same=len(details) == 1, **context,
    )  # fmt: skip
