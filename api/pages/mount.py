"""Adds the pages and their static files to the application."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from api.pages import compare, deals, job, job_form, jobs, login, reference, results, vetting, workers
from api.pages.errors import answer, error_page, wants_page
from api.pages.render import STATIC, PageError
from api.problems import to_problem

ROUTERS = (
    jobs.router,
    job_form.router,
    results.router,
    job.router,
    deals.router,
    workers.router,
    compare.router,
    login.router,
    reference.router,
    vetting.router,
)
FOREVER = "public, max-age=31536000, immutable"


class VersionedFiles(StaticFiles):
    """Static files; one asked for by its content's hash may be kept for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = FOREVER if b"v=" in scope["query_string"] else "no-cache"
        return response


Handler = Callable[[Request, Any], Response | Awaitable[Response]]


def _for_people(handler: Handler) -> Handler:
    """The handler of an exception, answering browsers with a page that says the same."""

    async def answered(request: Request, error: Exception) -> Response:
        if wants_page(request):
            return answer(request, to_problem(error))
        response = handler(request, error)
        return await response if inspect.isawaitable(response) else response

    return answered


def mount(app: FastAPI) -> None:
    """Call after the API's own routes."""

    def on_page_error(request: Request, error: Exception) -> HTMLResponse:
        assert isinstance(error, PageError)
        return error_page(request, error)

    for kind, handler in list(app.exception_handlers.items()):
        app.add_exception_handler(kind, _for_people(handler))
    app.add_exception_handler(PageError, on_page_error)
    app.mount("/static", VersionedFiles(directory=STATIC), name="static")
    for router in ROUTERS:
        app.include_router(router)
