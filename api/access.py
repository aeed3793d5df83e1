"""Who is let in: tokens, browser sessions, roles, and requests that a foreign page made.

`Gate` runs before every route and says who asks; `require(role)` is the dependency by which a route
says what it takes. A service on loopback without tokens is open to whoever is at the machine, but not
to web pages that they look at: foreign origins and foreign host names are refused.
"""

from __future__ import annotations

import ipaddress
from http.cookies import CookieError, SimpleCookie
from typing import Any, cast
from urllib.parse import quote, urlsplit

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import Answer, Problem
from api.ratelimit import RateLimit
from engine.words import counted
from evaluation.access.roles import LOCAL, Identity, Role
from evaluation.access.sessions import csrf_of, identify_session
from evaluation.access.tokens import any_tokens, identify
from evaluation.db import Database
from evaluation.settings import Settings

COOKIE = "spidervet_session"
SAFE = ("GET", "HEAD", "OPTIONS")
PUBLIC = ("/healthz", "/readyz", "/login", "/favicon.ico")
PUBLIC_BELOW = ("/static/",)
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def require(role: Role) -> Any:
    """A dependency that lets only this role and those above it through, and gives the `Identity`.

    Use: ``user: Annotated[Identity, require(Role.EDITOR)]``.
    """

    def check(request: Request) -> Identity:
        identity = identity_of(request)
        if not identity.role.covers(role):
            raise Problem(403, f"this takes the role {role}; {identity.name} is {identity.role}", FORBIDDEN)
        return identity

    check.role = role  # type: ignore[attr-defined]
    return Depends(check)


FORBIDDEN = "/problems/forbidden"
UNAUTHORIZED = "/problems/unauthorized"


def identity_of(request: Request) -> Identity:
    """Who asks. Raises Problem (401) on a public page that nobody signed in to."""
    identity = cast(Identity | None, getattr(request.state, "identity", None))
    if identity is None:
        raise Problem(401, "this needs a token", UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"})
    return identity


class Gate:
    """ASGI middleware: sets ``request.state.identity``, and for browsers ``user`` and ``csrf``."""

    def __init__(self, app: ASGIApp, settings: Settings, answer: Answer) -> None:
        self._app = app
        self._settings = settings
        self._answer = answer
        self._rate = RateLimit()
        self._locked = not is_loopback(settings.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            receive = await self._admit(request, receive)
        except Problem as problem:
            await self._refusal(request, problem)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _admit(self, request: Request, receive: Receive) -> Receive:
        """Check the request; returns what its body is read from. Raises Problem."""
        headers, path = request.headers, request.url.path
        state = request.state
        state.identity, state.user, state.csrf = None, None, ""
        state.gate = self
        if request.method not in SAFE:
            _refuse_foreign(headers)
        cookie = session_cookie(headers)
        db: Database = request.app.state.service.db
        identity = await run_in_threadpool(self._identify, db, request, cookie)
        if identity is None:
            if path in PUBLIC or path.startswith(PUBLIC_BELOW):
                return receive
            raise Problem(401, "this needs a token", UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"})
        state.identity = identity
        if identity.is_local:
            self._refuse_strange_host(headers.get("host", ""))
            return receive
        self._slow_down(identity)
        if "authorization" in headers:
            return receive
        state.user, state.csrf = identity, csrf_of(cookie)
        if request.method not in SAFE and path != "/login":
            receive = await _checked_csrf(request, receive, state.csrf)
        return receive

    def _identify(self, db: Database, request: Request, cookie: str) -> Identity | None:
        bearer = request.headers.get("authorization")
        if bearer is None and not self._locked:
            if not any_tokens(db):
                return LOCAL
            self._locked = True
        if bearer is None:
            return identify_session(db, cookie) if cookie else None
        kind, _, text = bearer.partition(" ")
        identity = self.of_token(db, request, text.strip()) if kind.lower() == "bearer" else None
        if identity is None:
            raise Problem(
                401,
                "the token is unknown, revoked or expired",
                UNAUTHORIZED,
                headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
            )
        return identity

    def of_token(self, db: Database, request: Request, text: str) -> Identity | None:
        """Whose token it is; an address that keeps sending wrong ones has to wait. Raises Problem."""
        client = request.client.host if request.client else "unknown"
        key, rate = f"wrong {client}", self._settings.login_rate
        if self._rate.is_spent(key, rate):
            raise _too_many("too many wrong tokens from this address", 60 / rate)
        identity = identify(db, text)
        if identity is None:
            self._rate.wait_s(key, rate)
        return identity

    def _slow_down(self, identity: Identity) -> None:
        rate = self._settings.token_rate if identity.limits.rate is None else identity.limits.rate
        wait_s = self._rate.wait_s(f"token {identity.token_id}", rate)
        if wait_s:
            raise _too_many(f"{identity.name} may send {counted(rate, 'request')} a minute", wait_s)

    def _refuse_strange_host(self, host: str) -> None:
        """A page elsewhere can point its own name at 127.0.0.1 (DNS rebinding); the name gives it away."""
        name = urlsplit(f"//{host}").hostname or ""
        allowed = [h.strip() for h in self._settings.allowed_hosts.split(",") if h.strip()]
        if not (is_loopback(name) or "." not in name or name in allowed):
            raise Problem(
                403,
                f"this service has no tokens and answers to loopback names only, not to {name!r};"
                " see SPIDERVET_ALLOWED_HOSTS",
                FORBIDDEN,
            )

    def _refusal(self, request: Request, problem: Problem) -> Response:
        """Browsers without a session are led to the login page; everyone else is told the problem."""
        wants_page = "text/html" in request.headers.get("accept", "") and request.method == "GET"
        if problem.status == 401 and wants_page and not request.url.path.startswith("/v1/"):
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/login?next={quote(target)}", 303)
        return self._answer(request, problem)


def session_cookie(headers: Headers) -> str:
    """The session cookie's value, empty where there is none."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie else ""


def _refuse_foreign(headers: Headers) -> None:
    """A browser says where a request comes from; other pages may not make it change anything."""
    origin = headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != headers.get("host", "")
    if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Problem(403, "a page of another origin made this request", FORBIDDEN)


async def _checked_csrf(request: Request, receive: Receive, wanted: str) -> Receive:
    """Compare the header or form field with the session's token. Returns the body to be read again."""
    given = request.headers.get("x-csrf-token")
    if given is None and request.headers.get("content-type", "").partition(";")[0].strip() in FORMS:
        body = await request.body()
        receive = _replay(body, receive)
        given = await _form_field(Request(request.scope, _replay(body, receive)), "csrf", len(body))
    if given != wanted:
        raise Problem(403, "the form has expired or was not made here; load the page again", FORBIDDEN)
    return receive


async def _form_field(request: Request, name: str, most: int) -> str | None:
    """One field of a form; None where it is absent or a file. Raises Problem for what is no form."""
    try:
        async with request.form(max_part_size=most + 1) as form:
            field = form.get(name)
    except HTTPException as error:
        raise Problem(400, str(error.detail)) from error
    return field if isinstance(field, str) else None


def _replay(body: bytes, after: Receive) -> Receive:
    told = False

    async def receive() -> Message:
        nonlocal told
        if told:
            return await after()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _too_many(detail: str, wait_s: float) -> Problem:
    return Problem(429, detail, "/problems/too-many", headers={"Retry-After": str(max(1, round(wait_s)))})
