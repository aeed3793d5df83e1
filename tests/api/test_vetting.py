"""Vetting over HTTP: for editors only, no lost update, nothing before its day, replays judged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.routes import daily
from evaluation.access.roles import Role
from evaluation.access.tokens import create_token
from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.vetting import clock
from evaluation.vetting.clock import today
from tests.support.vetting import QUICK, make_calendar, published, solution_of, vet, work_off

CALENDAR = {"name": "quick", "variant": "spider-1", "difficulty": "any", "effort": QUICK}
ELSEWHERE = {"date": "2031-04-01", "id": "spidervet:spider-1:1"}
DAYS = "/v1/vetting/calendars/quick/days"


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """No dispatcher: the tests do the work themselves."""
    monkeypatch.setattr("evaluation.dispatch.Dispatcher.start", lambda self: None)
    monkeypatch.setattr("evaluation.dispatch.Dispatcher.stop", lambda self: None)


@pytest.fixture
def client(settings: Settings, ledger: Database, idle: None) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as it:
        yield it


@pytest.fixture
def day(ledger: Database) -> date:
    with ledger.read() as conn:
        return today(conn)


def bearer(db: Database, name: str, role: Role) -> dict[str, str]:
    return {"Authorization": f"Bearer {create_token(db, name, role)}"}


def etag(client: TestClient, day: date) -> dict[str, str]:
    return {"If-Match": client.get(f"{DAYS}/{day}").headers["etag"]}


def test_faults_are_told_without_the_words_of_a_library(client: TestClient) -> None:
    wrong = client.post("/v1/vetting/calendars", json=CALENDAR | {"name": "Upper"})
    assert wrong.status_code == 422
    assert wrong.json()["detail"] == "name: 1 to 40 of a-z 0-9 -, the first a letter or a digit"


def test_a_run_from_the_request_to_the_published_day(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    made = client.post("/v1/vetting/calendars", json=CALENDAR)
    assert made.status_code == 201, made.text
    assert made.headers["location"] == "/v1/vetting/calendars/quick"
    assert "master" not in made.text
    run = client.post("/v1/vetting", json={"calendar": "quick", "from": str(day), "days": 2})
    assert run.status_code == 202, run.text
    assert run.json()["kind"] == "vetting"
    work_off(ledger, settings)
    found = client.get(run.headers["location"]).json()
    assert [d["date"] for d in found["days"]] == [str(day), str(day + timedelta(days=1))]
    assert all(d["verdict"] == "solved" and d["fits"] and d["par"] > 50 for d in found["days"])
    assert (found["summary"]["dates"], found["summary"]["held"]) == (2, 2)
    job = run.json()["id"]
    assert client.get(f"/v1/jobs/{job}").json()["arms"] == []
    for below in ("results", "report.csv", "report.json"):
        refused = client.get(f"/v1/jobs/{job}/{below}")
        assert (refused.status_code, refused.json()["type"]) == (409, "/problems/no-deals")
        assert f"/v1/vetting/runs/{job}" in refused.json()["detail"]
    total = client.get("/v1/vetting/calendars/quick/summary", params={"from": str(day), "days": 3}).json()
    assert (total["dates"], total["held"], total["games"]) == (3, 2, found["summary"]["games"])
    for step in ("approve", "publish"):
        answer = client.post(f"{DAYS}/{day}/{step}", headers=etag(client, day))
        assert answer.status_code == 200, answer.text
    assert answer.json()["state"] == "published"
    daily = client.get(f"/v1/daily/quick/{day}").json()
    assert daily["id"] == found["days"][0]["id"]
    assert len(daily["deal"]["columns"]) == 10
    assert "solution" not in daily
    listed = client.get(DAYS, params={"from": str(day), "days": 3}).json()["days"]
    assert [d["gap"] for d in listed] == [False, False, True]
    actions = [e["action"] for e in client.get("/v1/vetting/calendars/quick/audit").json()["entries"]]
    assert actions[:2] == ["published", "approved"]
    assert actions[-2:] == ["vetting-started", "calendar-created"]


def test_no_lost_update(client: TestClient, ledger: Database, settings: Settings, day: date) -> None:
    make_calendar(ledger, settings)
    vet(ledger, settings, "quick", day)
    seen = etag(client, day)
    assert client.post(f"{DAYS}/{day}/approve").status_code == 428
    assert client.post(f"{DAYS}/{day}/approve", headers={"If-Match": "nonsense"}).status_code == 412
    first = client.post(f"{DAYS}/{day}/approve", headers=seen, json={"note": "fine"})
    assert first.status_code == 200
    assert first.headers["etag"] != seen["If-Match"]
    second = client.post(f"{DAYS}/{day}/reject", headers=seen, json={"note": "dull"})
    assert second.status_code == 412
    assert second.headers["etag"] == first.headers["etag"]
    assert client.get(f"{DAYS}/{day}").json()["state"] == "approved"


def test_calendars_take_if_match_too(client: TestClient, ledger: Database, settings: Settings) -> None:
    client.post("/v1/vetting/calendars", json=CALENDAR)
    path = "/v1/vetting/calendars/quick"
    tag = client.get(path).headers["etag"]
    assert client.put(path, json=CALENDAR).status_code == 428
    changed = client.put(path, json={**CALENDAR, "title": "Daily"}, headers={"If-Match": tag})
    assert changed.json()["title"] == "Daily"
    assert client.put(path, json=CALENDAR, headers={"If-Match": tag}).status_code == 412
    assert len(client.get(f"{path}/history").json()["versions"]) == 2
    assert client.put(path, json={**CALENDAR, "name": "other"}, headers={"If-Match": tag}).status_code == 422
    assert client.post("/v1/vetting/calendars", json=CALENDAR).status_code == 409


def test_vetting_is_for_editors(client: TestClient, ledger: Database, settings: Settings, day: date) -> None:
    make_calendar(ledger, settings)
    published(ledger, settings, "quick", day)
    published(ledger, settings, "quick", day + timedelta(days=1))
    viewer, submitter = bearer(ledger, "vic", Role.VIEWER), bearer(ledger, "sue", Role.SUBMITTER)
    editor = bearer(ledger, "eve", Role.EDITOR)
    tomorrow = day + timedelta(days=1)
    reads = [
        "/v1/vetting/calendars", "/v1/vetting/calendars/quick", f"{DAYS}/{tomorrow}", f"{DAYS}?from={day}",
        f"{DAYS}/{tomorrow}/candidates/derived/1", "/v1/vetting/calendars/quick/audit",
        f"/v1/vetting/calendars/quick/export.json?from={day}", "/v1/vetting/calendars/quick/history",
        f"/v1/vetting/calendars/quick/summary?from={day}",
    ]  # fmt: skip
    for path in reads:
        assert client.get(path, headers=viewer).status_code == 403, path
        assert client.get(path, headers=submitter).status_code == 403, path
        assert client.get(path, headers=editor).status_code == 200, path
    body = {"calendar": "quick", "from": str(day), "days": 1}
    assert client.post("/v1/vetting", json=body, headers=submitter).status_code == 403
    assert client.post("/v1/vetting/calendars/quick/rotate-key", headers=editor).status_code == 403
    job = client.get(f"{DAYS}/{day}", headers=editor).json()["job"]
    assert client.get(f"/v1/jobs/{job}", headers=submitter).status_code == 404
    assert client.get(f"/v1/jobs/{job}/results", headers=viewer).status_code == 404
    for path in (f"/v1/daily/quick/{tomorrow}", f"/v1/daily/quick/{tomorrow}/proof"):
        assert client.get(path, headers=viewer).status_code == 404
    assert client.get(f"/v1/daily/quick/{day}/solution", headers=viewer).status_code == 403
    assert client.get(f"/v1/daily/quick/{day}/solution", headers=editor).status_code == 200
    export = client.get(f"/v1/daily/quick/export.ndjson?from={day}&days=9", headers=viewer)
    assert len(export.text.splitlines()) == 1
    own = client.get(f"/v1/vetting/calendars/quick/export.ndjson?from={day}&days=9", headers=editor)
    assert len(own.text.splitlines()) == 2


def test_a_daily_is_cached_and_asked_for_again_cheaply(
    client: TestClient, ledger: Database, settings: Settings, day: date
) -> None:
    make_calendar(ledger, settings)
    published(ledger, settings, "quick", day)
    first = client.get("/v1/daily/quick/today")
    assert first.headers["cache-control"] == "public, max-age=60"
    tag = first.headers["etag"]
    again = client.get(f"/v1/daily/quick/{day}", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/v1/daily/quick/yesterday").status_code == 422
    assert client.get("/v1/daily/none/today").status_code == 404
    latest = client.get("/v1/daily/quick").json()
    assert [d["date"] for d in latest["days"]] == [str(day)]
    answer = client.post(f"{DAYS}/{day}/withdraw", headers=etag(client, day), json={"reason": "a fault"})
    assert answer.status_code == 200
    gone = client.get(f"/v1/daily/quick/{day}")
    assert gone.status_code == 410
    assert "a fault" in gone.json()["detail"]
    assert client.get(f"/v1/daily/quick/{day}/editions").json()["editions"][0]["reason"] == "a fault"


def test_no_copy_of_today_outlives_the_day(
    client: TestClient, ledger: Database, settings: Settings, day: date, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_calendar(ledger, settings)
    published(ledger, settings, "quick", day)
    for left, age in ((20.5, 20), (0.4, 0), (3600, 60)):
        at = clock.ends(day) - left
        for module in (clock, daily):
            monkeypatch.setattr(module, "now", lambda conn, at=at: at)
        for path in ("/today", "", f"/export.json?from={day}"):
            answer = client.get(f"/v1/daily/quick{path}")
            assert answer.headers["cache-control"] == f"public, max-age={age}", (path, left)
        dated = client.get(f"/v1/daily/quick/{day}")
        assert dated.headers["cache-control"] == "public, max-age=60"
        early = client.get(f"/v1/daily/quick/{day + timedelta(days=1)}")
        assert (early.status_code, early.headers["cache-control"]) == (404, "no-store")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/daily/nope/2031-03-01/editions", 404),
        ("/v1/daily/no%00pe/2031-03-01", 404),
        ("/v1/daily/no%00pe", 404),
        ("/v1/vetting/calendars/nope/audit", 404),
        ("/v1/vetting/calendars/no%00pe", 404),
        ("/v1/vetting/calendars/quick/audit?before=99999999999999999999", 422),
        ("/v1/vetting/calendars/quick/days/2031-03-01/candidates/derived/99999999999999999999", 422),
        ("/v1/vetting/calendars/quick/days/2031-W10-1", 422),
        ("/v1/vetting/calendars/quick/days/0001-01-01", 422),
        ("/v1/vetting/runs/no%00pe", 404),
    ],
)
def test_what_there_is_not(
    client: TestClient, ledger: Database, settings: Settings, path: str, status: int
) -> None:
    make_calendar(ledger, settings)
    assert client.get(path).status_code == status


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"bounds": {"par": [0, 10**30]}}, "bounds.par"),
        ({"effort": {"solver_nodes": 10**30}}, "effort.solver_nodes"),
        ({"effort": {"shorten_nodes": 10**30}}, "effort.shorten_nodes"),
    ],
)
def test_calendars_with_numbers_beyond_the_ledger(
    client: TestClient, changes: dict[str, Any], field: str
) -> None:
    answer = client.post("/v1/vetting/calendars", json={**CALENDAR, **changes})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_replays_over_http(client: TestClient, ledger: Database, settings: Settings, day: date) -> None:
    make_calendar(ledger, settings)
    published(ledger, settings, "quick", day)
    moves = solution_of(ledger, "quick", day)
    path = f"/v1/daily/quick/{day}/replays"
    won = client.post(path, json={"player": "p1", "moves": moves, "claims": {"won": True}, "seconds": 90})
    assert won.status_code == 201, won.text
    assert (won.json()["first"], won.json()["won"], won.json()["claimed_seconds"]) == (True, True, 90.0)
    game = client.get(f"/v1/daily/quick/{day}/solution").json()
    assert client.post(path, json={"player": "p2", "game": game}).status_code == 201
    cut = client.post(path, json={"player": "p3", "moves": moves[:-1]})
    assert cut.status_code == 422
    assert cut.json()["errors"][0]["field"] == f"moves.{len(moves)}"
    bad = client.post(path, json={"player": "p3", "moves": ["1>2x9"]})
    assert bad.json()["errors"][0]["field"] == "moves.1"
    other = client.post(path, json={"player": "p3", "moves": moves, "id": "spidervet:spider-1:1"})
    assert other.status_code == 422
    assert client.post(path, json={"player": "p3"}).status_code == 422
    results = client.get(f"/v1/daily/quick/{day}/results").json()
    assert (results["players"], results["wins"], results["final"]) == (2, 2, False)
    assert 0 < results["predicted"] < 1


def test_replays_are_bounded_by_address(ledger: Database, settings: Settings, idle: None, day: date) -> None:
    slow = settings.model_copy(update={"replay_rate": 2})
    make_calendar(ledger, settings)
    published(ledger, settings, "quick", day)
    with TestClient(create_app(slow), base_url="http://127.0.0.1", client=("10.1.2.3", 5)) as client:
        path = f"/v1/daily/quick/{day}/replays"
        codes = [client.post(path, json={"player": "p", "moves": ["resign"]}).status_code for _ in range(3)]
    assert codes == [201, 201, 429]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"calendar": "quick", "from": "2031-13-01", "days": 1}, "from"),
        ({"calendar": "quick", "from": "2031-03-01", "days": 0}, "days"),
        ({"calendar": "quick", "from": "2031-03-01", "days": 4000}, "days"),
        ({"calendar": "quick", "from": "2031-03-01", "deals": [ELSEWHERE]}, "deals"),
        ({"calendar": "quick", "from": "2031-03-01", "deals": []}, "deals"),
        ({"from": "2031-03-01"}, "calendar"),
    ],
)  # fmt: skip
def test_runs_that_cannot_be(
    client: TestClient, ledger: Database, settings: Settings, body: dict[str, Any], field: str
) -> None:
    make_calendar(ledger, settings)
    answer = client.post("/v1/vetting", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_a_variant_without_a_scale_says_what_to_do(client: TestClient) -> None:
    mini = {"base": "spider-1", "name": "mini", "ranks": 4, "columns": [2] * 10, "face_down": [0] * 10}
    assert client.post("/v1/vetting/calendars", json={**CALENDAR, "variant": mini}).status_code == 201
    answer = client.post("/v1/vetting", json={"calendar": "quick", "from": "2031-03-01"})
    assert answer.status_code == 422
    assert "calendar scale --variant" in answer.json()["detail"]
