"""Pages as answers: every one is there, carries its forms' token, and says what is wrong in words."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import insert, select, update

from api.app import create_app
from api.pages.jobs import listed
from api.pages.links import pack_line
from api.pages.view import author
from engine.moves import parse_move
from engine.variants import NAMED
from evaluation.access.roles import Role
from evaluation.access.tokens import create_token
from evaluation.db import Database
from evaluation.ledger.submit import submit
from evaluation.ledger.views import Counts, get_job
from evaluation.schema import Arm, Job, JobState, Result
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from tests.support.jobs import SMALL

PAGE = {"Accept": "text/html"}
FORM = {
    "variants": "spider-1",
    "players": "hint",
    "deals": "range",
    "scheme": "spidervet",
    "first": "1",
    "count": "3",
    "rng": "1",
    "repeats": "1",
    "scoring": "windows",
    "key": "k1",
}


@pytest.fixture
def job(api_settings: Settings, client: TestClient) -> str:
    db = Database.from_settings(api_settings)
    made = submit(
        db, plan_job(parse_spec({**SMALL, "name": "<script>alert(1)</script>"}), api_settings), api_settings
    )
    db.dispose()
    return made.job_id


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?state=open",
        "/jobs/new",
        "/jobs/new?from={job}",
        "/jobs/{job}",
        "/jobs/{job}?part=live",
        "/jobs/{job}/results",
        "/jobs/{job}/deals/0/3",
        "/compare",
        "/compare?jobs={job}",
        "/deals",
        "/deals/spidervet/spider-4/1",
        "/deals/pysolfc/spider-4/ms77777?hidden=1",
        "/workers",
    ],
)
def test_pages_are_there_and_run_nothing_inline(client: TestClient, job: str, path: str) -> None:
    answer = client.get(path.format(job=job), headers=PAGE)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    for script in re.findall(r"<script[^>]*>", answer.text):
        assert "src=" in script or "application/json" in script
    assert not re.search(r"\sstyle=|\son[a-z]+=", answer.text)
    assert "https://" not in re.sub(r'placeholder="[^"]*"', "", answer.text)


def test_every_form_that_changes_something_carries_the_token(client: TestClient, job: str) -> None:
    for path in ("/jobs/new", "/deals", "/deals/spidervet/spider-4/1", f"/jobs/{job}"):
        text = client.get(path, headers=PAGE).text
        forms = re.findall(r'<form method="post".*?</form>', text, re.DOTALL)
        assert forms
        assert all('name="csrf"' in form for form in forms)


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing", 404, "Not"),
        ("/jobs/00000000-0000-0000-0000-000000000000", 404, "There is no job &#39;0000"),
        ("/?state=lost", 404, "listed as"),
        ("/?before=nonsense", 400, "not a place"),
        ("/jobs/{job}/results?arm=7", 404, "arms 0 to 0"),
        ("/jobs/{job}/results?sort=luck", 400, "luck"),
        ("/jobs/{job}/results?after=x", 400, "not a place"),
        ("/jobs/{job}/deals/0/99", 404, "deals 0 to 9"),
        ("/deals/spidervet/whist/1", 404, "no variant is named"),
        ("/deals/dealer/spider-4/1", 404, "no scheme is named"),
        ("/deals/spidervet/spider-4/-1", 404, "whole number"),
        ("/deals/spidervet/spider-4/1?move=x", 400, "whole number"),
        ("/deals/spidervet/spider-4/1?line=1abc", 400, "cannot be read"),
        ("/deals/layout/spider-4/abc", 404, "cards alone"),
        ("/deals/spidervet/spider-4/1?line=2abc", 400, "it begins with &#39;2&#39;"),
        ("/deals/spidervet/spider-4/1?cards=1x&rules=1%FF", 400, "damaged or cut off"),
        ("/jobs/{job}/results?arm=abc", 400, "“arm” is &#39;abc&#39;: a whole number from 0"),
        ("/jobs/{job}/results?arm=-1", 400, "a whole number from 0"),
        ("/jobs/{job}/results?vs=%D9%A1", 400, "“vs” is"),
        ("/jobs/{job}/results?sort=evil", 400, "one of deal, moves, length, nodes, seconds"),
        ("/jobs/{job}/results?beside=evil", 400, "one of any, won, lost"),
        ("/jobs/{job}/results?after=1e~1", 400, "is not a place in this list"),
        ("/jobs/{job}/deals/a/1", 404, "“arm” is &#39;a&#39;"),
        ("/jobs/{job}/deals/0/b", 404, "“deal” is &#39;b&#39;"),
        ("/jobs/{job}/deals/0/1?vs=c", 400, "“vs” is &#39;c&#39;"),
        ("/compare?jobs=a", 404, "There is no job &#39;a&#39;"),
        ("/compare?jobs={job}&a=x&b=1", 400, "“a” is &#39;x&#39;"),
        ("/deals/spidervet/spider-4/1/layout.evil", 404, "one of text, json"),
        ("/vetting?month=evil", 200, ""),
        ("/vetting/none", 404, "none"),
    ],
)
def test_faults_are_pages_in_words(client: TestClient, job: str, path: str, status: int, words: str) -> None:
    answer = client.get(path.format(job=job), headers=PAGE)
    assert answer.status_code == status
    assert "text/html" in answer.headers["content-type"]
    assert words in answer.text
    for foreign in (
        "literal for int",
        "is not a valid",
        "Input should",
        "could not convert",
        "of an unknown form",
    ):
        assert foreign not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/deals?fault={text}",
        "/deals/spidervet/spider-4/1?line={line}&by={text}",
        "/deals/spidervet/spider-4/1?line={line}&by=player:{text}",
        "/deals/spidervet/spider-4/1?line={line}&by=player:club+{text}",
        "/deals/spidervet/spider-4/1?move=0&note={text}",
    ],
)
def test_no_text_of_a_link_is_shown_as_the_services_own(client: TestClient, path: str) -> None:
    line = pack_line([parse_move("deal")], NAMED["spider-4"])
    answer = client.get(path.format(line=line, text="Your+account+is+locked"), headers=PAGE)
    assert answer.status_code == 200
    assert "account" not in answer.text


def test_what_was_solved_but_lost_is_listed_from_either_arm(
    api_settings: Settings, client: TestClient
) -> None:
    evaluators = [{"player": "club"}, {"solver": {"nodes": 1000}}, {"solver": {"nodes": 2000}}]
    one = {**SMALL, "evaluators": evaluators[:2], "variants": ["spider-1", "spider-2"]}
    db = Database.from_settings(api_settings)
    jobs = [
        submit(db, plan_job(parse_spec(spec), api_settings), api_settings).job_id
        for spec in (one, {**SMALL, "evaluators": evaluators})
    ]
    db.dispose()
    link = '<a href="?arm=1&amp;won=1&amp;vs=0&amp;beside=lost"%s>Solved, but lost by player:club</a>'
    lists = [client.get(f"/jobs/{jobs[0]}/results?{q}", headers=PAGE).text for q in ("arm=0", "arm=1")]
    assert all(link % "" in text for text in lists)
    assert lists[0].count("but lost by") == 1
    opened = client.get(f"/jobs/{jobs[0]}/results?arm=1&won=1&vs=0&beside=lost", headers=PAGE).text
    assert link % ' aria-current="page"' in opened
    several = client.get(f"/jobs/{jobs[1]}/results?arm=0", headers=PAGE).text
    assert "Solved by solver:1000, but lost by player:club" in several
    assert "Solved by solver:2000, but lost by player:club" in several


@pytest.mark.parametrize(
    ("by", "kept"),
    [
        ("solver", True),
        ("import", True),
        ("player:club", True),
        ("player:club rng 7", True),
        ("player:expert(lookahead=2,samples=16) (again, by engine 0.1.0-p8-s6)", True),
        ("player:nobody", False),
        ("player:club, as you asked", False),
        ("the management", False),
    ],
)
def test_links_and_files_name_only_hands_that_are_known(by: str, kept: bool) -> None:
    assert author(by) == (by if kept else "import")


def test_programs_get_problems_where_browsers_get_pages(client: TestClient) -> None:
    answer = client.get("/nothing", headers={"Accept": "application/json"})
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_form_sent_twice_makes_one_job(client: TestClient) -> None:
    first = client.post("/jobs/new", data=FORM, follow_redirects=False)
    second = client.post("/jobs/new", data=FORM, follow_redirects=False)
    assert first.status_code == second.status_code == 303
    assert first.headers["location"] == second.headers["location"]
    changed = client.post("/jobs/new", data={**FORM, "count": "4"}, follow_redirects=False)
    assert changed.headers["location"] != first.headers["location"]


def test_a_form_with_faults_comes_back_as_it_was(client: TestClient) -> None:
    answer = client.post(
        "/jobs/new", data={**FORM, "name": 'my "job"', "count": "0", "custom": '[{"base": "x"}]'}
    )
    assert answer.status_code == 422
    assert 'value="my &#34;job&#34;"' in answer.text
    assert 'name="count" inputmode="numeric" value="0"' in answer.text
    assert "Nothing was sent yet" in answer.text
    nothing = client.post(
        "/jobs/new", data={"deals": "range", "first": "1", "count": "1", "rng": "1", "repeats": "1"}
    )
    assert "choose at least one game" in nothing.text
    assert "choose at least one player" in nothing.text
    several = client.post("/jobs/new", data={**FORM, "first": "-3", "count": "abc", "variants": []})
    assert "3 fields need" in several.text
    for field in ("deals.count", "deals.first", "variants"):
        assert f"<li>{field}: " in several.text, "all at once, not one after the other"
    broken = client.post("/jobs/new", data={**FORM, "variants": [], "custom": "{"})
    assert "One field needs" in broken.text
    assert "custom: not JSON" in broken.text


def test_the_cost_is_told_before_sending(client: TestClient) -> None:
    answer = client.post("/jobs/estimate", data=FORM)
    assert "no worker is alive" in answer.text
    assert "A guess" in answer.text
    again = client.post("/jobs/new", data={**FORM, "action": "estimate"})
    assert "A guess" in again.text
    assert client.get("/v1/jobs").json()["jobs"] == []


def test_jobs_are_cancelled_and_deleted_from_their_page(client: TestClient, job: str) -> None:
    early = client.post(f"/jobs/{job}/delete", headers=PAGE)
    assert early.status_code == 409
    assert "cancel it first" in early.text
    assert client.post(f"/jobs/{job}/cancel", follow_redirects=False).status_code == 303
    assert "Cancelled" in client.get(f"/jobs/{job}", headers=PAGE).text
    assert client.post(f"/jobs/{job}/delete", follow_redirects=False).headers["location"] == "/"
    assert client.get(f"/jobs/{job}", headers=PAGE).status_code == 404


def test_deals_are_opened_by_number_or_identity(client: TestClient) -> None:
    for query in ("scheme=spidervet&variant=spider&seed=007", "id=spidervet:spider-4:7"):
        answer = client.get(f"/deals/open?{query}", follow_redirects=False)
        assert answer.headers["location"] == "/deals/spidervet/spider-4/7"
    wrong = client.get("/deals/open?scheme=kpat&variant=spider-4&seed=0", headers=PAGE)
    assert wrong.status_code == 422
    assert "seed: " in wrong.text


def test_a_deal_solved_on_its_page_gives_a_link_and_a_file(client: TestClient) -> None:
    answer = client.post(
        "/deals/spidervet/spiderette-1/4/solve", data={"nodes": "200000"}, follow_redirects=False
    )
    assert answer.status_code == 303
    url = answer.headers["location"]
    assert "by=solver" in url
    assert "won" in client.get(url, headers=PAGE).text
    file = client.get(url.replace("?", "/game.json?", 1))
    record = file.json()
    assert (record["format"], record["by"], record["id"]) == (
        "spidervet-game/1",
        "solver",
        "spidervet:spiderette-1:4",
    )
    shown = client.post("/deals/import", data={"text": file.text}, follow_redirects=False)
    assert shown.headers["location"] == url
    record["moves"][0] = "1>1"
    cheat = client.post("/deals/import", files={"file": ("g.json", json.dumps(record))}, headers=PAGE)
    assert cheat.status_code == 422
    assert "Entry 1" in cheat.text


def test_an_import_of_nothing_asks_for_something(client: TestClient) -> None:
    empty = client.post("/deals/import", data={"text": " "}, headers=PAGE)
    assert empty.status_code == 422
    assert "Choose a file that holds something, or paste its text." in empty.text


def test_the_form_of_a_players_game_stays_as_it_was(client: TestClient) -> None:
    path = "/deals/spidervet/spiderette-1/4"
    played = client.post(f"{path}/play", data={"level": "novice", "rng": "7"}, headers=PAGE)
    assert re.search(r"<option[^>]* selected[^>]*>novice", played.text)
    assert re.search(r'name="rng"[^>]* value="7"', played.text)


@pytest.mark.parametrize("field", ["text", "file"])
def test_an_import_that_is_too_long_is_told_the_limit_that_the_form_names(
    api_settings: Settings, field: str
) -> None:
    settings = api_settings.model_copy(update={"max_body_bytes": Settings().max_body_bytes})
    with TestClient(create_app(settings)) as client:
        form = client.get("/deals", headers=PAGE).text
        name = None if field == "text" else "deal.txt"
        answer = client.post("/deals/import", files={field: (name, "A" * 1_200_000)}, headers=PAGE)
    assert 'data-most-bytes="1000000"' in form
    assert "at most 1,000,000 bytes" in form
    assert answer.status_code == 422
    assert "1,200,000 bytes; at most 1,000,000 are read" in answer.text


def test_a_deal_that_is_not_decided_says_why(client: TestClient) -> None:
    answer = client.post("/deals/spidervet/spider-4/1/solve", data={"nodes": "100"}, headers=PAGE)
    assert answer.status_code == 200
    assert "Unknown after" in answer.text
    wrong = client.post("/deals/spidervet/spider-4/1/solve", data={"nodes": "lots"}, headers=PAGE)
    assert wrong.status_code == 422
    assert 'value="lots"' in wrong.text


def test_layouts_and_custom_games_are_shown_by_their_link(client: TestClient) -> None:
    text = client.get("/deals/spidervet/spider-2/8/layout.json").json()
    text["id"] = None
    text["variant"] = {"base": "spider-2", "name": "mine", "move_limit": 500}
    answer = client.post("/deals/import", data={"text": json.dumps(text)}, follow_redirects=False)
    url = answer.headers["location"]
    assert url.startswith("/deals/layout/mine~")
    shown = client.get(url, headers=PAGE)
    assert shown.status_code == 200
    assert "500" in shown.text
    path, _, query = url.partition("?")
    fields = dict(part.split("=") for part in query.split("&")) | {"level": "hint", "rng": "2"}
    played = client.post(f"{path}/play", data=fields, follow_redirects=False)
    assert "by=player:hint+rng+2" in played.headers["location"]


def test_static_files_are_kept_for_ever_by_their_content(client: TestClient) -> None:
    page = client.get("/deals", headers=PAGE).text
    (sheet,) = re.findall(r'href="(/static/app\.css\?v=[0-9a-f]+)"', page)
    assert "immutable" in client.get(sheet).headers["cache-control"]
    assert client.get("/static/app.css").headers["cache-control"] == "no-cache"


def test_the_list_of_jobs_is_found_above_the_address_of_one(client: TestClient, job: str) -> None:
    moved = client.get("/jobs?state=open", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (307, "/?state=open")
    assert f'href="/jobs/{job}"' in client.get("/jobs").text


def test_jobs_are_found_by_name(client: TestClient) -> None:
    for name in ("first 100%", "second_job"):
        client.post("/jobs/new", data={**FORM, "name": name, "key": name})
    found = client.get("/?named=FIRST", headers=PAGE).text
    assert "first 100%" in found
    assert "second_job" not in found
    assert "second_job" not in client.get("/?named=%25", headers=PAGE).text
    assert "first 100%" not in client.get("/?named=_", headers=PAGE).text
    assert "of this name" in client.get("/?named=third&state=open", headers=PAGE).text


def test_failed_deals_are_listed_with_their_error(
    api_settings: Settings, client: TestClient, job: str
) -> None:
    db = Database.from_settings(api_settings)
    with db.write() as conn:
        arm = conn.execute(select(Arm.id).where(Arm.job_id == job)).scalar_one()
        failed = {"arm_id": arm, "ordinal": 4, "seed": "5", "outcome": "failed", "reason": "crash: <boom>"}
        conn.execute(insert(Result).values(**failed, seconds=0.0))
        conn.execute(update(Job).where(Job.id == job).values(failed=1))
    db.dispose()
    text = client.get(f"/jobs/{job}", headers=PAGE).text
    assert "crash: &lt;boom&gt;" in text
    assert f'href="/jobs/{job}/deals/0/4"' in text
    assert "Retry 1 failed" in text


def test_the_menu_shows_what_a_role_may_do(api_settings: Settings, client: TestClient) -> None:
    db = Database.from_settings(api_settings)
    token = create_token(db, "vic", Role.VIEWER)
    db.dispose()
    signed_in = client.post("/login", data={"token": token, "next": "/deals/spidervet/spider-4/1"})
    assert signed_in.status_code == 200
    assert ">vic<" in signed_in.text
    assert 'href="/workers"' in signed_in.text
    for closed in ("/jobs/new", "/vetting", "/solve", "/play"):
        assert f'"{closed}"' not in signed_in.text
        assert f'{closed}">' not in signed_in.text
    assert client.get("/jobs/new", headers=PAGE).status_code == 403
    assert client.post("/deals/spidervet/spider-4/1/solve", data={"nodes": "9"}).status_code == 403
    empty = client.get("/", headers=PAGE)
    assert "No job yet" in empty.text
    assert "/jobs/new" not in empty.text


def test_a_job_that_stopped_early_is_done_and_a_cancelled_one_is_not(
    api_settings: Settings, client: TestClient, job: str
) -> None:
    db = Database.from_settings(api_settings)
    seen = replace(get_job(db, job, api_settings), counts=Counts(100, 0, 0, 30, 0, 70))
    db.dispose()
    early = listed(replace(seen, state=JobState.COMPLETED))
    assert (early.share, early.stopped) == (1.0, True)
    cancelled = listed(replace(seen, state=JobState.CANCELLED))
    assert (cancelled.share, cancelled.stopped) == (0.3, False)
    assert cancelled.job.to_json()["progress"] == 0.3  # the same for programs


def test_a_job_of_another_version_is_planned_anew_from_its_page(
    api_settings: Settings, client: TestClient, job: str
) -> None:
    assert client.post(f"/jobs/{job}/replan", headers=PAGE).status_code == 409
    db = Database.from_settings(api_settings)
    with db.write() as conn:
        conn.execute(update(Job).where(Job.id == job).values(engine="0.0.1"))
    db.dispose()
    assert "planned for engine 0.0.1" in client.get(f"/jobs/{job}", headers=PAGE).text
    assert client.post(f"/jobs/{job}/replan", follow_redirects=False).status_code == 303
    assert "planned for engine" not in client.get(f"/jobs/{job}", headers=PAGE).text
