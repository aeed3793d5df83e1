"""Real processes for tests: `spidervet serve`, a lone API, a lone worker, on free ports and folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

FINAL = ("completed", "completed_with_errors", "cancelled", "failed")


def wait_for(what: str, check: Callable[[], Any], timeout_s: float = 60.0) -> Any:
    """Poll until `check` gives something true; fail naming what did not come."""
    deadline = time.monotonic() + timeout_s
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come within {timeout_s:.0f} s")
        time.sleep(0.1)


@dataclass
class Service:
    """A running API with whatever works for it. ``url`` is known once `start` returns."""

    data: Path
    env: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ("serve", "--port", "0")
    url: str = ""
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.data.parent / f"{self.data.name}.log"

    def start(self) -> Service:
        """Start it and wait until it is ready."""
        self.data.parent.mkdir(parents=True, exist_ok=True)
        start = self.log.stat().st_size if self.log.exists() else 0
        self.process = spawn(self.arguments, self.data, self.env, self.log)

        def address() -> str:
            assert self.process is not None
            if self.process.poll() is not None:
                raise AssertionError(
                    f"serve ended with {self.process.returncode}:\n{self.log.read_text()[-3000:]}"
                )
            with self.log.open() as file:
                file.seek(start)
                text = file.read()
            _, found, rest = text.partition("spidervet serves ")
            return rest.split()[0] if found and rest.split() else ""

        self.url = wait_for("the service's address", address)
        wait_for("readiness", self._ready)
        return self

    def _ready(self) -> bool:
        try:
            return bool(httpx2.get(f"{self.url}/readyz", timeout=5).status_code == 200)
        except httpx2.HTTPError:
            return False

    def workers(self, at_least: int = 1) -> list[dict[str, Any]]:
        """Worker hosts that are ready, once there are as many."""

        def look() -> list[dict[str, Any]]:
            ready = [w for w in self.get("/v1/workers")["workers"] if w["state"] == "ready"]
            return ready if len(ready) >= at_least else []

        return list(wait_for(f"{at_least} workers", look))

    def get(self, path: str) -> Any:
        return httpx2.get(f"{self.url}{path}", timeout=30).raise_for_status().json()

    def post(self, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        return httpx2.post(f"{self.url}{path}", json=body, headers=headers, timeout=30)

    def submit(self, body: dict[str, Any]) -> str:
        answer = self.post("/v1/jobs", body)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    def job(self, job_id: str) -> dict[str, Any]:
        """The job; its counts must add up in every snapshot."""
        job = self.get(f"/v1/jobs/{job_id}")
        counts = job["counts"]
        assert sum(counts[k] for k in ("pending", "leased", "done", "failed", "cancelled")) == counts["total"]
        assert min(counts.values()) >= 0
        return dict(job)

    def finished(self, job_id: str, timeout_s: float = 120.0) -> dict[str, Any]:
        """The job once it is in a final state; progress must never go back on the way."""
        best = 0.0

        def look() -> dict[str, Any] | None:
            nonlocal best
            try:
                job = self.job(job_id)
            except (httpx2.HTTPError, OSError):
                return None
            assert best <= job["progress"] <= 1
            best = job["progress"]
            return job if job["state"] in FINAL else None

        return dict(wait_for(f"the end of job {job_id}", look, timeout_s))

    def wait_done(self, job_id: str, units: int, timeout_s: float = 60.0) -> None:
        """Wait until at least ``units`` rows are in."""
        wait_for(f"{units} rows", lambda: self.job(job_id)["counts"]["done"] >= units, timeout_s)

    def rows(self, job_id: str) -> list[dict[str, Any]]:
        """Every row by pages."""
        out: list[dict[str, Any]] = []
        path = f"/v1/jobs/{job_id}/results?limit=1000"
        cursor = ""
        while True:
            page = self.get(path + cursor)
            out += page["results"]
            if page["next"] is None:
                return out
            cursor = f"&cursor={page['next']}"

    def csv(self, job_id: str) -> list[str]:
        text = httpx2.get(f"{self.url}/v1/jobs/{job_id}/report.csv", timeout=60).raise_for_status().text
        return text.splitlines()

    def stop(self, how: int = signal.SIGTERM, timeout_s: float = 30.0) -> int:
        """Signal it and wait; gives its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(timeout_s)


def spawn(
    arguments: tuple[str, ...], data: Path, env: Mapping[str, str], log: Path, before: tuple[str, ...] = ()
) -> subprocess.Popen[bytes]:
    """A `spidervet` process over a data folder, its output in a file. before: a command that starts it."""
    full = {**os.environ, "SPIDERVET_DATA": str(data), "SPIDERVET_WORKERS": "2", **env}
    with log.open("ab") as file:
        return subprocess.Popen(
            [*before, sys.executable, "-m", "cli.main", *arguments], env=full, stdout=file, stderr=file,
            start_new_session=True,
        )  # fmt: skip


def children(pid: int) -> list[int]:
    """Direct child processes."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return sorted(found)


@contextmanager
def serving(data: Path, **env: str) -> Iterator[Service]:
    """A service that is stopped at the end, whatever happens."""
    service = Service(data, {f"SPIDERVET_{k.upper()}": v for k, v in env.items()})
    try:
        yield service.start()
    finally:
        if service.process is not None and service.process.poll() is None:
            try:
                service.stop()
            except subprocess.TimeoutExpired:
                os.killpg(service.process.pid, signal.SIGKILL)
                service.process.wait()
