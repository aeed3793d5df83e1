"""Whose job it is: path parameters `job_id` that the one who asks may see, or may change."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import select

from api.access import FORBIDDEN, identity_of
from api.problems import Problem
from api.state import Ledger, Service
from evaluation.access.roles import Role
from evaluation.ledger.control import NoSuchJobError
from evaluation.schema import Job


def refuse_unseen(request: Request, service: Service, job_id: str) -> None:
    """What vetting works on is for editors; for others such a job is not there. Raises NoSuchJobError."""
    identity = identity_of(request)
    if not identity.role.covers(Role.EDITOR):
        with service.db.read() as conn:
            kind = conn.execute(select(Job.kind).where(Job.id == job_id)).scalar_one_or_none()
        if kind is None or not identity.may_see(kind):
            raise NoSuchJobError(job_id)


def _seen(request: Request, service: Ledger, job_id: str) -> str:
    refuse_unseen(request, service, job_id)
    return job_id


def _changed(request: Request, service: Ledger, job_id: Annotated[str, Depends(_seen)]) -> str:
    identity = identity_of(request)
    if identity.role is Role.ADMIN:
        return job_id
    with service.db.read() as conn:
        row = conn.execute(select(Job.owner).where(Job.id == job_id)).one_or_none()
    if row is None:
        raise NoSuchJobError(job_id)
    if not identity.may_change(row.owner):
        raise Problem(
            403, f"the job belongs to {row.owner or 'nobody'}: ask its owner or an admin", FORBIDDEN
        )
    return job_id


_changed.role = Role.SUBMITTER  # type: ignore[attr-defined]  # what the test of all routes looks for


def _of_deals(request: Request, service: Ledger, job_id: Annotated[str, Depends(_seen)]) -> str:
    """Refuse a vetting run: its units are dates, and no row of them says anything of a deal's number."""
    with service.db.read() as conn:
        kind = conn.execute(select(Job.kind).where(Job.id == job_id)).scalar_one_or_none()
    if kind not in (None, "evaluation"):
        found = f"/v1/vetting/runs/{job_id}"
        raise Problem(409, f"a vetting run has dates and no rows of deals: see {found}", "/problems/no-deals")
    return job_id


DealsJob = Annotated[str, Depends(_of_deals)]
"""The id of a job that the one who asks may look at and that evaluates deals; 409 for a vetting run."""

SeenJob = Annotated[str, Depends(_seen)]
"""The id of a job that the one who asks may look at; anything else is 404."""

OwnJob = Annotated[str, Depends(_changed)]
"""The id of a job that the one who asks may change: its owner or an admin; anyone else gets 403."""
