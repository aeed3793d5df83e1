"""The routes of an application."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute


def routes_below(routes: Sequence[BaseRoute]) -> Iterator[APIRoute]:
    """Every route, those of included routers too."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes_below(inner.routes)
