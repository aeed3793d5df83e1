"""The main job, end to end, by real processes: API, Celery workers, ledger and broker files."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.settings import Settings
from tests.support.service import Service, children, serving, wait_for

JOB: dict[str, Any] = {
    "deals": {"first": 1, "count": 40},
    "variants": ["spider-1", "spider-2", "spider-4"],
    "evaluators": [{"player": "casual"}, {"solver": {"nodes": 20_000}}],
}
ROWS = 240


def without_timings(lines: list[str]) -> list[str]:
    """CSV rows without the last column."""
    assert lines[0].endswith(",seconds")
    return [line.rpartition(",")[0] for line in lines]


def assert_ledger_sound(data: Path) -> None:
    db = Database.from_settings(Settings(data=data))
    try:
        assert check_ledger(db).faults == ()
    finally:
        db.dispose()


def assert_exact(lines: list[str], rows: int = ROWS) -> None:
    """One row an arm and seed, none twice."""
    table = list(csv.DictReader(lines))
    assert len(table) == rows
    assert len({(r["arm"], r["seed"], r["repeat"]) for r in table}) == rows


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The job's CSV from a run that nothing disturbed, without timings."""
    with serving(tmp_path_factory.mktemp("calm") / "data") as service:
        job_id = service.submit(JOB)
        job = service.finished(job_id)
        assert job["state"] == "completed"
        lines = service.csv(job_id)
        assert_exact(lines)
        report = service.get(f"/v1/jobs/{job_id}/report.json")
        _assert_agrees(report, list(csv.DictReader(lines)))
        assert [r["seed"] for r in service.rows(job_id)] == [r["seed"] for r in csv.DictReader(lines)]
    return without_timings(lines)


def _assert_agrees(report: dict[str, Any], table: list[dict[str, str]]) -> None:
    assert not report["partial"]
    for arm in report["arms"]:
        rows = [r for r in table if r["arm"] == str(arm["arm"])]
        assert arm["n"] == len(rows) == 40
        if "player" in arm["evaluator"]:
            assert arm["wins"] == sum(r["won"] == "true" for r in rows)
            assert arm["moves"]["mean"] == pytest.approx(sum(int(r["moves"]) for r in rows) / len(rows))
        else:
            assert arm["solved"] == sum(r["verdict"] == "solved" for r in rows)
            assert arm["positions"]["total"] == sum(int(r["nodes"]) for r in rows)


def test_two_runs_give_the_same_rows(undisturbed: list[str], tmp_path: Path) -> None:
    out = tmp_path / "again.csv"
    command = [sys.executable, "-m", "cli.main", "evaluate", "--seeds", "1-40", "--player", "casual"]
    command += ["--solver", "20000", "--out", str(out), "--jobs", "2"]
    for variant in JOB["variants"]:
        command += ["--variant", variant]
    subprocess.run(command, check=True, capture_output=True)
    lines = out.read_text().splitlines()
    head, *rows = without_timings(lines)
    assert head == undisturbed[0]
    assert [r.split(",", 1)[1] for r in rows] == [r.split(",", 1)[1] for r in undisturbed[1:]]


def test_the_same_rows_though_worker_processes_are_killed(undisturbed: list[str], tmp_path: Path) -> None:
    quick = {"chunk_seconds": "0.3", "worker_stall_s": "8", "worker_stale_s": "5"}
    with serving(tmp_path / "data", **quick) as service:
        job_id = service.submit(JOB)
        for units in (10, 40, 80):
            service.wait_done(job_id, units, 150)
            assert units > 10 or service.job(job_id)["state"] == "running"
            victims = children(service.workers()[0]["pid"])
            if victims:
                os.kill(victims[-1], signal.SIGKILL)
        assert service.finished(job_id)["state"] == "completed"
        assert without_timings(service.csv(job_id)) == undisturbed
    assert_ledger_sound(tmp_path / "data")


def test_processes_killed_while_idle_cost_no_place(tmp_path: Path) -> None:
    with serving(tmp_path / "data", worker_stale_s="1000") as service:
        host = service.workers()[0]["pid"]
        for _ in range(2):
            before = wait_for("two processes", lambda: two if len(two := children(host)) == 2 else None)
            for pid in before:
                os.kill(pid, signal.SIGKILL)
            wait_for("others in their places", lambda old=before: not {*old} & {*children(host)})
        job_id = service.submit(JOB)
        wait_for("both at work", lambda: service.workers()[0]["busy"] == 2)
        assert service.finished(job_id)["state"] == "completed"
        assert [w["pid"] for w in service.workers()] == [host], "it had no need to start again"


