import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

import pytest
from fastapi.testclient import TestClient

from api.problems import phrase
from api.routes.results import Outcome
from engine.endings import Ending
from engine.solver import Verdict
from evaluation.db import Database
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import finish
from evaluation.rows import FAILED
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.support.jobs import rows_of

JOB: dict[str, Any] = {
    "name": "clubs",
    "deals": {"scheme": "spidervet", "first": 1, "count": 300},
    "variants": ["spider-1", "spider-4"],
    "evaluators": [{"player": "club"}, {"solver": {"nodes": 200000}}],
}


def problem(answer: Any, status: int) -> dict[str, Any]:
    """The problem of an answer, checked for its form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert {"type", "title", "detail", "instance"} <= body.keys()
    return dict(body)


def test_titles_are_those_of_the_standard_under_every_python() -> None:
    assert [phrase(s) for s in (404, 413, 422)] == ["Not Found", "Content Too Large", "Unprocessable Content"]


def fields(answer: Any, status: int = 422) -> list[str]:
    return [e["field"] for e in problem(answer, status)["errors"]]


def test_a_job_is_accepted_and_found(client: TestClient) -> None:
    answer = client.post("/v1/jobs", json=JOB)
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    assert job["counts"] == {
        "total": 1200,
        "pending": 1200,
        "leased": 0,
        "done": 0,
        "failed": 0,
        "cancelled": 0,
    }
    detail = client.get(answer.headers["location"]).json()
    assert detail["state"] == "queued"
    assert [a["evaluator"] for a in detail["arms"][:2]] == [{"player": "club"}, {"solver": {"nodes": 200000}}]
    assert detail["arms"][0]["n"] == 0
    assert detail["arms"][0]["win_rate"] is None
    assert detail["arms"][1]["winnable_interval"] == [0.0, 1.0]
    listed = client.get("/v1/jobs").json()["jobs"]
    assert [j["id"] for j in listed] == [job["id"]]
    shared = listed[0].keys() & detail.keys() - {"eta_s"}
    assert {k: listed[0][k] for k in shared} == {k: detail[k] for k in shared}


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("unknown variant", {"variants": ["spider-9"]}, "variants.0"),
    ("unknown player", {"evaluators": [{"player": "wizard"}]}, "evaluators.0.player"),
    ("negative seed", {"deals": {"first": -1, "count": 1}}, "deals.first"),
    ("seed 2^64", {"deals": {"first": 2**64, "count": 1}}, "deals.first"),
    ("seed 2^64 in a list", {"deals": {"seeds": [str(2**64)]}}, "deals.seeds.0"),
    ("count 0", {"deals": {"first": 1, "count": 0}}, "deals.count"),
    ("count over the limit", {"deals": {"first": 1, "count": 5001}}, "deals.count"),
    ("false for a number", {"deals": {"first": 1, "count": False}}, "deals.count"),
    ("text for a number", {"rng": "1"}, "rng"),
    ("unknown key", {"colour": "red"}, "colour"),
    ("unknown key inside", {"deals": {"first": 1, "count": 1, "stride": 2}}, "deals.stride"),
    ("a player that is a solver too", {"evaluators": [{"player": "club", "solver": {}}]}, "evaluators.0"),
    ("a name with NUL", {"name": "a\0b"}, "name"),
    ("a name over two lines", {"name": "a\n"}, "name"),
    ("the same seed twice", {"deals": {"seeds": [5, 6, "5"]}}, "deals.seeds.2"),
]


@pytest.mark.parametrize(("changes", "field"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_a_problem_that_names_the_field(
    client: TestClient, changes: dict[str, Any], field: str
) -> None:
    assert fields(client.post("/v1/jobs", json={**JOB, **changes})) == [field]
    assert client.get("/v1/jobs").json()["jobs"] == []


def test_an_empty_body_is_a_problem(client: TestClient) -> None:
    assert fields(client.post("/v1/jobs")) == ["body"]
    assert set(fields(client.post("/v1/jobs", json={}))) == {"deals", "variants", "evaluators"}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{nope", "Expecting property name"),
        (b'{"name": "\xe9"}', "not in UTF-8"),
        (b"[" * 9_000 + b"]" * 9_000, "nested too deeply"),
        (b'{"rng": ' + b"9" * 5000 + b"}", "4300"),
    ],
)
def test_a_body_that_is_not_json_is_a_problem(client: TestClient, body: bytes, why: str) -> None:
    answer = client.post("/v1/jobs", content=body, headers={"content-type": "application/json"})
    assert fields(answer, 400) == ["body"]
    assert why in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", None])
def test_a_body_of_another_type_is_told_which_one_to_send(client: TestClient, kind: str | None) -> None:
    headers = {"content-type": kind} if kind else {}
    answer = client.post("/v1/jobs", content=json.dumps(JOB), headers=headers)
    assert fields(answer, 415) == ["body"]
    assert "application/json" in answer.json()["detail"]


def test_a_body_over_the_limit_is_refused_announced_or_not(client: TestClient) -> None:
    big = b'{"name": "' + b"x" * 30_000 + b'"}'
    assert fields(client.post("/v1/jobs", content=big), 413) == ["body"]
    pieces = (big[i : i + 5000] for i in range(0, len(big), 5000))
    answer = client.post("/v1/jobs", content=pieces, headers={"content-type": "application/json"})
    assert fields(answer, 413) == ["body"]


def test_what_is_not_there_is_a_problem(client: TestClient) -> None:
    for method, path in (
        ("GET", ""), ("GET", "/results"), ("GET", "/events"), ("GET", "/report.csv"),
        ("POST", "/cancel"), ("POST", "/retry"), ("DELETE", ""),
    ):  # fmt: skip
        assert "no job 'nope'" in problem(client.request(method, f"/v1/jobs/nope{path}"), 404)["detail"]
    problem(client.get("/v1/nothing"), 404)
    problem(client.put("/v1/jobs"), 405)


def test_a_key_makes_one_job_and_another_body_is_a_conflict(client: TestClient) -> None:
    headers = {"Idempotency-Key": "k1"}
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: client.post("/v1/jobs", json=JOB, headers=headers), range(20)))
    assert {a.status_code for a in answers} == {202}
    assert len({a.json()["id"] for a in answers}) == 1
    assert sum("idempotency-replayed" in a.headers for a in answers) == 19
    assert len(client.get("/v1/jobs").json()["jobs"]) == 1
    conflict = problem(client.post("/v1/jobs", json={**JOB, "rng": 2}, headers=headers), 409)
    assert conflict["type"] == "/problems/idempotency-key-reused"


def test_a_key_of_a_dead_job_says_so(client: TestClient) -> None:
    headers = {"Idempotency-Key": "k2"}
    job_id = client.post("/v1/jobs", json=JOB, headers=headers).json()["id"]
    client.post(f"/v1/jobs/{job_id}/cancel")
    again = client.post("/v1/jobs", json=JOB, headers=headers).json()
    assert (again["id"], again["replayed"], again["state"]) == (job_id, True, "cancelled")
    assert "cancelled" in again["note"]


def test_lists_page_without_repeats(client: TestClient) -> None:
    made = [client.post("/v1/jobs", json={**JOB, "rng": i}).json()["id"] for i in range(7)]
    seen, cursor = [], ""
    while True:
        page = client.get(f"/v1/jobs?limit=3{cursor}").json()
        seen += [j["id"] for j in page["jobs"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == made[::-1]
    assert fields(client.get("/v1/jobs?cursor=zebra")) == ["cursor"]
    assert fields(client.get("/v1/jobs?state=lost"))[0].startswith("state")


def test_cancel_and_delete(client: TestClient) -> None:
    job_id = client.post("/v1/jobs", json=JOB).json()["id"]
    assert problem(client.delete(f"/v1/jobs/{job_id}"), 409)["type"] == "/problems/wrong-state"
    assert client.post(f"/v1/jobs/{job_id}/cancel").json()["state"] == "cancelled"
    assert client.post(f"/v1/jobs/{job_id}/cancel").json()["state"] == "cancelled"
    assert (
        client.get(f"/v1/jobs/{job_id}").json()["progress"] == 0
    )  # nothing was done, and nothing more will be
    assert client.delete(f"/v1/jobs/{job_id}").status_code == 204
    assert client.get(f"/v1/jobs/{job_id}").status_code == 404


@pytest.fixture
def evaluated(client: TestClient, api_settings: Settings) -> str:
    """A job of ten rows named like a formula, of which a chunk of four is done."""
    body = {**JOB, "name": "=1+1", "deals": {"first": 1, "count": 10}, "variants": ["spider-1"]}
    job_id = str(client.post("/v1/jobs", json={**body, "evaluators": [{"player": "hint"}]}).json()["id"])
    client.app.state.service.dispatcher.stop()  # type: ignore[attr-defined]
    own = api_settings.model_copy(update={"chunk_max_units": 4, "resend_s": -1.0})
    db = Database.from_settings(own)
    with db.write() as conn:
        conn.exec_driver_sql("delete from chunks")
        conn.exec_driver_sql("update arms set cut = 0")
    lease = claim(db, next_to_send(db, own)[0].chunk_id, "w/1", engine_version(), 60)
    assert isinstance(lease, Lease)
    finish(db, lease, rows_of(lease), 0.1, "w/1")
    db.dispose()
    return job_id


def test_rows_by_pages_and_filters(client: TestClient, evaluated: str) -> None:
    path = f"/v1/jobs/{evaluated}/results"
    first = client.get(f"{path}?limit=3").json()
    assert [r["seed"] for r in first["results"]] == ["1", "2", "3"]
    assert first["partial"]
    rest = client.get(f"{path}?limit=3&cursor={first['next']}").json()
    assert ([r["seed"] for r in rest["results"]], rest["next"]) == (["4"], None)
    won = client.get(f"{path}?outcome=won").json()["results"]
    assert [(r["id"], r["won"], r["moves"]) for r in won] == [
        ("spidervet:spider-1:1", True, 100),
        ("spidervet:spider-1:4", True, 103),
    ]
    assert client.get(f"{path}?verdict=solved").json()["results"] == []
    assert fields(client.get(f"{path}?arm=1")) == ["arm"]
    assert fields(client.get(f"{path}?limit=100000")) == ["limit"]
    assert fields(client.get(f"{path}?cursor=1-2")) == ["cursor"]
    assert fields(client.get(f"{path}?outcome=won&outcome=drawn")) == ["outcome.1"]
    assert fields(client.get(f"{path}?verdict=won")) == ["verdict.0"]


def test_every_outcome_of_a_row_can_be_asked_for() -> None:
    only_replays = {Ending.RESIGNED, Ending.UNFINISHED}
    assert set(get_args(Outcome)) == {*Ending, *Verdict, FAILED} - only_replays


def test_reports_say_that_they_are_partial_and_carry_no_formula(client: TestClient, evaluated: str) -> None:
    answer = client.get(f"/v1/jobs/{evaluated}/report.csv")
    lines = answer.text.splitlines()
    assert lines[0] == (
        "job,arm,variant,evaluator,id,seed,repeat,outcome,won,moves,stock_deals,sequences,score_windows,"
        "verdict,reason,length,nodes,certificate,engine,seconds"
    )
    assert len(lines) == 6
    assert all(line.startswith("'=1+1,0,spider-1,player:hint,") for line in lines[1:5])
    assert lines[5].startswith("# partial: 4 of ")
    assert answer.headers["spidervet-partial"] == "true"
    assert "partial" in answer.headers["content-disposition"]
    report = client.get(f"/v1/jobs/{evaluated}/report.json").json()
    assert (report["partial"], report["state"], report["job"]) == (True, "running", "=1+1")
    assert (report["arms"][0]["n"], report["arms"][0]["wins"]) == (4, 2)
    assert report["arms"][0]["score"]["mean"] == 398.5
    assert fields(client.get(f"/v1/jobs/{evaluated}/report.docx"))[0].startswith("kind")


def test_a_cancelled_job_keeps_its_share(client: TestClient, evaluated: str) -> None:
    before = client.get(f"/v1/jobs/{evaluated}").json()["progress"]
    client.post(f"/v1/jobs/{evaluated}/cancel")
    after = client.get(f"/v1/jobs/{evaluated}").json()
    assert (after["state"], before, after["progress"]) == ("cancelled", 0.4, 0.4)


def test_events_tell_states_progress_and_arms_then_resume(client: TestClient, evaluated: str) -> None:
    client.post(f"/v1/jobs/{evaluated}/cancel")
    text = client.get(f"/v1/jobs/{evaluated}/events").text
    kinds = [line.removeprefix("event: ") for line in text.splitlines() if line.startswith("event: ")]
    assert kinds[:2] == ["progress", "arm"]
    assert kinds.count("state") == 4  # queued, running, cancelling, cancelled
    last = [line.removeprefix("id: ") for line in text.splitlines() if line.startswith("id: ")][-1]
    again = client.get(f"/v1/jobs/{evaluated}/events", headers={"Last-Event-ID": last}).text
    assert "event:" not in again
    half = client.get(f"/v1/jobs/{evaluated}/events", headers={"Last-Event-ID": "2.0"}).text
    assert half.count("event: state") == 2


def test_the_catalog_and_health(client: TestClient) -> None:
    assert "double-scorpion" in [v["name"] for v in client.get("/v1/variants").json()["variants"]]
    assert "spidervet" in [s["name"] for s in client.get("/v1/schemes").json()["schemes"]]
    assert "hint" in [p["name"] for p in client.get("/v1/players").json()["players"]]
    assert client.get("/v1/workers").json() == {"workers": []}
    assert client.get("/healthz").json()["status"] == "ok"
    assert client.get("/readyz").json() == {"status": "ok", "worker_processes": 0}


def test_metrics_come_from_the_ledger(client: TestClient, evaluated: str) -> None:
    text = client.get("/metrics").text
    assert 'spidervet_deals_total{evaluator="hint",outcome="won",variant="spider-1"} 2.0' in text
    assert 'spidervet_moves_bucket{evaluator="hint",le="100.0",variant="spider-1"} 1.0' in text
    assert 'spidervet_queue_chunks{state="leased"} 0.0' in text
    assert "spidervet_queue_oldest_seconds" in text
    assert evaluated not in text


def test_openapi_has_the_routes_and_examples(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    post = schema["paths"]["/v1/jobs"]["post"]
    assert len(post["requestBody"]["content"]["application/json"]["examples"]) >= 2
    assert "/v1/jobs/{job_id}/report.{kind}" in schema["paths"]


def test_every_example_is_a_job_that_is_accepted(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    examples = schema["paths"]["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    for example in examples.values():
        assert client.post("/v1/jobs", json=example["value"]).status_code == 202
