"""The editors' pages: what they show, the steps they offer, and what they refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from api.access import COOKIE
from api.app import create_app
from evaluation.access.roles import Role
from evaluation.access.sessions import csrf_of, open_session
from evaluation.access.tokens import create_token, identify
from evaluation.db import Database
from evaluation.ledger.workers import report_alive
from evaluation.schema import Chunk, ChunkState
from evaluation.settings import Settings
from evaluation.versions import engine_version
from evaluation.vetting import calendars, days
from evaluation.vetting.calendars import WEEKDAYS
from evaluation.vetting.clock import today
from evaluation.vetting.summary import summary_of
from tests.support.vetting import EDITOR, held, make_calendar, published, vet, work_off


@pytest.fixture
def client(settings: Settings, ledger: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr("evaluation.dispatch.Dispatcher.start", lambda self: None)
    monkeypatch.setattr("evaluation.dispatch.Dispatcher.stop", lambda self: None)
    with TestClient(create_app(settings), base_url="http://127.0.0.1", headers={"Accept": "text/html"}) as it:
        yield it


@pytest.fixture
def day(ledger: Database) -> date:
    with ledger.read() as conn:
        return today(conn)


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


FORM = {
    "name": "daily",
    "title": "Daily Spider",
    "variant": "spider-1",
    "difficulty_mon": "easy",
    "par_to": "150",
    "win_rate_from": "40",
    "variety_days": "10",
    "variety_cards": "3",
}


def test_a_calendar_is_made_on_its_page(client: TestClient, ledger: Database) -> None:
    assert "No calendar yet" in text(client.get("/vetting").text)
    made = client.post("/vetting", data=FORM, follow_redirects=False)
    assert (made.status_code, made.headers["location"]) == (303, "/vetting/daily")
    with ledger.read() as conn:
        spec = calendars.load(conn, "daily").spec
    assert (spec.bounds.par, spec.bounds.win_rate) == ([0, 150], [0.4, 1.0])
    assert (spec.bounds.variety.days, spec.bounds.variety.cards) == (10, 3)
    assert spec.wanted(date(2031, 3, 3)) == "easy"
    assert "Daily Spider" in text(client.get("/vetting").text)
    again = client.post("/vetting", data=FORM)
    assert again.status_code == 409
    assert "calendar daily already" in again.text
    assert 'value="Daily Spider"' in again.text, "nothing typed is lost"
    wrong = client.post("/vetting", data={**FORM, "name": "No Name", "par_to": "many"})
    assert wrong.status_code == 422


def test_a_calendar_is_edited_on_its_page(client: TestClient, ledger: Database, settings: Settings) -> None:
    make_calendar(
        ledger,
        settings,
        difficulty={"mon": "easy"},
        bounds={"win_rate": [0.333, 0.8], "par": [90, 150], "borderline": True, "variety": {"days": 9}},
    )
    with ledger.read() as conn:
        before = calendars.load(conn, "quick").spec
    html = client.get("/vetting/quick/edit").text
    form = {m[1]: m[2] for m in re.finditer(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', html)}
    form |= {
        m[1]: m[2] for m in re.finditer(r'name="(difficulty_\w+)">.*?<option selected>(\w+)</option>', html)
    }
    same = client.post("/vetting/quick/edit", data=form, follow_redirects=False)
    assert same.headers["location"] == "/vetting/quick"
    with ledger.read() as conn:
        after = calendars.load(conn, "quick").spec
    asked = {d: "easy" if d == "mon" else "medium" for d in WEEKDAYS}
    assert after == before.model_copy(update={"difficulty": asked}), "a form sent as it came changes nothing"
    late = client.post("/vetting/quick/edit", data={**form, "title": "Mine"})
    assert late.status_code == 409
    assert "has changed since you looked" in text(late.text)
    assert 'value="Mine"' in late.text
    bad = client.post("/vetting/quick/edit", data={**form, "revision": "2", "win_rate_to": "x"})
    assert "&#39;x&#39; is not a number" in bad.text
    changed = {k: v for k, v in form.items() if k not in ("active", "par_from", "par_to")}
    client.post("/vetting/quick/edit", data={**changed, "revision": "2", "title": "Daily", "games": "64"})
    with ledger.read() as conn:
        found = calendars.load(conn, "quick")
    assert (found.revision, found.spec.title, found.spec.active) == (3, "Daily", False)
    assert (found.spec.bounds.par, found.spec.effort.games, found.spec.effort.candidates) == (None, 64, 4)
    assert "3: " in text(client.get("/vetting/quick/edit").text).split("Versions")[1]
    assert client.get("/vetting/nope/edit").status_code == 404


def test_a_month_and_a_week_flag_the_gaps(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    vet(ledger, settings, "quick", day)
    month = client.get("/vetting/quick").text
    length = ((day.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)).day
    assert month.count('<li class="day day-') == length
    assert "day-proposed day-today" in month
    week = text(client.get(f"/vetting/quick?week={day}").text)
    assert "proposed" in week
    assert "open" in week
    assert client.get("/vetting/quick?month=2031-14").status_code == 400
    assert client.get("/vetting/none").status_code == 404
    assert client.get("/vetting/quick/notaday").status_code == 404


def test_the_whole_way_on_the_pages(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    run = client.post("/vetting/quick", data={"from": str(day), "days": "1"}, follow_redirects=False)
    assert run.headers["location"].startswith("/jobs/")
    assert client.get(run.headers["location"]).status_code == 200
    work_off(ledger, settings)
    shown = client.get(f"/vetting/quick/{day}").text
    assert "People win, predicted" in text(shown)
    ends = [str(c[-1]) for c in held(ledger, "quick", day).candidate.deal.columns]
    columns = shown.split('data-part="columns"')[1].split("</ol></div>")[:10]
    for end, column in zip(ends, columns, strict=True):
        assert text(column).replace(" ", "").endswith({"T": "10"}.get(end[0], end[0]) + "♠"), (
            "the cards stand beside"
        )
    viewer = re.search(r'class="button primary" href="(/deals/[^"]+)"', shown)
    assert viewer is not None
    deal = client.get(viewer[1].replace("&amp;", "&"))
    assert deal.status_code == 200
    assert "won" in text(deal.text)
    for step, after in (("approve", "approved"), ("publish", "published")):
        done = client.post(f"/vetting/quick/{day}/{step}", data={"revision": revision(client, day)})
        assert f"> {after}" in text(done.text).replace("  ", " ") or after in text(done.text)
    withdrawn = client.post(
        f"/vetting/quick/{day}/withdraw", data={"revision": revision(client, day), "note": "a <b>fault</b>"}
    )
    assert "withdrawn" in text(withdrawn.text)
    daily = client.get(f"/v1/daily/quick/{day}/editions").json()["editions"][0]["id"]
    assert daily in withdrawn.text.split("Editions")[1], "which deal it was"
    for asked in (f"month={str(day)[:7]}", f"week={day}"):
        parts = re.split(r"<tr>|<li class", client.get(f"/vetting/quick?{asked}").text)
        shown = text(next(part for part in parts[1:] if f"/vetting/quick/{day}" in part))
        assert "withdrawn" in shown
        assert "%" not in shown, "no figures of a deal that the day does not hold"
    assert "<b>fault</b>" not in withdrawn.text
    assert "a &lt;b&gt;fault&lt;/b&gt;" in withdrawn.text


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("from", "2026-13-01", "is not a date such as 2026-12-01"),
        ("from", "", "is not a date such as 2026-12-01"),
        ("days", "many", "is not a whole number"),
        ("days", "401", "401 is not between 1 and 400"),
    ],
)
def test_dates_that_cannot_be_vetted_are_told_at_their_field(
    client: TestClient, ledger: Database, settings: Settings, day: date, field: str, value: str, said: str
) -> None:
    make_calendar(ledger, settings)
    typed = {"from": str(day), "days": "3", "again": "1", field: value}
    answer = client.post("/vetting/quick", data=typed)
    assert answer.status_code == 422
    at_field = re.search(rf'id="fault-{field}-1">(.*?)</p>', answer.text, re.DOTALL)
    assert at_field is not None
    assert said in text(at_field[1].replace("&#39;", "'"))
    kept = {k: v for k, v in typed.items() if v and k != "again"}
    for name, was in kept.items():
        assert re.search(rf'name="{name}"[^>]* value="{was}"', answer.text), "nothing typed is lost"
    assert 'value="1" checked' in answer.text


def revision(client: TestClient, day: date) -> str:
    found = re.search(r'name="revision" value="(\d+)"', client.get(f"/vetting/quick/{day}").text)
    assert found is not None
    return found[1]


def test_a_runs_page_has_its_totals(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    job = vet(ledger, settings, "quick", day)
    shown = text(client.get(f"/jobs/{job}").text)
    with ledger.read() as conn:
        total = summary_of(conn, "quick", [day])
    assert f"Dates with a deal {total.held} of 1" in shown
    assert f"Rated games {total.games}" in shown
    assert f"{day.strftime('%a')} 1 0 any 1" in shown
    assert "Dates judged 1 of 1" in shown
    for other in ("Results by arm", "Winnability", "Report", "Repeat"):
        assert other not in shown, "its units are dates: no row of it tells of a deal"
    assert client.get(f"/jobs/new?from={job}").status_code == 409
    assert client.get(f"/jobs/{job}/results").status_code == 409
    assert job not in client.get("/compare").text


def test_a_form_made_for_another_revision_changes_nothing(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    vet(ledger, settings, "quick", day)
    seen = revision(client, day)
    days.approve(ledger, "quick", day, EDITOR)
    late = client.post(f"/vetting/quick/{day}/reject", data={"revision": seen, "note": "dull"})
    assert late.status_code == 409
    assert "has changed since you looked" in text(late.text)
    with ledger.read() as conn:
        assert days.get(conn, "quick", day).state == "approved"
    for data in ({}, {"revision": "x"}):
        assert client.post(f"/vetting/quick/{day}/reject", data=data).status_code == 422
    assert client.post(f"/vetting/quick/{day}/explode", data={"revision": "1"}).status_code == 404


def test_next_choose_and_swap_on_the_pages(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    tomorrow = day + timedelta(days=1)
    vet(ledger, settings, "quick", day, tomorrow)
    first = held(ledger, "quick", day).place
    client.post(f"/vetting/quick/{day}/next", data={"revision": revision(client, day)})
    assert "Candidates are being tried" in text(client.get(f"/vetting/quick/{day}").text)
    work_off(ledger, settings)
    assert held(ledger, "quick", day).place.number > first.number
    chosen = {"number": str(first.number), "source": "derived", "note": "after all"}
    seen = {"revision": revision(client, day)}
    client.post(f"/vetting/quick/{day}/choose", data={**chosen, **seen})
    assert held(ledger, "quick", day).place == first
    page = client.get(f"/vetting/quick/{day}").text
    other = re.search(rf'<option value="({tomorrow} \d+)" selected>', page)
    assert other is not None
    stale = {"revision": revision(client, day), "other": other[1]}
    days.approve(ledger, "quick", tomorrow, EDITOR)
    late = client.post(f"/vetting/quick/{day}/swap", data=stale)
    assert late.status_code == 409, "another editor approved the other day meanwhile"
    assert held(ledger, "quick", day).place == first
    other = re.search(
        rf'<option value="({tomorrow} \d+)" selected>', client.get(f"/vetting/quick/{day}").text
    )
    assert other is not None
    seen = {"revision": revision(client, day), "other": other[1]}
    client.post(f"/vetting/quick/{day}/swap", data=seen)
    assert held(ledger, "quick", tomorrow).place == first


def test_nothing_of_an_unpublished_day_is_on_a_viewers_pages(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    tomorrow = day + timedelta(days=1)
    published(ledger, settings, "quick", day)
    published(ledger, settings, "quick", tomorrow)
    vetted = vet(ledger, settings, "quick", day + timedelta(days=2))
    with ledger.write() as conn:
        at_work = {"state": ChunkState.LEASED, "worker": "w/1", "leased_at": 0.0, "finished_at": None}
        conn.execute(update(Chunk).where(Chunk.job_id == vetted).values(**at_work))
    report_alive(ledger, "w", "w", 1, engine_version(), 1, "ready")
    coming = [held(ledger, "quick", d).candidate.deal.seed for d in (tomorrow, day + timedelta(days=2))]
    signed_in(client, ledger, "vic", Role.VIEWER)
    pages = ["/", "/workers", "/compare", "/deals", "/v1/jobs", "/v1/workers", "/metrics", "/v1/daily/quick"]
    shown = {path: client.get(path) for path in pages}
    for path, answer in shown.items():
        assert answer.status_code == 200, path
        assert not any(text in answer.text for text in (vetted, *coming)), path
    assert "vetting, " in text(shown["/workers"].text)
    signed_in(client, ledger, "eve", Role.EDITOR)
    assert vetted in client.get("/workers").text


def test_the_deal_of_today_is_shown_like_any_other_and_its_solution_is_not(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    published(ledger, settings, "quick", day)
    signed_in(client, ledger, "vic", Role.VIEWER)
    daily = client.get(f"/v1/daily/quick/{day}").json()
    seed = daily["id"].rpartition(":")[2]
    page = client.get(f"/deals/spidervet/spider-1/{seed}").text
    embedded = re.search(r'id="games">(.*?)</script>', page)
    assert embedded is not None
    (game,) = json.loads(embedded[1])["games"]
    assert len(game["frames"]) == 1, "no line is shown that nobody sent"
    for letters, column, down in zip(
        game["columns"], daily["deal"]["columns"], daily["deal"]["face_down"], strict=True
    ):
        assert letters == "??" * down + "".join(column[down:])
    assert game["stock"] == "??" * len(daily["deal"]["stock"])
    assert "Stock, in deal order" not in page
    assert client.get(f"/v1/daily/quick/{day}/solution").status_code == 403


def signed_in(client: TestClient, ledger: Database, name: str, role: Role) -> str:
    """Sign in as a new person of a role; gives the session's cookie."""
    who = identify(ledger, create_token(ledger, name, role))
    assert who is not None
    cookie = open_session(ledger, who, 1)
    client.cookies.set(COOKIE, cookie, domain="127.0.0.1")
    return cookie


