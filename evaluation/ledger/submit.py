"""Writing a job into the ledger. Its chunks are cut later, a few ahead of the workers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import orjson
import uuid_utils
from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from evaluation.access.quota import check_open_jobs, check_plan
from evaluation.access.roles import LOCAL, Identity
from evaluation.costs import estimate_s
from evaluation.db import Database, now
from evaluation.ledger.events import add_event
from evaluation.notify.tables import Notification
from evaluation.schema import Arm, IdempotencyKey, Job, JobState
from evaluation.settings import Settings
from evaluation.spec import JobPlan, canonical
from evaluation.tally import Tally
from evaluation.versions import engine_version

INTERACTIVE, BATCH = "interactive", "batch"


@dataclass(frozen=True)
class Submitted:
    """created is False where the idempotency key had made the job before; state is then the job's."""

    job_id: str
    created: bool
    state: JobState


class KeyReusedError(Exception):
    """An idempotency key was sent again with another body."""

    def __init__(self, key: str, job_id: str) -> None:
        super().__init__(f"idempotency key {key!r} belongs to job {job_id}, which had another body")
        self.key = key
        self.job_id = job_id


def submit(
    db: Database, plan: JobPlan, settings: Settings, *, key: str | None = None, owner: Identity = LOCAL
) -> Submitted:
    """Write job and arms in one transaction. Raises KeyReusedError, SpecError, QuotaError."""
    check_plan(owner, plan, settings)
    body = canonical(plan.spec)
    body_hash = hashlib.sha256(body).hexdigest()
    job_id = str(uuid_utils.uuid7())
    key = f"{owner.token_id or ''}/{key}" if key is not None else None
    with db.write() as conn:
        at = now(conn)
        _insert_job(conn, job_id, plan, body, body_hash, settings, None if owner.is_local else owner.name, at)
        if key is not None and not _take_key(conn, key, body_hash, job_id, at, db.sqlite):
            conn.execute(delete(Job).where(Job.id == job_id))
            return _earlier(conn, key, body_hash)
        check_open_jobs(conn, owner, settings)
        _insert_arms(conn, job_id, plan)
        if plan.spec.notify is not None:
            conn.execute(insert(Notification).values(job_id=job_id, url=plan.spec.notify, state="waiting"))
        add_event(conn, job_id, at, "state", {"state": JobState.QUEUED.value})
    return Submitted(job_id, True, JobState.QUEUED)


def _take_key(conn: Connection, key: str, body_hash: str, job_id: str, at: float, sqlite: bool) -> bool:
    values = {"key": key, "body_hash": body_hash, "job_id": job_id, "created_at": at}
    maker = sqlite_insert if sqlite else pg_insert
    statement = maker(IdempotencyKey).values(values).on_conflict_do_nothing().returning(IdempotencyKey.key)
    return len(conn.execute(statement).all()) == 1


def _earlier(conn: Connection, key: str, body_hash: str) -> Submitted:
    found = conn.execute(
        select(IdempotencyKey.body_hash, IdempotencyKey.job_id, Job.state)
        .join(Job, Job.id == IdempotencyKey.job_id)
        .where(IdempotencyKey.key == key)
    ).one()
    if found.body_hash != body_hash:
        raise KeyReusedError(key.partition("/")[2], found.job_id)
    return Submitted(found.job_id, False, JobState(found.state))


def _insert_job(
    conn: Connection,
    job_id: str,
    plan: JobPlan,
    body: bytes,
    body_hash: str,
    settings: Settings,
    owner: str | None,
    at: float,
) -> None:
    small = estimate_s(conn, plan) <= settings.small_job_seconds
    conn.execute(
        insert(Job).values(
            id=job_id,
            name=plan.name,
            owner=owner,
            spec=body,
            spec_hash=body_hash,
            engine=engine_version(),
            state=JobState.QUEUED.value,
            queue=INTERACTIVE if small else BATCH,
            sequential=plan.spec.stop_when is not None,
            total=plan.units * len(plan.arms),
            created_at=at,
        )
    )


def _insert_arms(conn: Connection, job_id: str, plan: JobPlan) -> None:
    empty = Tally().to_bytes()
    rows = [
        {
            "job_id": job_id,
            "number": arm.number,
            "variant": arm.variant.label,
            "variant_key": arm.variant.key,
            "variant_record": orjson.dumps(arm.variant.record()).decode(),
            "evaluator": arm.evaluator.label,
            "evaluator_json": orjson.dumps(arm.evaluator.canonical()).decode(),
            "total": plan.units,
            "tally": empty,
        }
        for arm in plan.arms
    ]
    conn.execute(insert(Arm), rows)
