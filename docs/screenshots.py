"""Takes the pictures of README and docs from a real service with a real job: `python docs/screenshots.py`.

Needs Chromium on the path (Debian: apt-get install chromium). Writes docs/img; run it after changes to pages.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser.conftest import FLAGS
from tests.support.service import Service, serving

IMAGES = Path(__file__).parent / "img"
JOB = {
    "name": "three games: people, a careful player, and what can be won",
    "deals": {"first": 1, "count": 240},
    "variants": ["spider-1", "spider-2", "spider-4"],
    "evaluators": [{"player": "casual"}, {"player": "club"}, {"solver": {"nodes": 200000}}],
}
SMALL = {
    "name": "spiderette, four suits",
    "deals": {"first": 1, "count": 200},
    "variants": ["spiderette-4"],
    "evaluators": [{"player": "casual"}, {"solver": {"nodes": 200000}}],
}
WIDE, PHONE = (1280, 860), (390, 844)


def shoot(browser: Browser, url: str, name: str, size: tuple[int, int], scheme: str) -> None:
    """One picture of what fits on a screen."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    answer = page.goto(url)
    if answer is None or not answer.ok:
        sys.exit(f"{url} answers {answer.status if answer else 'nothing'}")
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / f"{name}.png")
    context.close()


def solved_and_lost(service: Service, job: str) -> tuple[int, str]:
    """A deal that the solver won and the player lost: its ordinal and seed."""
    rows = service.rows(job)
    lost = {r["seed"] for r in rows if r["won"] is False}
    found = next(r for r in rows if r["verdict"] == "solved" and r["seed"] in lost)
    return int(found["seed"]) - 1, str(found["seed"])


def main() -> None:
    path = shutil.which("chromium")
    if path is None:
        sys.exit("Chromium is not on the path")
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "data") as service,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        small = service.submit(SMALL)
        service.finished(small, 900)
        job = service.submit(JOB)
        service.wait_done(job, 900, 900)
        shoot(browser, f"{service.url}/jobs/{job}", "job", WIDE, "light")
        shoot(browser, f"{service.url}/", "jobs", WIDE, "dark")
        ordinal, _ = solved_and_lost(service, small)
        query = f"{service.url}/jobs/{small}/deals/1/{ordinal}?vs=0"
        page = browser.new_page()
        page.goto(query)
        address = page.url
        page.close()
        shoot(browser, f"{address}&move=40", "deal", WIDE, "dark")
        shoot(browser, f"{service.url}/deals/spidervet/spider-4/12345", "deal-phone", PHONE, "light")
        lists = f"{service.url}/jobs/{small}/results?arm=1&won=1&vs=0&beside=lost"
        shoot(browser, lists, "results", WIDE, "light")
        browser.close()


if __name__ == "__main__":
    main()
