"""What the routes share: settings, ledger, and the signal that the process is about to stop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Annotated, Any, cast

import orjson
from fastapi import Depends, Request
from starlette.responses import Response

from api.observe import HttpMetrics
from evaluation.db import Database
from evaluation.dispatch import Dispatcher
from evaluation.settings import Settings


@dataclass
class Service:
    """One API process. stopping: set when uvicorn is told to stop, so that event streams end."""

    settings: Settings
    db: Database
    dispatcher: Dispatcher
    http: HttpMetrics = field(default_factory=HttpMetrics)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    streams: int = 0


def _service(request: Request) -> Service:
    return cast(Service, request.app.state.service)


Ledger = Annotated[Service, Depends(_service)]
"""Dependency of every route that needs the ledger."""


def json_response(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """JSON by orjson."""
    return Response(orjson.dumps(data), status, headers, "application/json")
