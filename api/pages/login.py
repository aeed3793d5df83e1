"""Signing in with a token: it is changed for a session cookie that scripts cannot read."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from api.access import COOKIE, Gate, session_cookie
from api.pages.render import page
from api.problems import Problem
from api.state import Ledger
from evaluation.access.sessions import close_session, open_session

router = APIRouter(include_in_schema=False)


@router.get("/login")
def login_page(request: Request, next: str = "/") -> Response:
    """The form; whoever is known already goes on."""
    if getattr(request.state, "identity", None) is not None:
        return RedirectResponse(local_path(next), 303)
    return page(request, "login.html", next=local_path(next), fault="")


@router.post("/login")
async def login(
    request: Request,
    service: Ledger,
    token: Annotated[str, Form(max_length=500)] = "",
    next: Annotated[str, Form(max_length=4000)] = "/",
) -> Response:
    """Change a token for a session."""
    gate: Gate = request.state.gate
    target = local_path(next)
    try:
        identity = await run_in_threadpool(gate.of_token, service.db, request, token.strip())
    except Problem as problem:
        return page(request, "login.html", problem.status, next=target, fault=problem.detail)
    if identity is None:
        fault = "This token is unknown, revoked or expired."
        return page(request, "login.html", 401, next=target, fault=fault)
    hours = service.settings.session_hours
    cookie = await run_in_threadpool(open_session, service.db, identity, hours)
    answer = RedirectResponse(target, 303)
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=int(hours * 3600),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


@router.post("/logout")
def logout(request: Request, service: Ledger) -> Response:
    """End the session."""
    cookie = session_cookie(request.headers)
    if cookie:
        close_session(service.db, cookie)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer


def local_path(text: str) -> str:
    """A path of this service; anything that leads elsewhere becomes the front page."""
    ok = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable()
    return text if ok and not text.startswith("/login") else "/"
