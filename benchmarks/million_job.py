"""A job of a million deals × 2 arms as the service runs it: PostgreSQL, Redis, an API process, worker hosts.

    python -m benchmarks.million_job [--deals 1000000] [--hosts 2] [--minutes 40] [--rows 10000000]
        [--folder /tmp]

Submits the job (`hint` on spider-1 and spiderette-4) and follows it to its end or for so many minutes, after
which it is cancelled and what is done counts. Then: sums against rows; CSV and Parquet streamed over HTTP and
their rows counted by a reader; the peak memory of every process; and lists and details timed, once the table
of results has been filled up to `--rows` by copies of the job's own rows under other arms. A step that fails
is told and keeps the servers up, at the addresses printed, until SIGINT; the others are done all the same.
"""

from __future__ import annotations

import argparse
import csv
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pyarrow.parquet as pq
from pydantic import SecretStr
from sqlalchemy import text

from benchmarks.overhead import cpu_below
from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.settings import Settings
from tools.servers.postgres import Postgres
from tools.servers.redis import Redis

FINAL = ("completed", "completed_with_errors", "cancelled", "failed")
MILLION, TIMES = 1_000_000, 25
JOB: dict[str, Any] = {
    "name": "a million deals",
    "variants": ["spider-1", "spiderette-4"],
    "evaluators": [{"player": "hint"}],
}
COPY_JOB = """
INSERT INTO jobs SELECT (jsonb_populate_record(j, jsonb_build_object(
  'id', CAST(:new AS text), 'name', CAST(:new AS text), 'created_at', j.created_at + :n))).*
FROM jobs j WHERE id = :job
"""
COPY_ARM = """
INSERT INTO arms SELECT (jsonb_populate_record(a, jsonb_build_object(
  'id', nextval(pg_get_serial_sequence('arms', 'id')), 'job_id', CAST(:new AS text)))).*
FROM arms a WHERE id = :arm RETURNING id
"""


