"""The topology of several machines on one: API, worker hosts, Redis, PostgreSQL, all real processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.local import local_report
from evaluation.migrate import upgrade
from evaluation.reports.text import csv_chunks
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from tests.support.postgres import Postgres
from tests.support.redis import Redis
from tests.support.service import Service, children, spawn, wait_for

QUICK = {
    "SPIDERVET_CHUNK_SECONDS": "0.4",
    "SPIDERVET_LEASE_S": "4",
    "SPIDERVET_RESEND_S": "3",
    "SPIDERVET_WORKER_STALE_S": "5",
    "SPIDERVET_WORKER_STALL_S": "12",
    "SPIDERVET_LOCK_S": "3",
    "SPIDERVET_BEAT_S": "0.3",
    "SPIDERVET_MAX_ATTEMPTS": "6",
}
"""Recovery in seconds instead of tens of seconds; more attempts, since the tests kill more often."""


def expected_csv(body: dict[str, Any]) -> list[str]:
    """The rows that a job must give, without timings, from a run that nothing disturbs."""
    settings = Settings(log_level="WARNING")
    with local_report(plan_job(parse_spec(body), settings), settings, 1, lambda _: None) as report:
        text = b"".join(csv_chunks(report)).decode()
    return without_timings(text.splitlines())


def without_timings(lines: list[str]) -> list[str]:
    """CSV rows without their last column."""
    assert lines[0].endswith(",seconds")
    return [line.rpartition(",")[0] for line in lines]


@dataclass
class Cluster:
    """One API, some worker hosts of one process each, a broker and a database."""

    folder: Path
    postgres: Postgres
    redis: Redis
    env: dict[str, str] = field(default_factory=dict)
    hosts: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.database = f"c{uuid.uuid4().hex[:8]}"
        url = self.postgres.create(self.database)
        self.settings = Settings(data=self.folder / "data", database_url=SecretStr(url))
        with self.ledger() as db:
            upgrade(db)
        self.env = {
            **QUICK, "SPIDERVET_DATABASE_URL": url, "SPIDERVET_BROKER_URL": self.redis.url,
            "SPIDERVET_WORKERS": "1", **self.env,
        }  # fmt: skip
        self.api = Service(self.folder / "api", self.env, ("serve", "--api-only", "--port", "0"))

    @contextlib.contextmanager
    def ledger(self) -> Any:
        db = Database.from_settings(self.settings)
        try:
            yield db
        finally:
            db.dispose()

    def start(self, hosts: int = 2) -> Cluster:
        self.api.start()
        for _ in range(hosts):
            self.add_host()
        self.api.workers(hosts)
        return self

    def add_host(self, before: tuple[str, ...] = (), **env: str) -> subprocess.Popen[bytes]:
        """Start a worker host."""
        number = len(self.hosts)
        log = self.folder / f"worker{number}.log"
        host = spawn(("worker",), self.folder / f"w{number}", {**self.env, **env}, log, before)
        self.hosts.append(host)
        return host

    def living(self) -> list[subprocess.Popen[bytes]]:
        return [h for h in self.hosts if h.poll() is None]

    def kill_child(self) -> None:
        """SIGKILL a process that evaluates."""
        for host in self.living():
            for pid in children(host.pid):
                os.kill(pid, signal.SIGKILL)
                return

    def kill_host(self) -> None:
        """SIGKILL a whole worker host, and start another in its place."""
        host = self.living()[0]
        host.kill()
        host.wait(10)
        self.add_host()

    def kill_api(self) -> None:
        """SIGKILL the API and start it again."""
        assert self.api.process is not None
        self.api.process.kill()
        self.api.process.wait(10)
        self.api.start()

    def restart_redis(self) -> None:
        """SIGKILL Redis, which loses all it held, and start it again."""
        self.redis.kill()
        self.redis.start()

    def restart_postgres(self) -> None:
        """A crash of the database and its recovery."""
        self.postgres.stop("immediate")
        self.postgres.start()

    def assert_exact(self, job_id: str, expected: list[str], timeout_s: float = 240.0) -> dict[str, Any]:
        """The job completes with exactly the expected rows and sums."""
        job = self.api.finished(job_id, timeout_s)
        assert job["state"] == "completed", job
        assert without_timings(self.api.csv(job_id)) == expected
        with self.ledger() as db:
            assert check_ledger(db, job_id).faults == ()
        return job

    def close(self) -> None:
        """End every process that this cluster started."""
        processes = [*self.hosts, *([self.api.process] if self.api.process else [])]
        for process in processes:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGCONT)
                    process.terminate()
        for process in processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(10)
        for host in self.hosts:
            wait_for("the end of a session", lambda pid=host.pid: not _session(pid), 20)
        self.redis.close()
        self.postgres.drop(self.database)


def _session(pid: int) -> bool:
    """Whether any process of a session is left."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == pid and fields[0] != "Z":
            return True
    return False
