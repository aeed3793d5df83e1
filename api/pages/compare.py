"""Two arms on the same deals, of one job or of two."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from api.access import require
from api.chosen import MOST_JOBS, arms_of, ids_of, meeting
from api.pages.queries import whole
from api.pages.render import PageError, page
from api.state import Ledger
from evaluation.access.roles import Identity, Role
from evaluation.ledger.control import NoSuchJobError
from evaluation.ledger.pairing import differing, paired
from evaluation.ledger.views import get_detail, list_jobs
from evaluation.reports.figures import pair_table

router = APIRouter(include_in_schema=False)
SHOWN = 200


@router.get("/compare")
def compare_page(
    request: Request,
    service: Ledger,
    user: Annotated[Identity, require(Role.VIEWER)],
    jobs: str = "",
    a: str = "",
    b: str = "",
) -> HTMLResponse:
    """``jobs``: ids with commas between; ``a`` and ``b``: places in the list of their arms, by themselves the
    first two that saw the same cards."""
    ids = ids_of(jobs)
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
            raise PageError(404, "No such job", f"There is no job {job_id[:60]!r}.") from None
    choices = arms_of(details)
    at_a, at_b = _chosen(a, b) or next(iter(meeting(choices)), (0, 1))
    context: dict[str, Any] = {"table": None, "deals": [], "first": None, "second": None}
    if len(choices) > 1:
        if max(at_a, at_b) >= len(choices) or at_a == at_b:
            raise PageError(400, "No such pair", f"Two different arms of 0 to {len(choices) - 1}, please.")
        first, second = choices[at_a], choices[at_b]
        if first.deals == second.deals:
            counted = paired(service.db, first.side, second.side)
            context = {
                "table": pair_table([(first.arm.summary, second.arm.summary, counted)]),
                "deals": differing(service.db, first.side, second.side, SHOWN),
                "first": first,
                "second": second,
            }
    recent = [j for j in list_jobs(service.db, service.settings, 30, user=user) if j.kind == "evaluation"]
    return page(
        request, "compare.html", recent=recent, chosen=[d.job.id for d in details], choices=choices,
        a=at_a, b=at_b, shown=SHOWN, same=len(details) == 1, **context,
    )  # fmt: skip


def _chosen(a: str, b: str) -> tuple[int, int] | None:
    """The two places of an address; None where it does not name both. Raises PageError."""
    title = "No such pair"
    return (whole(a, "a", title), whole(b, "b", title)) if a and b else None
