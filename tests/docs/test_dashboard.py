"""docs/dashboard.md names every page, and none besides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from api.app import create_app
from evaluation.settings import Settings
from tests.support.markdown import table_names

OTHERS = ("/v1/", "/vetting", "/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/daily")
FILES = ("/game.json", "/layout.{form}", "/deals/open")


def routes_below(routes: Sequence[BaseRoute]) -> Iterator[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes_below(inner.routes)


def test_every_page_is_documented(settings: Settings) -> None:
    paths = {r.path for r in routes_below(create_app(settings).routes) if "GET" in r.methods}
    pages = {p for p in paths if not p.startswith(OTHERS) and not p.endswith(FILES)}
    named = {p.replace("{job_id}", "{id}").replace("{ordinal}", "{n}") for p in pages}
    assert table_names("dashboard.md", r"/.*") == named
