"""The job page while a job runs: it moves by itself, never back, in many tabs, and lets the service stop."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import RUNNING, House
from tests.support.service import serving, wait_for

pytestmark = pytest.mark.browser


def progress(page: Page) -> float:
    return float(page.locator("[data-progress]").inner_text().rstrip(" %\u202f"))


def test_progress_moves_by_itself_and_never_back(page: Page, house: House) -> None:
    page.goto(house.url(f"/jobs/{house.running}"))
    expect(page.locator('[data-live-mark][data-how="stream"]')).to_be_visible()
    seen = [progress(page)]

    def moved() -> bool:
        seen.append(progress(page))
        return seen[-1] > seen[0] and len(set(seen)) > 2

    wait_for("two steps of progress", moved, 90)
    assert seen == sorted(seen)
    assert max(seen) <= 100


def test_eight_tabs_share_a_few_streams_and_none_hangs(chromium: Browser, house: House) -> None:
    context = chromium.new_context()
    tabs = [context.new_page() for _ in range(8)]
    for tab in tabs:
        tab.goto(house.url(f"/jobs/{house.running}"), timeout=20_000)
    for tab in tabs:
        expect(tab.locator("[data-live-mark]")).to_contain_text("updated", timeout=20_000)
    hows = [tab.locator("[data-live-mark]").get_attribute("data-how") for tab in tabs]
    assert 1 <= hows.count("stream") <= 3
    assert set(hows) <= {"stream", "poll"}
    ninth = context.new_page()
    ninth.goto(house.url("/workers"), timeout=20_000)
    expect(ninth.get_by_role("heading", name="Workers")).to_be_visible()
    context.close()


def test_a_hidden_tab_closes_its_stream_and_resumes(page: Page, house: House) -> None:
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url) if "/events" in r.url else None)
    page.goto(house.url(f"/jobs/{house.running}"))
    wait_for("the stream", lambda: page.wait_for_timeout(50) or len(asked) == 1)
    expect(page.locator('[data-live-mark][data-how="stream"]')).to_be_visible()
    page.wait_for_timeout(1500)
    hide = """hidden => {
        Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    page.evaluate(hide, True)
    page.wait_for_timeout(1500)
    assert len(asked) == 1
    page.evaluate(hide, False)
    wait_for("the stream again", lambda: page.wait_for_timeout(50) or len(asked) == 2)
    assert "resume=" in asked[1]


def test_without_streams_the_page_asks_again(chromium: Browser, house: House) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.add_init_script("delete window.EventSource")
    page.goto(house.url(f"/jobs/{house.running}"))
    expect(page.locator('[data-live-mark][data-how="poll"]')).to_be_visible(timeout=15_000)
    first = page.locator("[data-live-mark]").inner_text()
    expect(page.locator("[data-live-mark]")).not_to_have_text(first, timeout=15_000)
    context.close()


def test_a_form_with_an_error_keeps_what_was_typed_and_a_job_can_be_repeated(
    page: Page, house: House
) -> None:
    page.goto(house.url("/jobs/new"))
    page.locator("#name").fill("my <job>")
    page.locator("#count").fill("many")
    page.get_by_label("spider-2", exact=False).first.check()
    page.get_by_role("button", name="Send job").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was sent yet")
    assert page.locator("#name").input_value() == "my <job>"
    assert page.locator("#count").input_value() == "many"
    assert page.locator('input[value="spider-2"]').is_checked()
    page.locator("#count").fill("3")
    expect(page.locator("#estimate")).to_contain_text("Rows")
    page.get_by_role("button", name="Send job").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("my <job>")
    page.get_by_role("link", name="Repeat").click()
    assert page.locator("#name").input_value() == "my <job>"
    assert page.locator("#count").input_value() == "3"
    assert page.locator('input[value="spider-2"]').is_checked()


def test_the_theme_is_kept(page: Page, house: House) -> None:
    page.goto(house.url("/deals"))
    page.locator("[data-theme-toggle]").click()
    page.goto(house.url("/workers"))
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 23, 26)"


def test_sigterm_stops_the_service_with_eight_tabs_open(chromium: Browser, tmp_path: Path) -> None:
    context = chromium.new_context()
    with serving(tmp_path / "data", workers="1") as service:
        service.workers()
        job = service.submit(RUNNING)
        for _ in range(8):
            tab = context.new_page()
            tab.goto(f"{service.url}/jobs/{job}")
            expect(tab.locator("[data-live-mark]")).to_contain_text("updated", timeout=20_000)
        # Without word to the streams it would wait out its grace of 20 s.
        assert service.stop(signal.SIGTERM, timeout_s=12) == 0
    context.close()
