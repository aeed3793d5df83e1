"""Who works, at what, how fast; and what waits."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from api.access import require
from api.pages.render import page
from api.state import Ledger
from evaluation.access.roles import Identity, Role
from evaluation.ledger.depth import queue_depth
from evaluation.ledger.watching import AtWork, at_work
from evaluation.ledger.workers import list_workers, live_processes
from evaluation.versions import engine_version

router = APIRouter(include_in_schema=False)


@router.get("/workers")
def workers_page(
    request: Request, service: Ledger, user: Annotated[Identity, require(Role.VIEWER)]
) -> HTMLResponse:
    """Workers by name with the chunks they hold; what they do for vetting is named to editors alone."""
    workers = list_workers(service.db, service.settings.worker_stale_s)
    held: dict[str, list[AtWork]] = defaultdict(list)
    for chunk in at_work(service.db):
        held[chunk.worker.rpartition("/")[0]].append(chunk)
    return page(
        request,
        "workers.html",
        workers=sorted(workers, key=lambda w: w.state == "gone"),
        held=held,
        processes=live_processes(workers),
        depth=queue_depth(service.db),
        may_see=user.may_see,
        engine=engine_version(),
    )
