"""The deal viewer: what the script shows is what the server draws, by keys, buttons, slider and links."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import House

pytestmark = pytest.mark.browser


def game_of(page: Page, house: House, query: str = "?vs=1") -> str:
    """Open the first deal of the finished job with both games; gives the page's address."""
    page.goto(house.url(f"/jobs/{house.finished}/deals/0/0{query}"))
    return page.url


def board(page: Page, n: int = 0) -> str:
    """The board as drawn, without what tells only script from server."""
    return str(
        page.locator(f'[data-board="{n}"]').evaluate(
            "b => b.innerHTML.replace(/\\s+/g, ' ').replace(/ hidden=\"\"/g, '')"
        )
    )


@pytest.mark.parametrize("move", [1, 17, 48])
@pytest.mark.parametrize("hidden", ["", "&hidden=1"])
def test_stepping_shows_what_the_server_draws(page: Page, house: House, move: int, hidden: str) -> None:
    url = game_of(page, house)
    page.goto(f"{url}{hidden}")
    for _ in range(move):
        page.keyboard.press("ArrowRight")
    stepped = [board(page, 0), board(page, 1)]
    texts = page.locator("[data-text] li").all_text_contents()
    assert f"move={move}" in page.url
    page.goto(page.url)
    assert [board(page, 0), board(page, 1)] == stepped
    assert page.locator("[data-text] li").all_text_contents() == texts


def test_keys_buttons_slider_and_list_move(page: Page, house: House) -> None:
    game_of(page, house, "")
    where = page.locator("[data-where]")
    page.keyboard.press("End")
    last = where.inner_text()
    page.keyboard.press("Home")
    expect(where).to_have_text("0")
    page.get_by_label("One move on").click()
    expect(where).to_have_text("1")
    page.locator("[data-seek]").fill("5")
    expect(where).to_have_text("5")
    page.locator('[data-moves] [data-move="3"]').click()
    expect(where).to_have_text("3")
    page.locator("#jump").fill("7")
    page.locator("#jump").press("Enter")
    expect(where).to_have_text("7")
    page.locator("[data-speed]").select_option("10")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(where).to_have_text(last, timeout=60_000)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


@pytest.mark.parametrize("name", ["First position", "One move back", "One move on", "Last position"])
def test_space_plays_after_a_click_on_a_step(page: Page, house: House, name: str) -> None:
    game_of(page, house, "")
    page.set_viewport_size({"width": 390, "height": 500})
    page.locator("[data-speed]").select_option("1")
    page.keyboard.press("Escape")
    page.get_by_label(name).click()
    top = page.evaluate("scrollY")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert page.evaluate("scrollY") == top


def test_space_stays_with_controls_that_use_it(page: Page, house: House) -> None:
    game_of(page, house, "")
    playing = page.get_by_role("button", name="Pause")
    page.locator("[data-seek]").focus()
    page.keyboard.press("Space")
    expect(playing).to_be_visible()
    page.keyboard.press("Space")
    expect(playing).to_have_count(0)
    page.locator('[data-go="play"]').focus()
    page.keyboard.press("Space")
    expect(playing).to_be_visible()
    page.keyboard.press("Space")
    expect(playing).to_have_count(0)
    toggle = page.locator("[data-hidden-toggle]")
    toggle.focus()
    page.keyboard.press("Space")
    expect(toggle).to_have_attribute("aria-pressed", "true")
    for at in ("summary >> nth=0", "#jump", "[data-speed]", 'button:has-text("Replay")'):
        page.locator(at).focus()
        page.evaluate("document.addEventListener('submit', (event) => event.preventDefault(), true)")
        page.keyboard.press("Space")
        page.keyboard.press("Escape")
        expect(playing).to_have_count(0)
    assert page.locator("details").first.get_attribute("open") is not None


def test_hidden_cards_come_on_request_only(page: Page, house: House) -> None:
    page.goto(house.url("/deals/spidervet/spider-4/12345"))
    assert page.locator(".card.down.shown").count() == 0
    assert page.locator(".card.down").count() == 44
    page.keyboard.press("h")
    page.keyboard.press("h")
    expect(page.locator(".card.down.shown")).to_have_count(44)
    assert "hidden=1" in page.url
    stock = page.locator('[data-part="stock-cards"]')
    expect(stock).to_be_visible()
    assert "?" not in stock.inner_text() + page.locator('[data-part="columns"]').inner_text()
    shown = board(page)
    page.goto(page.url)
    assert board(page) == shown
    page.keyboard.press("h")
    expect(page.locator(".card.down.shown")).to_have_count(0)
    assert "Stock, in" not in page.content()
    assert "hidden=1" not in page.url


def test_the_viewer_works_without_scripts(chromium: Browser, house: House) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(house.url(f"/jobs/{house.finished}/deals/0/0"))
    page.get_by_label("One move on").click()
    page.get_by_label("One move on").click()
    assert page.locator("[data-where]").inner_text() == "2"
    page.get_by_role("button", name="Show face-down cards").click()
    assert "hidden=1" in page.url
    assert page.locator("[data-where]").inner_text() == "2"
    page.locator("#jump").fill("9")
    page.get_by_role("button", name="Go").click()
    assert page.locator("[data-where]").inner_text() == "9"
    context.close()


def test_a_deal_is_solved_and_played_side_by_side(page: Page, house: House) -> None:
    page.goto(house.url("/deals/spidervet/spider-1/5"))
    page.get_by_role("button", name="Find a solution").click()
    expect(page.get_by_role("heading", name="Solver")).to_be_visible(timeout=60_000)
    page.locator("#level").select_option("casual")
    page.get_by_role("button", name="Play the deal").click()
    expect(page.get_by_role("heading", name="Side by side")).to_be_visible(timeout=60_000)
    assert page.locator("[data-board]").count() == 2
    with page.expect_download() as download:
        page.get_by_role("link", name="Download solution").click()
    text = download.value.path().read_text()
    page.goto(house.url("/deals"))
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="Solver")).to_be_visible()
