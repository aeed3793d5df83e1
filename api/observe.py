"""Requests of this process: an id for each, a log line, and counts for /metrics."""

from __future__ import annotations

import re
import time

import structlog
import uuid_utils
from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger("spidervet.http")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
UNKNOWN = "unknown"


class HttpMetrics:
    """Counts of one process. route: the path with its parameters' names, never with their values."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "spidervet_http_requests",
            "Requests answered by this process",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "spidervet_http_seconds",
            "Time until an answer's headers were sent",
            ["route"],
            buckets=BUCKETS,
            registry=self.registry,
        )

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(method if method in METHODS else "other", route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


class Observe:
    """ASGI middleware. An `X-Request-ID` that comes along is kept where it is one; the answer carries it."""

    def __init__(self, app: ASGIApp, metrics: HttpMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else str(uuid_utils.uuid7())
        started = time.perf_counter()

        async def observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
                self._tell(scope, message["status"], time.perf_counter() - started)
            await send(message)

        with structlog.contextvars.bound_contextvars(request=request_id):
            await self._app(scope, receive, observed)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", UNKNOWN)
        self._metrics.add(scope["method"], route, status, seconds)
        identity = scope.get("state", {}).get("identity")
        tell = log.info if scope["method"] not in ("GET", "HEAD") or status >= 500 else log.debug
        tell(
            "http.request",
            method=scope["method"],
            path=scope["path"],
            status=status,
            ms=round(seconds * 1000, 1),
            user=identity.name if identity else None,
        )
