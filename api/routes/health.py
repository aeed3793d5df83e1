"""/healthz, /readyz, /metrics."""

from __future__ import annotations

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from starlette.responses import PlainTextResponse, Response

from api.metrics import LedgerCollector
from api.problems import Problem
from api.state import Ledger, json_response
from evaluation.ledger.workers import list_workers, live_processes
from evaluation.migrate import current, head
from evaluation.versions import engine_version

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="This process answers")
def healthz() -> Response:
    return json_response({"status": "ok", "engine": engine_version()})


@router.get("/readyz", summary="Ledger and dispatcher work")
def readyz(service: Ledger) -> Response:
    """503 while the ledger is away or at another version, or the dispatcher keeps failing."""
    if current(service.db) != head():
        raise Problem(503, "the ledger's schema is not this program's; run spidervet db upgrade")
    if service.dispatcher.failing:
        raise Problem(503, f"the dispatcher cannot work: {service.dispatcher.failing}")
    workers = list_workers(service.db, service.settings.worker_stale_s)
    return json_response({"status": "ok", "worker_processes": live_processes(workers)})


@router.get("/metrics", summary="Prometheus metrics, read from the ledger", response_class=PlainTextResponse)
def metrics(service: Ledger) -> Response:
    registry = CollectorRegistry()
    registry.register(LedgerCollector(service))
    text = generate_latest(registry) + generate_latest(service.http.registry)
    return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)