class House:
    """The processes of the topology, by what they are."""

    def __init__(self, folder: Path, hosts: int) -> None:
        self.postgres, self.redis = Postgres(), Redis(folder / "redis")
        self.url = self.postgres.create("million")
        self.env = {
            **os.environ, "SPIDERVET_DATABASE_URL": self.url, "SPIDERVET_BROKER_URL": self.redis.url,
            "SPIDERVET_DATA": str(folder / "data"), "SPIDERVET_WORKERS": "1",
            "SPIDERVET_LOG_LEVEL": "WARNING",
        }  # fmt: skip
        self.log = folder / "log"
        self._run("db", "upgrade").wait()
        self.api = self._run("serve", "--api-only", "--port", "0")
        self.hosts = [self._run("worker") for _ in range(hosts)]
        self.peaks: dict[str, int] = {}
        self.http = httpx2.Client(base_url=self._address(), timeout=600)

    def _run(self, *arguments: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as file:
            command = [sys.executable, "-m", "cli.main", *arguments]
            return subprocess.Popen(command, env=self.env, stdout=file, stderr=file)

    def _address(self) -> str:
        while True:
            _, found, rest = self.log.read_text().partition("spidervet serves ")
            if found and rest.split():
                return rest.split()[0]
            time.sleep(0.2)

    def kill_a_host(self) -> None:
        """SIGKILL the first worker host, as a machine that loses its power, and start another."""
        lost = self.hosts.pop(0)
        lost.kill()
        lost.wait()
        self.hosts.append(self._run("worker"))
        print(f"worker host {lost.pid} killed (SIGKILL); started {self.hosts[-1].pid}", flush=True)

    def look_at_memory(self) -> None:
        """Keep the largest resident size (VmHWM, shared pages and all) of each kind of process, in kB."""
        kinds = {self.api.pid: "API", **{host.pid: "worker host" for host in self.hosts}}
        postmaster = self.postgres.server_pid
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
            except (OSError, ValueError):
                continue
            pid, parent = int(fields["Pid"]), int(fields["PPid"])
            kind = kinds.get(pid)
            if kind is None and kinds.get(parent) == "worker host":
                kind = "worker process"
            if postmaster in (pid, parent):
                kind = "PostgreSQL process"
            if "redis" in fields["Name"] or "valkey" in fields["Name"]:
                kind = "Redis" if str(self.redis.port) in _command(pid) else None
            if kind and "VmHWM" in fields:
                self.peaks[kind] = max(self.peaks.get(kind, 0), int(fields["VmHWM"].split()[0]))

    def close(self) -> None:
        for process in (*self.hosts, self.api):
            process.send_signal(signal.SIGTERM)
        for process in (*self.hosts, self.api):
            process.wait(60)
        self.redis.close()
        self.postgres.close()


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@contextmanager
def house(folder: Path, hosts: int) -> Iterator[House]:
    made = House(folder, hosts)
    try:
        yield made
    finally:
        made.close()


def run(it: House, deals: int, minutes: float) -> dict[str, Any]:
    """Submit the job and follow it; tells how it goes once a minute."""
    while _hosts(it) != len(it.hosts):
        time.sleep(0.5)
    path = submit(it, deals)
    if deals != MILLION:  # a smaller run still tells how a million is taken
        it.http.post(f"{submit(it, MILLION)}/cancel").raise_for_status()
    started = told = time.monotonic()
    asked: list[float] = []
    killed = False
    while True:
        at = time.perf_counter()
        job: dict[str, Any] = it.http.get(path).json()
        asked.append(time.perf_counter() - at)
        it.look_at_memory()
        gone = time.monotonic() - started
        if not killed and job["counts"]["done"] > deals:  # half of deals x 2 arms
            killed = True
            it.kill_a_host()
        if time.monotonic() - told >= 60 or job["state"] in FINAL:
            told = time.monotonic()
            print(
                f"{gone:6.0f} s  {job['state']}  {job['counts']['done']:,} of {job['counts']['total']:,}"
                f"  eta {job['eta_s']} s  load {os.getloadavg()[0]:.1f}", flush=True,
            )  # fmt: skip
        if job["state"] in FINAL:
            print(f"asked {len(asked)} times meanwhile: {_times(asked)}")
            return job
        if gone > 60 * minutes:
            it.http.post(f"{path}/cancel")
        time.sleep(2)


def submit(it: House, deals: int) -> str:
    """Submit a job of so many deals; gives its path."""
    before = time.perf_counter()
    answer = it.http.post("/v1/jobs", json={**JOB, "deals": {"first": 1, "count": deals}})
    took = time.perf_counter() - before
    print(f"{deals:,} deals x 2 arms accepted ({answer.status_code}) in {took:.3f} s", flush=True)
    return f"/v1/jobs/{answer.json()['id']}"


def retries(it: House) -> None:
    """What the ledger counted of lost leases and chunks tried again."""
    for line in it.http.get("/metrics").text.splitlines():
        if line.startswith(("spidervet_chunk_retries", "spidervet_leases_lost")):
            print(line, flush=True)


def check(it: House, job: str) -> None:
    """Recount all sums from the rows."""
    at = time.perf_counter()
    db = Database.from_settings(Settings(database_url=SecretStr(it.url), db_statement_s=0))
    found = check_ledger(db)
    db.dispose()
    told = [f"{fault.where}: {fault.what}" for fault in found.faults] or "sums are those of the rows"
    print(f"db check of {job}: {found.rows:,} rows, {told}, {time.perf_counter() - at:.0f} s", flush=True)


def _hosts(it: House) -> int:
    try:
        return len(it.http.get("/v1/workers").json()["workers"])
    except httpx2.HTTPError:
        return 0


def _times(seconds: list[float]) -> str:
    return f"least {1000 * min(seconds):.1f} ms, middle {1000 * statistics.median(seconds):.1f} ms"


def stream(it: House, job: str, folder: Path) -> None:
    """Download both files; the API's memory is its peak since it began, before and after."""
    for kind in ("csv", "parquet"):
        it.look_at_memory()
        before, path = it.peaks["API"], folder / f"report.{kind}"
        at = time.perf_counter()
        with it.http.stream("GET", f"/v1/jobs/{job}/report.{kind}") as answer, path.open("wb") as file:
            said = answer.headers.get("spidervet-rows")
            for piece in answer.iter_bytes():
                file.write(piece)
        took = time.perf_counter() - at
        it.look_at_memory()
        with path.open(newline="") as table:
            found = (
                sum(1 for _ in csv.reader(table)) - 1 if kind == "csv" else pq.read_metadata(path).num_rows
            )
        print(
            f"{kind}: {said} rows said, {found:,} found, {path.stat().st_size:,} bytes, {took:.0f} s,"
            f" API's peak {before // 1024} MB before, {it.peaks['API'] // 1024} MB after", flush=True,
        )  # fmt: skip


def fill(it: House, job: str, rows: int) -> None:
    """Copies of the job under other names until there are so many rows."""
    settings = Settings(database_url=SecretStr(it.url), db_statement_s=0)
    db = Database.from_settings(settings)
    with db.read() as conn:
        arms = (
            conn.execute(text("SELECT id FROM arms WHERE job_id = :j ORDER BY number"), {"j": job})
            .scalars()
            .all()
        )
        have = conn.execute(text("SELECT count(*) FROM results")).scalar_one()
        columns = [
            c for c in conn.execute(text(
                "SELECT column_name FROM information_schema.columns WHERE table_name = 'results'"
                " AND table_schema = 'public' ORDER BY ordinal_position"
            )).scalars() if c != "arm_id"
        ]  # fmt: skip
    named, n = ", ".join(columns), 0
    while have < rows:
        n += 1
        new = f"copy-{n:04d}"
        with db.write() as conn:
            conn.execute(text(COPY_JOB), {"new": new, "n": n, "job": job})
            for arm in arms:
                made = conn.execute(text(COPY_ARM), {"new": new, "arm": arm}).scalar_one()
                rows_of = f"SELECT :made, {named} FROM results WHERE arm_id = :arm"
                copied = text(f"INSERT INTO results (arm_id, {named}) {rows_of}")
                have += conn.execute(copied, {"made": made, "arm": arm}).rowcount
        print(f"{have:,} rows after {n} copies", flush=True)
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        conn.execute(text("VACUUM ANALYZE"))
        size = conn.execute(text("SELECT pg_size_pretty(pg_total_relation_size('results'))")).scalar_one()
    print(f"{have:,} rows of results, {size} with indexes; the filling is by copies, as said")
    db.dispose()


def _cpu(it: House) -> float:
    """CPU seconds so far of the API and of PostgreSQL with its connections."""
    return cpu_below(it.api.pid) + cpu_below(it.postgres.server_pid)


def ask(it: House, job: str) -> None:
    """Time what people and programs ask for most: least and middle ms, and CPU ms of API and PostgreSQL."""
    print(f"load {os.getloadavg()[0]:.1f}")
    for name, path in {
        "GET /v1/jobs": "/v1/jobs",
        "GET /v1/jobs/{id}": f"/v1/jobs/{job}",
        "GET / (page)": "/",
        "GET /jobs/{id} (page)": f"/jobs/{job}",
        "results, first 100 rows": f"/v1/jobs/{job}/results",
        "results page (won)": f"/jobs/{job}/results?arm=0&won=1",
        "GET /metrics": "/metrics",
    }.items():
        seconds, cpu = [], _cpu(it)
        for _ in range(TIMES):
            at = time.perf_counter()
            answer = it.http.get(path, headers={"Accept": "text/html"} if "page" in name else {})
            seconds.append(time.perf_counter() - at)
            answer.raise_for_status()
        least, middle, used = min(seconds), statistics.median(seconds), (_cpu(it) - cpu) / TIMES
        print(f"| {name} | {1000 * least:.1f} | {1000 * middle:.1f} | {1000 * used:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=MILLION)
    parser.add_argument("--hosts", type=int, default=2, help="worker hosts of one process each")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", help="where files go (some 300 MB), by default the system's folder")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=arguments.folder) as name,
        house(Path(name), arguments.hosts) as it,
    ):
        print(f"ledger {it.url}, API {it.http.base_url}, log {it.log}", flush=True)
        job = run(it, arguments.deals, arguments.minutes)["id"]
        print(f"job {job}", flush=True)
        steps: dict[str, Callable[[], None]] = {
            "retries": lambda: retries(it),
            "check": lambda: check(it, job),
            "stream": lambda: stream(it, job, Path(name)),
            "peaks": lambda: peaks(it),
            "fill": lambda: fill(it, job, arguments.rows),
            "ask": lambda: ask(it, job),
            "peaks after all": lambda: peaks(it),
        }
        if failed := [name for name, step in steps.items() if not _done(step)]:
            print(f"failed: {', '.join(failed)}; the servers stay until SIGINT", flush=True)
            with suppress(KeyboardInterrupt):
                signal.pause()
        print(f"errors logged: {it.log.read_text().count('Traceback')}")


def _done(step: Callable[[], None]) -> bool:
    try:
        step()
    except Exception:
        traceback.print_exc()
        return False
    return True


def peaks(it: House) -> None:
    """The largest memory of each kind of process so far."""
    it.look_at_memory()
    print("peaks: " + ", ".join(f"{k} {v // 1024} MB" for k, v in sorted(it.peaks.items())), flush=True)


if __name__ == "__main__":
    main()
