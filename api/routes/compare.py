"""/v1/compare: arms on the same deals, of one job or of several."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from api.access import require
from api.chosen import MOST_JOBS, Chosen, arms_of, ids_of, meeting
from api.owners import refuse_unseen
from api.problems import Problem
from api.state import Ledger, Service, json_response
from evaluation.access.roles import Identity, Role
from evaluation.ledger.pairing import differing, paired
from evaluation.ledger.views import get_detail
from evaluation.spec import FieldFault

router = APIRouter(prefix="/v1", tags=["results"])
MOST_PAIRS = 28


@router.get("/compare", summary="Paired comparison on shared deals")
def get_comparison(
    request: Request,
    service: Ledger,
    user: Annotated[Identity, require(Role.VIEWER)],
    jobs: Annotated[str, Query(min_length=1, max_length=200, description="ids, with commas between")],
    a: Annotated[int | None, Query(ge=0, description="place of an arm in the list of all arms")] = None,
    b: Annotated[int | None, Query(ge=0)] = None,
    limit: Annotated[int, Query(ge=0, le=1000, description="deals that differ to list")] = 100,
) -> Response:
    """Differences with intervals (Newcombe 1998), exact McNemar; with ``a`` and ``b`` the deals that differ.

    Without them, every pair of arms that saw the same deals, the first 28.
    """
    choices = _chosen(request, service, jobs)
    wanted = [(a, b)] if a is not None and b is not None else meeting(choices)[:MOST_PAIRS]
    found = []
    for i, k in wanted:
        _check(choices, i, k)
        counted = paired(service.db, choices[i].side, choices[k].side).to_json()
        found.append({"a": i, "b": k, **counted})
    if a is not None and b is not None:
        differ = differing(service.db, choices[a].side, choices[b].side, limit)
        found[0]["deals"] = [
            {"seed": d.seed, "outcome_a": d.outcome_a, "outcome_b": d.outcome_b} for d in differ
        ]
    return json_response({"arms": [c.to_json() for c in choices], "pairs": found})


def _chosen(request: Request, service: Service, jobs: str) -> list[Chosen]:
    ids = ids_of(jobs)
    if not 1 <= len(ids) <= MOST_JOBS:
        raise _bad("jobs", f"{len(ids)} jobs; 1 to {MOST_JOBS} are compared at once")
    details = []
    for job_id in ids:
        refuse_unseen(request, service, job_id)
        details.append(get_detail(service.db, job_id, service.settings))
    return arms_of(details)


def _check(choices: list[Chosen], a: int, b: int) -> None:
    for name, at in (("a", a), ("b", b)):
        if at >= len(choices):
            raise _bad(name, f"there are arms 0 to {len(choices) - 1}")
    if a == b:
        raise _bad("b", "the same arm as a")
    if choices[a].deals != choices[b].deals:
        raise _bad("b", "its deals come from another scheme or another number of decks: nothing is shared")


def _bad(field: str, message: str) -> Problem:
    return Problem(422, f"{field}: {message}", "/problems/invalid", [FieldFault(field, message)])
