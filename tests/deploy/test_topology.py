"""What docker-compose.yml puts together, from local programs by the same scripts, files and commands.

Scripts make the secrets and the first tokens; Redis takes its file and its password; API and workers find
theirs in a folder; Prometheus scrapes with a viewer's token and evaluates the shipped rules.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import psycopg
import pytest
import yaml

from tests.support.needed import need
from tests.support.postgres import Postgres
from tests.support.service import FINAL, wait_for
from tools.servers import free_port
from tools.servers.redis import program

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
JOB = {
    "name": "=topology",
    "deals": {"first": 1, "count": 40},
    "variants": ["spider-1"],
    "evaluators": [{"player": "hint"}],
}


class Stack:
    """The processes of compose, by their names there."""

    def __init__(self, folder: Path, postgres: Postgres) -> None:
        self.folder = folder
        self.secrets = folder / "secrets"
        self.redis_port, self.api_port, self.prometheus_port = free_port(), free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.api_port}"
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.database = postgres.create("topology")
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SPIDERVET_SECRETS_DIR": str(self.secrets / "app"),
            "SPIDERVET_LOG_FORMAT": "json",
            "SPIDERVET_LOG_LEVEL": "INFO",
            "SPIDERVET_DATA": str(folder / "data"),
            "SPIDERVET_WORKERS": "2",
        }

    def script(self, name: str) -> None:
        """Run secrets.sh or migrate.sh as compose does."""
        command = ["sh", str(DEPLOY / name), str(self.secrets)]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def point_to_local_ports(self) -> None:
        """The URLs name compose's hosts; here everything is on loopback."""
        app = self.secrets / "app"
        for name, text in (
            ("spidervet_database_url", self.database),
            (
                "spidervet_broker_url",
                f"redis://:{self.secret('redis/password')}@127.0.0.1:{self.redis_port}/0",
            ),
        ):
            (app / name).unlink()
            (app / name).write_text(text)

    def secret(self, name: str) -> str:
        return (self.secrets / name).read_text().strip()

    def start(self, name: str, command: list[str]) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, env=self.environment, stdout=log, stderr=log, cwd=self.folder
            )

    def start_redis(self) -> None:
        shipped = SERVICES["redis"]["command"]
        assert shipped[0] == "redis-server"
        places = {
            "/etc/redis.conf": str(DEPLOY / "redis.conf"),
            "/secrets/redis/auth.conf": str(self.secrets / "redis" / "auth.conf"),
            "/data": str(self.folder / "redis"),
        }
        (self.folder / "redis").mkdir()
        command = [program(), *(places.get(word, word) for word in shipped[1:])]
        self.start("redis", [*command, "--port", str(self.redis_port), "--bind", "127.0.0.1"])

    def start_service(self) -> None:
        serve = [
            {"0.0.0.0": "127.0.0.1", "8000": str(self.api_port)}.get(w, w) for w in SERVICES["api"]["command"]
        ]
        self.start("api", ["spidervet", *serve])
        self.start("worker", ["spidervet", *SERVICES["worker"]["command"]])

    def start_prometheus(self) -> None:
        folder = self.folder / "prometheus"
        shutil.copytree(DEPLOY / "prometheus", folder)
        config = (folder / "prometheus.yml").read_text()
        for shipped, here in (
            ("api:8000", f"127.0.0.1:{self.api_port}"),
            ("/secrets/prometheus/token", str(self.secrets / "prometheus" / "token")),
            ("_interval: 15s", "_interval: 1s"),
        ):
            assert shipped in config
            config = config.replace(shipped, here)
        (folder / "prometheus.yml").write_text(config)
        self.start(
            "prometheus",
            ["prometheus", f"--config.file={folder / 'prometheus.yml'}",
             f"--storage.tsdb.path={self.folder / 'tsdb'}",
             f"--web.listen-address=127.0.0.1:{self.prometheus_port}"],
        )  # fmt: skip

    def healthy(self, *arguments: str) -> bool:
        command = ["spidervet", "health", *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, check=False).returncode == 0

    def ask(self, query: str) -> list[dict[str, Any]]:
        """Prometheus' answer to a query; empty while it is not there."""
        url = f"http://127.0.0.1:{self.prometheus_port}/api/v1/query?query={quote(query)}"
        try:
            answer = httpx2.get(url, timeout=5)
        except httpx2.HTTPError:
            return []
        return list(answer.json()["data"]["result"]) if answer.status_code == 200 else []

    def call(self, method: str, path: str, token: str = "", body: Any = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.request(method, self.url + path, json=body, headers=headers, timeout=30)

    def close(self) -> None:
        for name in ("worker", "api", "prometheus", "redis"):
            process = self.running.get(name)
            if process is not None and process.poll() is None:
                process.terminate()
                try:
                    process.wait(40)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


@pytest.fixture
def stack(tmp_path: Path, postgres: Postgres) -> Iterator[Stack]:
    need("prometheus")
    it = Stack(tmp_path, postgres)
    yield it
    it.close()
    postgres.drop("topology")


@pytest.mark.postgres
@pytest.mark.redis
def test_the_topology_of_compose_from_local_programs(stack: Stack) -> None:
    stack.script("secrets.sh")
    kept = stack.secret("postgres/password")
    assert len(kept) == 64
    assert kept in stack.secret("app/spidervet_database_url")
    stack.script("secrets.sh")
    assert stack.secret("postgres/password") == kept, "a second start keeps the secrets"
    stack.point_to_local_ports()
    stack.start_redis()
    stack.script("migrate.sh")
    admin, viewer = stack.secret("admin/token"), stack.secret("prometheus/token")
    assert (stack.secrets / "admin" / "token").stat().st_mode & 0o077 == 0
    stack.script("migrate.sh")
    assert stack.secret("admin/token") == admin

    stack.start_service()
    wait_for("a healthy API", lambda: stack.healthy("--url", stack.url), 60)
    wait_for("a healthy worker", lambda: stack.healthy("--worker"), 60)
    stack.start_prometheus()
    assert stack.call("GET", "/metrics").status_code == 401
    assert stack.call("POST", "/v1/jobs", viewer, JOB).status_code == 403
    made = stack.call("POST", "/v1/jobs", admin, JOB)
    assert made.status_code == 202, made.text
    url = f"/v1/jobs/{made.json()['id']}"
    wait_for("the end", lambda: stack.call("GET", url, viewer).json()["state"] in FINAL, 60)
    job = stack.call("GET", url, viewer).json()
    assert (job["state"], job["counts"]["done"], job["owner"]) == ("completed", 40, "first-admin")
    lines = stack.call("GET", f"{url}/report.csv", viewer).text.splitlines()
    assert len(lines) == 41
    assert lines[1].startswith("'=topology,")

    with psycopg.connect(stack.database, autocommit=True) as conn:
        found = conn.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'spidervet'")
        assert 0 < found.fetchone()[0] <= 10 + 2 * 3 + 1, "the budget of docs/operations.md"  # type: ignore[index]

    wait_for("a scrape", lambda: stack.ask('up{job="spidervet"} == 1'), 60)
    wait_for("forty deals", lambda: stack.ask("sum(spidervet_deals_total) == 40"), 60)
    wait_for("a recorded rule", lambda: stack.ask("spidervet:deals:rate5m"), 60)
    assert stack.ask("ALERTS{alertstate='firing'}") == []
    told = [json.loads(x) for x in (stack.folder / "worker.log").read_text().splitlines() if x[:1] == "{"]
    stored = [line for line in told if line["event"] == "chunk.stored"]
    assert sum(line["rows"] for line in stored) == 40
    assert {line["job"] for line in stored} == {job["id"]}
    assert all(line["chunk"] for line in stored)
    for name in ("worker.log", "api.log"):
        text = (stack.folder / name).read_text()
        for secret in (admin, viewer, stack.secret("redis/password")):
            assert secret not in text, f"{name} carries a secret"
