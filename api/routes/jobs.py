"""/v1/jobs: submit, list, look, cancel, retry, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Header, Query
from starlette.responses import Response

from api.access import require
from api.owners import OwnJob, SeenJob
from api.problems import Problem
from api.state import Ledger, json_response
from evaluation.access.roles import Identity, Role
from evaluation.ledger import control, views
from evaluation.ledger.replan import replan
from evaluation.ledger.submit import submit
from evaluation.schema import JobState
from evaluation.spec import FieldFault, JobSpec, plan_job

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

EXAMPLES = {
    "three games, a player and the solver": {
        "value": {
            "name": "three games",
            "deals": {"scheme": "spidervet", "first": 1, "count": 300},
            "variants": ["spider-1", "spider-2", "spider-4"],
            "evaluators": [{"player": "club"}, {"solver": {"nodes": 200000}}],
        }
    },
    "a custom variant on named seeds": {
        "value": {
            "deals": {"scheme": "spidervet", "seeds": ["7", "18446744073709551615"]},
            "variants": [
                "spider-4",
                {"base": "spider-4", "name": "relaxed", "stock_deal_over_empty": "allowed"},
            ],
            "evaluators": [{"player": "club"}],
            "repeats": 5,
            "rng": 1,
        }
    },
}


@router.post("", status_code=202, summary="Submit a job")
def post_job(
    service: Ledger,
    user: Annotated[Identity, require(Role.SUBMITTER)],
    spec: Annotated[JobSpec, Body(openapi_examples=EXAMPLES)],
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Response:
    """Write a job into the ledger; work begins by itself.

    With an Idempotency-Key, the same key and body give the same job; another body is a 409.
    """
    plan = plan_job(spec, service.settings)
    made = submit(service.db, plan, service.settings, key=idempotency_key, owner=user)
    body = views.get_job(service.db, made.job_id, service.settings).to_json()
    headers = {"Location": f"/v1/jobs/{made.job_id}"}
    if not made.created:
        headers["Idempotency-Replayed"] = "true"
        body["replayed"] = True
        if made.state in (JobState.FAILED, JobState.CANCELLED):
            body["note"] = f"this key made a job that is {made.state.value}; send another key to run it anew"
    return json_response(body, 202, headers)


@router.get("", summary="List jobs, newest first")
def list_jobs(
    service: Ledger,
    user: Annotated[Identity, require(Role.VIEWER)],
    state: Annotated[list[JobState] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=80)] = None,
) -> Response:
    """Keyset pages: send ``next`` back as ``cursor``."""
    before = _parse_cursor(cursor) if cursor else None
    jobs = views.list_jobs(service.db, service.settings, limit, before, state, user)
    more = f"{jobs[-1].created_at!r}~{jobs[-1].id}" if len(jobs) == limit else None
    return json_response({"jobs": [j.to_json() for j in jobs], "next": more})


def _parse_cursor(text: str) -> tuple[float, str]:
    at, _, job_id = text.partition("~")
    try:
        return float(at), job_id
    except ValueError:
        message = f"{text!r} is not a cursor of this list"
        raise Problem(
            422, f"cursor: {message}", "/problems/invalid", [FieldFault("cursor", message)]
        ) from None


@router.get("/{job_id}", summary="A job: state, counts, time left, arms")
def get_job(service: Ledger, job_id: SeenJob) -> Response:
    return json_response(views.get_detail(service.db, job_id, service.settings).to_json())


@router.post("/{job_id}/cancel", status_code=202, summary="Stop a job, keep what is done")
def cancel_job(service: Ledger, job_id: OwnJob) -> Response:
    """What waits is dropped at once; what runs stops within a second. Repeating it does no harm."""
    control.cancel(service.db, job_id)
    return json_response(views.get_job(service.db, job_id, service.settings).to_json(), 202)


@router.post("/{job_id}/retry", status_code=202, summary="Try failed deals again")
def retry_job(service: Ledger, job_id: OwnJob) -> Response:
    """Only deals that were set aside as failed run again."""
    count = control.retry(service.db, job_id)
    body = views.get_job(service.db, job_id, service.settings).to_json()
    return json_response({**body, "retried": count}, 202)


@router.post("/{job_id}/replan", status_code=202, summary="Evaluate anew by this engine version")
def replan_job(service: Ledger, job_id: OwnJob) -> Response:
    """For a job of an older version whose workers are gone: its rows are dropped and it is queued anew."""
    old = replan(service.db, job_id)
    body = views.get_job(service.db, job_id, service.settings).to_json()
    return json_response({**body, "replanned_from": old}, 202)


@router.delete("/{job_id}", status_code=204, summary="Remove a finished job and its rows")
def delete_job(service: Ledger, job_id: OwnJob) -> Response:
    """409 while it runs: cancel it first."""
    control.delete_job(service.db, job_id)
    return Response(status_code=204)
