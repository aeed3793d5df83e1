"""What there is to choose from: variants, schemes, players; and the workers at hand."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from api.state import Ledger, json_response
from engine.deals import scheme_records
from engine.players import catalog
from engine.variants import NAMED
from evaluation.ledger.views import iso
from evaluation.ledger.workers import WorkerView, list_workers

router = APIRouter(prefix="/v1", tags=["catalog"])


@router.get("/variants", summary="Named variants with every rule field")
def get_variants() -> Response:
    return json_response({"variants": [{**v.record(), "key": v.key} for v in NAMED.values()]})


@router.get("/schemes", summary="Deal numbering schemes")
def get_schemes() -> Response:
    return json_response({"schemes": scheme_records()})


@router.get("/players", summary="Player levels")
def get_players() -> Response:
    players = [
        {"name": info.name, "origin": info.origin, "options": dict(info.options)} for info in catalog()
    ]
    return json_response({"players": players})


@router.get("/workers", summary="Who works")
def get_workers(service: Ledger) -> Response:
    workers = list_workers(service.db, service.settings.worker_stale_s)
    return json_response({"workers": [worker_json(w) for w in workers]})


def worker_json(worker: WorkerView) -> dict[str, Any]:
    data = dict(vars(worker))
    data["started_at"], data["seen_at"] = iso(worker.started_at), iso(worker.seen_at)
    data["note"] = worker.note or None
    return data
