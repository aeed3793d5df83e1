from typing import Any

import pytest
from fastapi.testclient import TestClient

from evaluation.db import Database
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import finish
from evaluation.rows import Row
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.api.test_jobs import fields, problem

BODY: dict[str, Any] = {
    "deals": {"first": 1, "count": 12},
    "variants": ["spider-1", "spiderette-1"],
    "evaluators": [{"player": "hint"}, {"solver": {"nodes": 10}}],
}


@pytest.fixture
def job(client: TestClient, api_settings: Settings) -> str:
    """hint wins every third deal; the solver all but deals 2 (unsolvable) and 3 (unknown)."""
    client.app.state.service.dispatcher.stop()  # type: ignore[attr-defined]
    job_id = str(client.post("/v1/jobs", json=BODY).json()["id"])
    db = Database.from_settings(api_settings)
    while sent := next_to_send(db, api_settings):
        for item in sent:
            lease = claim(db, item.chunk_id, "w/1", engine_version(), 60)
            assert isinstance(lease, Lease)
            finish(db, lease, _rows(lease, solver=lease.arm_id % 2 == 0), 0.1, "w/1")
    db.dispose()
    return job_id


def _rows(lease: Lease, solver: bool) -> list[Row | None]:
    out: list[Row | None] = []
    for o in range(lease.start, lease.start + lease.size):
        if solver:
            verdict = {2: "unsolvable", 3: "unknown"}.get(o, "solved")
            out.append(Row(o, str(o + 1), verdict, verdict=verdict, nodes=9))
        else:
            out.append(Row(o, str(o + 1), "won" if o % 3 == 0 else "stuck", o % 3 == 0, 90))
    return out


def test_a_pair_is_counted_deal_by_deal(client: TestClient, job: str) -> None:
    found = client.get(f"/v1/compare?jobs={job}&a=0&b=1").json()
    assert [(x["arm"], x["label"]) for x in found["arms"][:2]] == [(0, "player:hint"), (1, "solver:10")]
    pair = found["pairs"][0]
    assert (pair["both"], pair["only_a"], pair["only_b"], pair["neither"], pair["undecided"]) == (
        3,
        0,
        7,
        1,
        1,
    )
    assert pair["difference"] == pytest.approx(-7 / 11)
    assert pair["p_value"] == pytest.approx(2 / 2**7)
    assert pair["interval"][0] < -7 / 11 < pair["interval"][1] < 0
    assert [d["seed"] for d in pair["deals"]] == ["2", "5", "6", "8", "9", "11", "12"]


def test_only_arms_that_saw_the_same_cards_meet(client: TestClient, job: str) -> None:
    pairs = client.get(f"/v1/compare?jobs={job}").json()["pairs"]
    assert [(p["a"], p["b"]) for p in pairs] == [(0, 1), (2, 3)]
    assert fields(client.get(f"/v1/compare?jobs={job}&a=0&b=2")) == ["b"]
    report = client.get(f"/v1/jobs/{job}/report.json").json()
    assert [(p["a"], p["b"], p["n"]) for p in report["pairs"]] == [(0, 1, 11), (2, 3, 11)]


def test_two_jobs_meet_by_seed(client: TestClient, job: str) -> None:
    other = client.post("/v1/jobs", json={**BODY, "deals": {"first": 5, "count": 3}}).json()["id"]
    found = client.get(f"/v1/compare?jobs={job},{other}&a=0&b=4").json()
    assert found["pairs"][0]["n"] == 0
    assert found["pairs"][0]["interval"] == [-1.0, 1.0]


@pytest.mark.parametrize(("query", "field"), [("&a=0&b=9", "b"), ("&a=1&b=1", "b")])
def test_a_pair_that_is_none_is_refused(client: TestClient, job: str, query: str, field: str) -> None:
    assert fields(client.get(f"/v1/compare?jobs={job}{query}")) == [field]


def test_jobs_must_exist(client: TestClient) -> None:
    problem(client.get("/v1/compare?jobs=nope"), 404)
    assert fields(client.get("/v1/compare?jobs=a,b,c,d,e")) == ["jobs"]


def test_the_page_compares_no_arms_that_saw_other_cards(client: TestClient, job: str) -> None:
    assert "McNemar" in client.get(f"/compare?jobs={job}").text
    unlike = client.get(f"/compare?jobs={job}&a=0&b=2").text
    assert "never saw the same cards" in unlike
    assert "McNemar" not in unlike


def test_the_page_begins_with_two_arms_that_can_be_compared(client: TestClient, job: str) -> None:
    body = {**BODY, "evaluators": [{"player": "hint"}], "variants": ["spider-1", "spiderette-1", "spider-2"]}
    mixed = client.post("/v1/jobs", json=body).json()["id"]
    text = client.get(f"/compare?jobs={mixed}").text
    assert "never saw the same cards" not in text
    assert 'value="2" selected' in text
