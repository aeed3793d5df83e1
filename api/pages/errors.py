"""Errors as pages: whatever goes wrong, a browser gets something to read and programs get the problem."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from api.headers import ALWAYS
from api.pages.render import PageError, page
from api.problems import Problem

TITLES = {
    401: "Please sign in",
    403: "Not allowed",
    404: "Not here",
    405: "Not this way",
    408: "Too slow",
    409: "Not as things are",
    413: "Too large",
    415: "Not a form",
    422: "That does not fit",
    429: "Too much at once",
    500: "Something went wrong here",
    503: "Not just now",
}
"""What a page is headed with, where HTTP's own phrase says less."""
PLAIN = {
    404: "There is no page at this address.",
    405: "This address does not take what was sent to it.",
}
"""What a page says where nothing but HTTP's own phrase is known."""


def wants_page(request: Request) -> bool:
    """Whether a browser asks for something to look at, rather than a program for data."""
    api = request.url.path.startswith("/v1/") or request.url.path in ("/metrics", "/healthz", "/readyz")
    return not api and "text/html" in request.headers.get("accept", "")


def answer(request: Request, problem: Problem) -> Response:
    """A problem as whoever asks can read it. For use by middlewares, too, which no handler of errors sees."""
    if not wants_page(request):
        return problem.response(request)
    phrase = HTTPStatus(problem.status).phrase
    title = TITLES.get(problem.status, phrase)
    detail = PLAIN.get(problem.status, problem.detail) if problem.detail == phrase else problem.detail
    made = error_page(request, PageError(problem.status, title, detail))
    for name, value in (*problem.headers.items(), *ALWAYS.items()):
        made.headers.setdefault(name, value)
    return made


def error_page(request: Request, error: PageError) -> HTMLResponse:
    """The page of a `PageError`, with the way back to the page that led here, if one did."""
    shown = {"title": error.title, "detail": sentence(error.detail), "status": error.status}
    return page(request, "error.html", error.status, error=shown, back=_back(request), login=_login(request))


def sentence(text: str) -> str:
    """A problem's detail as people write: a capital, unless a field's name is first, and a full stop."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    if first.isalpha():
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) or not text else text + "."


def _back(request: Request) -> str:
    """The path of the own page that the request came from; empty where there is none but this."""
    came = urlsplit(request.headers.get("referer", ""))
    path = came.path + (f"?{came.query}" if came.query else "")
    same = came.netloc == request.headers.get("host", "") and came.scheme in ("http", "https")
    return path if same and request.method != "GET" and path.startswith("/") else ""


def _login(request: Request) -> str:
    """Where to sign in, and come back to."""
    return f"/login?next={quote(_back(request) or request.url.path)}"