def test_the_same_rows_though_the_whole_service_is_killed(undisturbed: list[str], tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, chunk_seconds="0.3") as service:
        job_id = service.submit(JOB)
        service.wait_done(job_id, 40)
        assert service.job(job_id)["state"] == "running"
        hosts = [w["pid"] for w in service.workers()]
        assert service.stop(signal.SIGKILL) == -signal.SIGKILL
        for pid in hosts:
            wait_for("the orphaned workers' end", lambda pid=pid: not Path(f"/proc/{pid}").exists())
        service.start()
        assert service.finished(job_id)["state"] == "completed"
        assert without_timings(service.csv(job_id)) == undisturbed
    assert_ledger_sound(data)


def test_ctrl_c_stops_everything_and_a_new_start_goes_on(undisturbed: list[str], tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, chunk_seconds="0.3") as service:
        job_id = service.submit(JOB)
        service.wait_done(job_id, 20)
        assert service.job(job_id)["state"] == "running"
        hosts = [w["pid"] for w in service.workers()]
        assert service.stop(signal.SIGINT) == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in hosts)
        service.start()
        assert service.finished(job_id)["state"] == "completed"
        assert without_timings(service.csv(job_id)) == undisturbed
    assert_ledger_sound(data)


def test_a_second_serve_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data):
        second = subprocess.run(
            [sys.executable, "-m", "cli.main", "serve", "--port", "0"],
            env={**os.environ, "SPIDERVET_DATA": str(data)}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert second.returncode == 1
    assert "in use by another serve" in second.stderr


def test_a_sample_job_greets_newcomers_once(tmp_path: Path) -> None:
    service = Service(tmp_path / "data", {}, ("serve", "--port", "0", "--sample"))
    for _ in range(2):
        service.start()
        jobs = service.get("/v1/jobs")["jobs"]
        assert [j["name"] for j in jobs] == ["sample: three games, a player and the solver"]
        assert service.stop() == 0
    assert service.log.read_text().count(f"/jobs/{jobs[0]['id']}\n") == 1  # told where to look, once


def test_an_open_event_stream_does_not_keep_it_from_stopping(tmp_path: Path) -> None:
    with serving(tmp_path / "data", workers="1") as service:
        job_id = service.submit({**JOB, "evaluators": [{"solver": {"nodes": 100_000_000}}]})
        with httpx2.stream("GET", f"{service.url}/v1/jobs/{job_id}/events", timeout=20) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 2000"
            assert service.stop(timeout_s=10) == 0
            assert "event: progress" in list(lines)


WITNESS = """
import cli.main
class Witness:
    def __del__(self):
        print("torn down", flush=True)
cli.main.witness = Witness()
cli.main.main()
"""


def test_once_stopped_it_ends_without_taking_itself_apart(tmp_path: Path) -> None:
    serve = subprocess.Popen(
        [sys.executable, "-c", WITNESS, "serve", "--port", "0", "--api-only"],
        env={**os.environ, "SPIDERVET_DATA": str(tmp_path / "data")}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert serve.stdout is not None
    next(line for line in serve.stdout if "startup complete" in line)
    serve.send_signal(signal.SIGTERM)
    rest, _ = serve.communicate(timeout=60)
    assert serve.returncode == 0
    assert "Application shutdown complete" in rest
    assert "torn down" not in rest


def test_cancel_stops_a_native_search_and_keeps_what_is_done(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as service:
        job_id = service.submit(
            {**JOB, "evaluators": [{"player": "hint"}, {"solver": {"nodes": 100_000_000}}]}
        )
        service.wait_done(job_id, 40)
        assert service.post(f"/v1/jobs/{job_id}/cancel").json()["state"] in ("cancelling", "cancelled")
        job = service.finished(job_id, timeout_s=10)
        assert job["state"] == "cancelled"
        assert len(service.rows(job_id)) == job["counts"]["done"] >= 40
        assert job["counts"]["cancelled"] == 240 - job["counts"]["done"]
    assert_ledger_sound(tmp_path / "data")


def test_a_deal_that_crashes_the_core_is_set_aside(tmp_path: Path) -> None:
    with serving(tmp_path / "data", test_fault="crash:17", max_attempts="2") as service:
        job_id = service.submit({**JOB, "variants": ["spider-1"], "evaluators": [{"player": "hint"}]})
        job = service.finished(job_id)
        assert job["state"] == "completed_with_errors"
        assert (job["counts"]["done"], job["counts"]["failed"]) == (39, 1)
        failed = [r for r in service.rows(job_id) if r["outcome"] == "failed"]
        assert [r["seed"] for r in failed] == ["17"]
        assert service.post(f"/v1/jobs/{job_id}/retry").json()["retried"] == 1
        assert service.finished(job_id)["state"] == "completed_with_errors"
        metrics = httpx2.get(f"{service.url}/metrics").text
        assert 'spidervet_chunk_retries_total{reason="crash"}' in metrics
        assert 'outcome="failed",variant="spider-1"} 2.0' in metrics
    assert_ledger_sound(tmp_path / "data")