@pytest.mark.parametrize("date_", ["0001-01-01", "9999-12-31", "2026-W01-1", "2026-02-30"])
def test_days_that_are_none(client: TestClient, ledger: Database, settings: Settings, date_: str) -> None:
    make_calendar(ledger, settings)
    assert client.get(f"/vetting/quick/{date_}").status_code == 404


def test_notes_that_cannot_be_kept(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    vet(ledger, settings, "quick", day)
    for note in ("x" * 2001, "null\0byte"):
        data = {"revision": revision(client, day), "note": note}
        for step in ("approve", "reject", "next"):
            assert client.post(f"/vetting/quick/{day}/{step}", data=data).status_code == 422
        chosen = {**data, "number": "1", "source": "derived"}
        assert client.post(f"/vetting/quick/{day}/choose", data=chosen).status_code == 422
    published_day = published(ledger, settings, "quick", day + timedelta(days=1)).date
    data = {"revision": revision(client, published_day), "note": "null\0byte"}
    assert client.post(f"/vetting/quick/{published_day}/withdraw", data=data).status_code == 422
    with ledger.read() as conn:
        assert days.get(conn, "quick", day).state == "proposed"
        assert days.get(conn, "quick", published_day).state == "published"


def test_the_pages_are_for_editors(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    published(ledger, settings, "quick", day)
    for name, role, code in (("sue", Role.SUBMITTER, 403), ("eve", Role.EDITOR, 200)):
        cookie = signed_in(client, ledger, name, role)
        for path in ("/vetting", "/vetting/quick", "/vetting/quick/edit", f"/vetting/quick/{day}"):
            assert client.get(path).status_code == code, (name, path)
        assert ('href="/vetting"' in client.get("/").text) is (code == 200)
        post = client.post(f"/vetting/quick/{day}/withdraw", data={"revision": "9", "note": "x"})
        assert post.status_code == 403, "without the form's token nobody changes anything"
    token = csrf_of(cookie)
    kept = client.post(f"/vetting/quick/{day}/withdraw", data={"revision": "9", "note": "x", "csrf": token})
    assert kept.status_code == 409
