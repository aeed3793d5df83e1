"""Faults of the one-machine mode: a locked database, a full disk."""

import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.settings import Settings
from tests.support.cluster import QUICK, expected_csv, without_timings
from tests.support.service import Service, serving

JOB: dict[str, Any] = {
    "name": "faults",
    "deals": {"first": 1, "count": 120},
    "variants": ["spider-1", "spiderette-4"],
    "evaluators": [{"player": "hint"}, {"solver": {"nodes": 6000}}],
}


def assert_exact(service: Service, job_id: str) -> None:
    assert service.finished(job_id, 180)["state"] == "completed"
    assert without_timings(service.csv(job_id)) == expected_csv(JOB)
    db = Database.from_settings(Settings(data=service.data))
    assert check_ledger(db).faults == ()
    db.dispose()


def test_a_database_locked_for_longer_than_anybody_waits(tmp_path: Path) -> None:
    env = {k.removeprefix("SPIDERVET_").lower(): v for k, v in QUICK.items()}
    with serving(tmp_path / "data", **env, sqlite_busy_s="1") as service:
        job_id = service.submit(JOB)
        service.wait_done(job_id, 40)
        other = sqlite3.connect(tmp_path / "data" / "ledger.sqlite3", isolation_level=None)
        other.execute("begin immediate")
        time.sleep(4)
        refused = service.post("/v1/jobs", JOB)
        assert refused.status_code == 503
        assert refused.json()["type"] == "/problems/ledger"
        assert service.get(f"/v1/jobs/{job_id}")["state"] == "running"  # reading goes on
        other.execute("rollback")
        other.close()
        assert_exact(service, job_id)


def test_a_process_that_dies_is_told_in_a_line_and_not_in_a_traceback(tmp_path: Path) -> None:
    env = {k.removeprefix("SPIDERVET_").lower(): v for k, v in QUICK.items()}
    faulty = {**env, "test_fault": "kill:2", "log_format": "json", "workers": "1"}
    with serving(tmp_path / "data", **faulty) as service:
        job_id = service.submit({**JOB, "deals": {"first": 1, "count": 3}, "variants": ["spiderette-4"]})
        assert service.finished(job_id)["state"] == "completed_with_errors"
        log = service.log.read_text()
    lines = [orjson.loads(line) for line in log.splitlines() if not line.startswith(("spidervet ", "its "))]
    lost = [line for line in lines if line["event"] == "process.lost"]
    assert lost
    assert all("signal 9 (SIGKILL)" in line["error"] and "tried again" in line["next"] for line in lost)
    assert "Traceback" not in log


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 6 MB; skips by name where none may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_and_the_job_goes_on_when_there_is_room(small_disk: Path) -> None:
    env = {k.removeprefix("SPIDERVET_").lower(): v for k, v in QUICK.items()}
    with serving(small_disk / "data", **env) as service:
        job_id = service.submit(JOB)
        service.wait_done(job_id, 40)
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        deadline, answer = time.monotonic() + 30, None
        while time.monotonic() < deadline:
            answer = service.post("/v1/jobs", {**JOB, "name": "n" * 150})
            if answer.status_code == 503:
                break
        assert answer is not None
        assert answer.status_code == 503
        assert "full" in answer.json()["detail"]
        time.sleep(2)
        ballast.unlink()
        assert_exact(service, job_id)
