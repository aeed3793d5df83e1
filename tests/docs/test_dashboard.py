"""docs/dashboard.md names every page, and none besides."""

from __future__ import annotations

from api.app import create_app
from evaluation.settings import Settings
from tests.support.markdown import table_names
from tests.support.routes import routes_below

OTHERS = ("/v1/", "/vetting", "/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/daily")
FILES = ("/game.json", "/layout.{form}", "/deals/open")


def test_every_page_is_documented(settings: Settings) -> None:
    paths = {r.path for r in routes_below(create_app(settings).routes) if "GET" in r.methods}
    pages = {p for p in paths if not p.startswith(OTHERS) and not p.endswith(FILES)}
    named = {p.replace("{job_id}", "{id}").replace("{ordinal}", "{n}") for p in pages}
    assert table_names("dashboard.md", r"/.*") == named
