"""A real Chromium against a real service with a finished job and with one that is running."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.support.needed import need
from tests.support.service import Service, serving

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
WIDTHS = (390, 1440)
SCHEMES = ("light", "dark")

FINISHED: dict[str, Any] = {
    "name": "finished <b>job</b>",
    "deals": {"first": 1, "count": 30},
    "variants": ["spider-1", "spiderette-4"],
    "evaluators": [{"player": "casual"}, {"solver": {"nodes": 100000}}],
}
RUNNING: dict[str, Any] = {
    "name": "running job",
    "deals": {"first": 1, "count": 20000},
    "variants": ["spider-1", "spider-4"],
    "evaluators": [{"player": "casual"}, {"solver": {"nodes": 50000}}],
}


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser. Missing, its tests are skipped by name; in CI that is a failure."""
    path = need("chromium", "chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class House:
    """A service and the jobs in it."""

    service: Service
    finished: str
    running: str

    def url(self, path: str) -> str:
        return self.service.url + path


@pytest.fixture(scope="package")
def house(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One service for all browser tests, so that they stay quick; gone after them, so no other waits."""
    with serving(tmp_path_factory.mktemp("browser") / "data", workers="1") as service:
        service.workers()
        finished = service.submit(FINISHED)
        service.finished(finished)
        running = service.submit(RUNNING)
        service.wait_done(running, 1)
        yield House(service, finished, running)


def is_fault(message: ConsoleMessage) -> bool:
    """Errors, but for a form that the server sends back: that answer has a status of its own."""
    return message.type == "error" and "status of 422" not in message.text


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page whose script errors fail the test."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if is_fault(m) else None)
    yield page
    context.close()
    assert errors == []
