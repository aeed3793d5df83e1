"""Adds the pages and their static files to the application."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from api.pages import compare, deals, job, job_form, jobs, login, reference, results, vetting, workers
from api.pages.render import STATIC, PageError, error_page
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


def wants_page(request: Request) -> bool:
    """Whether a browser asks for something to look at, rather than a program for data."""
    api = request.url.path.startswith("/v1/") or request.url.path in ("/metrics", "/healthz", "/readyz")
    return not api and "text/html" in request.headers.get("accept", "")


def _for_people(handler: Handler) -> Handler:
    """The handler of an exception, answering browsers with a page that says the same."""

    async def answer(request: Request, error: Exception) -> Response:
        if wants_page(request):
            problem = to_problem(error)
            title = {404: "Not here", 422: "That does not fit", 503: "Not just now"}.get(
                problem.status, HTTPStatus(problem.status).phrase
            )
            return error_page(request, PageError(problem.status, title, problem.detail))
        response = handler(request, error)
        return await response if inspect.isawaitable(response) else response

    return answer


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
