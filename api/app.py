"""The FastAPI application: routes, limits, errors, and the dispatcher that runs beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from api import problems
from api.access import Gate
from api.described import BEARER, RESPONSES, add_schema
from api.head import HeadAsGet
from api.headers import SecurityHeaders
from api.limits import BodyLimit
from api.observe import HttpMetrics, Observe
from api.pages.errors import answer
from api.pages.mount import mount
from api.routes import catalog, compare, daily, days, deals, events, health, jobs, results, vetting
from api.state import Service
from evaluation.db import Database
from evaluation.dispatch import Dispatcher
from evaluation.migrate import require_head
from evaluation.notify.notifier import Notifier
from evaluation.settings import Settings
from evaluation.versions import engine_version

DESCRIPTION = """Evaluates Spider-family solitaire deals: win rates by honest players, solvability by a
proving solver, per rule variant. Errors are problem details (RFC 9457)."""

VETTING = (vetting.router, days.router, daily.router)
JOBS = (jobs.router, results.router, compare.router, events.router)
ROUTERS = (*JOBS, deals.router, catalog.router, health.router, *VETTING)


def create_app(settings: Settings) -> FastAPI:
    """The application over a ledger that is up to date. The dispatcher starts and stops with it."""

    http = HttpMetrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        db = Database.from_settings(settings)
        await run_in_threadpool(require_head, db)
        dispatcher = Dispatcher(db, settings)
        app.state.service = Service(settings, db, dispatcher, http)
        notifier = Notifier(db, settings)
        dispatcher.start()
        notifier.start()
        try:
            yield
        finally:
            await run_in_threadpool(notifier.stop)
            await run_in_threadpool(dispatcher.stop)
            db.dispose()

    app = FastAPI(
        title="spidervet",
        version=engine_version(),
        description=DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
        docs_url=None,  # FastAPI's own page loads its scripts from elsewhere; api.pages.reference does not
    )
    app.add_middleware(HeadAsGet)
    app.add_middleware(Gate, settings=settings, answer=answer)
    app.add_middleware(BodyLimit, most=settings.max_body_bytes, seconds=settings.body_seconds, answer=answer)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(Observe, metrics=http)  # the last one added is the outermost
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router, responses=RESPONSES, dependencies=[BEARER])
    mount(app)
    described = app.openapi

    def openapi() -> dict[str, Any]:
        return add_schema(described())

    app.openapi = openapi  # type: ignore[method-assign]
    return app
