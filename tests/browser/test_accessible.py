"""Every page, at phone and desk width, light and dark: no serious finding by axe, nothing wider than that."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import AXE, SCHEMES, WIDTHS, House

pytestmark = pytest.mark.browser

PAGES = {
    "vetting": "/vetting",
    "jobs": "/",
    "no-such-list": "/?state=cancelled",
    "form": "/jobs/new",
    "job": "/jobs/{finished}",
    "running": "/jobs/{running}",
    "results": "/jobs/{finished}/results?arm=1",
    "results-beside": "/jobs/{finished}/results?arm=1&won=1&vs=0&beside=lost",
    "deals": "/deals",
    "deal": "/deals/spidervet/spider-4/12345",
    "deal-hidden": "/deals/spidervet/spider-4/12345?hidden=1",
    "deal-scorpion": "/deals/spidervet/double-scorpion/7",
    "game": "/jobs/{finished}/deals/0/0?vs=1",
    "workers": "/workers",
    "compare": "/compare",
    "compared": "/compare?jobs={finished}",
    "login": "/login?next=/workers",
    "missing": "/nothing",
    "reference": "/docs",
    "report": "/v1/jobs/{finished}/report.html",
}


FLOWING = ("vetting", "jobs", "job", "running", "results", "results-beside", "workers")
HIDDEN_TO_THE_RIGHT = "[...document.querySelectorAll('.table-wrap')].some(e => e.scrollWidth > e.clientWidth)"


def findings(page: Page) -> list[str]:
    """What axe finds serious or critical, with the places."""
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{v['id']}: {v['help']}: {'; '.join(node['html'][:160] for node in v['nodes'][:3])}"
        for v in result["violations"]
        if v["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_has_a_serious_finding(chromium: Browser, house: House, width: int) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 860})
    found: list[str] = []
    for name, path in PAGES.items():
        page = context.new_page()
        page.goto(house.url(path.format(finished=house.finished, running=house.running)))
        page.evaluate(AXE)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found += [f"{name}, {scheme}: {text}" for text in findings(page)]
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wide > 0:
            found.append(f"{name}: {wide} px wider than the screen")
        if name in FLOWING and page.evaluate(HIDDEN_TO_THE_RIGHT):
            found.append(f"{name}: a table runs off the screen")
        page.close()
    context.close()
    assert not found, "\n".join(found)
