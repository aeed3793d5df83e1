"""The service as it runs on several machines, on one: Redis, PostgreSQL, the API and worker processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import orjson

from tools.servers.postgres import Postgres
from tools.servers.redis import Redis

FINAL = ("completed", "completed_with_errors", "cancelled", "failed")
START_S = 120.0
LOOK_S = 0.5


class Api:
    """The HTTP API of a running service."""

    def __init__(self, url: str) -> None:
        self._http = httpx2.Client(base_url=url, timeout=120)

    def run(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Submit a job, wait for its end and give its rows. Raises RuntimeError unless it completed."""
        answer = self._http.post("/v1/jobs", json=body).raise_for_status().json()
        path = f"/v1/jobs/{answer['id']}"
        while (state := self._http.get(path).raise_for_status().json()["state"]) not in FINAL:
            time.sleep(LOOK_S)
        if state != "completed":
            raise RuntimeError(f"{body['name']}: the job is {state}")
        text = self._http.get(f"{path}/report.ndjson").raise_for_status().content
        return [orjson.loads(line) for line in text.splitlines() if line]

    def ready(self) -> bool:
        try:
            return bool(self._http.get("/readyz").status_code == 200)
        except httpx2.HTTPError:
            return False


@contextmanager
def stack(python: str, workers: int) -> Iterator[Api]:
    """A service on free ports, all of it ended by id, also on SIGTERM. python: the interpreter whose spidervet
    serves. For the main thread only."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="spidervet-evidence-") as name:
        folder = Path(name)
        postgres, redis = Postgres(), Redis(folder / "redis")
        try:
            url = postgres.create("evidence")
            env = {
                **os.environ, "SPIDERVET_DATABASE_URL": url, "SPIDERVET_BROKER_URL": redis.url,
                "SPIDERVET_DATA": str(folder / "data"), "SPIDERVET_WORKERS": str(workers),
            }  # fmt: skip
            command = [python, "-m", "cli.main", "db", "upgrade"]
            subprocess.run(command, check=True, env=env, cwd=folder)
            with _serving(python, folder, env) as api:
                yield api
        finally:
            redis.close()
            postgres.close()


@contextmanager
def _serving(python: str, folder: Path, env: dict[str, str]) -> Iterator[Api]:
    log = folder / "serve.log"
    command = [python, "-m", "cli.main", "serve", "--port", "0"]
    with log.open("ab") as file:
        process = subprocess.Popen(
            command, env=env, cwd=folder, stdout=file, stderr=file, start_new_session=True
        )
    try:
        yield _api(process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def _api(process: subprocess.Popen[bytes], log: Path) -> Api:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        _, found, rest = log.read_text().partition("spidervet serves ")
        if found and rest.split() and (api := Api(rest.split()[0])).ready():
            return api
        if process.poll() is not None:
            break
        time.sleep(0.2)
    raise RuntimeError(f"the service did not start:\n{log.read_text()[-3000:]}")
