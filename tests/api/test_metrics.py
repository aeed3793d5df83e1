"""/metrics from the ledger: right, complete, documented, and there when the ledger is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from evaluation.db import Database
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import finish
from evaluation.metrics import BUCKETS
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.support.jobs import SMALL, rows_of, submit_small
from tests.support.metrics import families, stored_names

ROOT = Path(__file__).parents[2]
PROMISED = (
    "spidervet_deals_total",
    "spidervet_moves_bucket",
    "spidervet_score_bucket",
    "spidervet_solver_nodes_bucket",
    "spidervet_chunk_seconds_bucket",
    "spidervet_queue_chunks",
    "spidervet_queue_oldest_seconds",
    "spidervet_workers",
    "spidervet_chunk_retries_total",
    "spidervet_daily_unpublished_days",
)


def work(db: Database, settings: Settings, wins: bool = True) -> int:
    """Do a small job's chunks with rows that need no games; gives the number of rows."""
    job_id = submit_small(db, settings)
    done = 0
    while chunks := next_to_send(db, settings):
        for chunk in chunks:
            lease = claim(db, chunk.chunk_id, "host/1", engine_version(), 60)
            assert isinstance(lease, Lease)
            assert lease.job_id == job_id
            finish(db, lease, rows_of(lease), 2.5, "host/1")
            done += lease.size
    return done


@pytest.fixture
def ledger(api_settings: Settings, client: TestClient) -> Database:
    client.app.state.service.dispatcher.stop()  # type: ignore[attr-defined]
    return client.app.state.service.db  # type: ignore[attr-defined,no-any-return]


def test_promised_names_are_there_from_the_start(client: TestClient) -> None:
    assert set(PROMISED) <= stored_names(client)


def test_sums_are_those_of_the_rows(client: TestClient, ledger: Database, api_settings: Settings) -> None:
    assert work(ledger, api_settings) == 10
    found = families(client)
    arm = ("evaluator=hint", "variant=spider-1")
    deals = found["spidervet_deals"][2]
    assert deals[("spidervet_deals_total", arm[0], "outcome=won", arm[1])] == 4
    assert deals[("spidervet_deals_total", arm[0], "outcome=stuck", arm[1])] == 6
    assert found["spidervet_wins"][2][("spidervet_wins_total", *arm)] == 4
    assert found["spidervet_positions"][2][("spidervet_positions_total", *arm)] == sum(range(1000, 1010))
    moves = found["spidervet_moves"][2]
    assert moves[("spidervet_moves_count", *arm)] == 10
    assert moves[("spidervet_moves_sum", *arm)] == sum(range(100, 110))
    assert moves[("spidervet_moves_bucket", arm[0], "le=100.0", arm[1])] == 1
    assert moves[("spidervet_moves_bucket", arm[0], "le=125.0", arm[1])] == 10
    assert found["spidervet_jobs_ended"][2] == {("spidervet_jobs_ended_total", "state=completed"): 1}
    assert found["spidervet_queue_units"][2] == {("spidervet_queue_units",): 0}


def test_histograms_rise_to_their_count(client: TestClient, ledger: Database, api_settings: Settings) -> None:
    work(ledger, api_settings)
    for name, (kind, _, samples) in families(client).items():
        if kind != "histogram" or name.startswith("spidervet_http"):
            continue
        buckets = [v for k, v in samples.items() if k[0].endswith("_bucket")]
        if name in ("spidervet_moves", "spidervet_chunk_seconds"):
            assert len(buckets) == len(BUCKETS[name.removeprefix("spidervet_")]) + 1
        assert buckets == sorted(buckets)
        assert [v for k, v in samples.items() if k[0].endswith("_count")] in ([], buckets[-1:])


def test_a_download_says_how_many_rows_a_reader_must_find(
    client: TestClient, ledger: Database, api_settings: Settings
) -> None:
    rows = work(ledger, api_settings)
    job_id = client.get("/v1/jobs").json()["jobs"][0]["id"]
    answer = client.get(f"/v1/jobs/{job_id}/report.csv")
    assert answer.headers["spidervet-rows"] == str(rows)
    assert len(answer.text.splitlines()) == rows + 1
    partial = client.post("/v1/jobs", json=SMALL).json()["id"]
    assert "spidervet-rows" not in client.get(f"/v1/jobs/{partial}/report.csv").headers


def test_sums_outlive_their_job(client: TestClient, ledger: Database, api_settings: Settings) -> None:
    work(ledger, api_settings)
    before = families(client)["spidervet_deals"]
    job_id = client.get("/v1/jobs").json()["jobs"][0]["id"]
    assert client.delete(f"/v1/jobs/{job_id}").status_code == 204
    assert families(client)["spidervet_deals"] == before


def test_a_ledger_that_is_away_is_said_not_hidden(
    client: TestClient, ledger: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(db: Database) -> None:
        raise OSError("away")

    monkeypatch.setattr("api.metrics.read_totals", away)
    found = families(client)
    assert found["spidervet_ledger_up"][2] == {("spidervet_ledger_up",): 0}
    assert "spidervet_deals" not in found


def test_requests_are_counted_by_route_without_their_values(client: TestClient) -> None:
    client.get("/v1/jobs/secret-id")
    client.get("/nowhere/at/all")
    text = client.get("/metrics").text
    assert 'spidervet_http_requests_total{method="GET",route="/v1/jobs/{job_id}",status="404"} 1.0' in text
    assert 'route="unknown",status="404"' in text
    assert "secret-id" not in text
    assert "nowhere" not in text


def test_a_request_has_an_id(client: TestClient) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    ids = {
        client.get("/healthz", headers={"X-Request-ID": "no good\t"}).headers["x-request-id"] for _ in "ab"
    }
    assert len(ids) == 2
    assert all(re.fullmatch(r"[0-9a-f-]{36}", i) for i in ids)


def test_every_metric_is_documented_and_every_documented_metric_is_there(client: TestClient) -> None:
    told = set(re.findall(r"^\| `(spidervet_\w+)", (ROOT / "docs" / "metrics.md").read_text(), re.MULTILINE))
    there = {
        name + {"counter": "_total", "info": "_info"}.get(kind, "")
        for name, (kind, _, _) in families(client).items()
    }
    assert told == there


def test_every_metric_says_what_it_is(client: TestClient) -> None:
    for name, (_, text, _) in families(client).items():
        assert len(text) > 10, name
