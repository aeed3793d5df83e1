"""Every setting of every process, in one typed class read from `SPIDERVET_…` variables.

A value may also come from a file named like the variable in the folder `SPIDERVET_SECRETS_DIR`
(compose and Kubernetes secrets). `spidervet config` prints the values in force; docs/settings.md
lists them and a test holds that list complete.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Settings with their defaults; each field is `SPIDERVET_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="SPIDERVET_", extra="ignore", frozen=True)

    data: Path = Field(Path("spidervet-data"), description="folder of the ledger and of the broker's files")
    database_url: SecretStr | None = Field(
        None, description="SQLAlchemy URL of the ledger; empty is SQLite under `data`"
    )
    broker_url: SecretStr | None = Field(
        None, description="Celery broker, e.g. redis://…; empty is files under `data`"
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR")
    log_format: str = Field("text", pattern="^(text|json)$", description="text for people, json for machines")

    host: str = Field("127.0.0.1", description="address that the API listens on")
    port: int = Field(8000, ge=0, le=65535, description="port of the API; 0 takes a free one")
    max_body_bytes: int = Field(8_000_000, gt=0, description="largest request body")
    body_seconds: float = Field(
        30.0, gt=0, description="how long a request's head, and its body, may take to come"
    )
    max_connections: int = Field(1_000, gt=0, description="connections that one API process serves at once")
    allowed_hosts: str = Field(
        "",
        description="host names (commas between) that a service without tokens answers to besides loopback",
    )
    trusted_proxies: str = Field(
        "127.0.0.1", description="addresses whose X-Forwarded-For and -Proto are believed; * is all"
    )
    session_hours: float = Field(12.0, gt=0, description="how long a browser stays signed in")
    token_open_jobs: int = Field(50, gt=0, description="jobs that one token may have open at once")
    token_nodes: int = Field(
        1_000_000_000_000, gt=0, description="solver nodes that one job of a token may ask for in all"
    )
    token_rate: int = Field(1_200, gt=0, description="requests a minute of one token, in one API process")
    login_rate: int = Field(30, gt=0, description="wrong tokens a minute that one address may send")
    max_open_streams: int = Field(500, gt=0, description="event streams open at once in one API process")
    stop_grace_s: float = Field(
        20.0, gt=0, description="how long workers may take to stop before they are killed"
    )

    max_seeds: int = Field(5_000_000, gt=0, description="most deals in one job")
    max_repeats: int = Field(1_000, gt=0, description="most games of one deal by one arm")
    max_arms: int = Field(64, gt=0, description="most arms in one job")
    max_units: int = Field(50_000_000, gt=0, description="most rows that one job may produce")
    max_nodes: int = Field(200_000_000, gt=0, description="largest solver budget for one deal, in nodes")
    max_player_samples: int = Field(4_096, gt=0, description="largest value of a player's numeric option")
    max_page_rows: int = Field(1_000, gt=0, description="most rows in one page of results")

    interactive_nodes: int = Field(2_000_000, gt=0, description="largest budget of POST /v1/deals/solve")
    interactive_seconds: float = Field(20.0, gt=0, description="time limit of POST /v1/deals/solve and /play")
    interactive_calls: int = Field(2, gt=0, description="solves and plays that one API process runs at once")

    workers: int = Field(
        0, ge=0, le=1024, description="worker processes of `serve` and `worker`; 0 is one a core"
    )
    chunk_seconds: float = Field(3.0, gt=0, description="work aimed at in one chunk, by measured cost")
    chunk_max_units: int = Field(20_000, gt=0, description="most deals in one chunk")
    chunk_soft_s: float = Field(
        60.0, gt=0, description="a chunk running longer hands back what is left of it"
    )
    chunk_hard_s: float = Field(
        3600.0,
        gt=0,
        description="a chunk's process is killed after this long; must be more than one deal takes",
    )
    chunks_ahead: int = Field(4, gt=0, description="chunks cut and sent ahead for each worker process")
    worker_max_memory_kb: int = Field(
        2_000_000, gt=0, description="a worker process above this is replaced after its chunk"
    )
    solver_memory_mb: int = Field(
        512, gt=0, le=1 << 20, description="bound on the tables of one search: the most a job may ask for"
    )

    lease_s: float = Field(20.0, gt=0, description="a lease without progress for this long is taken back")
    beat_s: float = Field(0.5, gt=0, description="how often a worker reports progress and looks for a cancel")
    worker_stale_s: float = Field(15.0, gt=0, description="a worker unseen for this long counts as gone")
    worker_stall_s: float = Field(
        20.0, gt=0, description="a worker that ignores waiting messages for this long starts again"
    )
    resend_s: float = Field(
        15.0, gt=0, description="a chunk sent but not claimed for this long is sent again"
    )
    dispatch_s: float = Field(0.2, gt=0, description="pause between looks of the dispatcher and the reaper")
    max_attempts: int = Field(3, gt=0, description="lost leases before a chunk is split or set aside")
    lock_s: float = Field(10.0, gt=0, description="how long the dispatcher's lock outlives its holder")
    small_job_seconds: float = Field(
        30.0, ge=0, description="a job estimated below this goes to the interactive queue"
    )

    vetting_key: SecretStr | None = Field(
        None, description="64 hex digits around stored secrets of vetting; empty is vetting.key under `data`"
    )
    vetting_days: int = Field(1, ge=0, le=60, description="days ahead that must be published, or it alerts")
    vetting_max_days: int = Field(400, gt=0, description="most dates in one vetting run")
    replay_attempts: int = Field(20, gt=0, description="replays of one daily that one player may send")
    replay_rate: int = Field(60, gt=0, description="replays of dailies that one address may send a minute")
    replay_bound: int = Field(
        2_000, gt=0, description="positions looked at before a lost replay counts as unfinished"
    )
    notify_key: SecretStr | None = Field(
        None, description="key that completion messages are signed with; without it jobs cannot ask for one"
    )
    notify_allow: str = Field(
        "", description="host names and networks (commas between) that messages may go to though not public"
    )
    notify_timeout_s: float = Field(10.0, gt=0, description="how long the receiver of a message may take")
    notify_attempts: int = Field(8, gt=0, description="attempts before a message is given up")
    notify_pause_s: float = Field(
        10.0, gt=0, description="pause after the first failed attempt; each further one is four times as long"
    )
    notify_look_s: float = Field(1.0, gt=0, description="pause between looks for messages to be sent")

    retention_days: float = Field(
        0.0, ge=0, description="`db prune` removes finished jobs older than this; 0 keeps"
    )
    db_pool_size: int = Field(5, gt=0, description="connections that one API process keeps to PostgreSQL")
    db_statement_s: float = Field(
        300.0, ge=0, description="PostgreSQL ends a statement that takes longer; 0 sets no limit"
    )
    sqlite_busy_s: float = Field(30.0, gt=0, description="how long SQLite waits for a lock")

    test_fault: str = Field("", description="a fault on purpose, for tests only: `worker.faults`")

    def sql_url(self) -> str:
        """The ledger's SQLAlchemy URL, PostgreSQL always by psycopg 3."""
        if self.database_url is None:
            return f"sqlite:///{self.data.absolute() / 'ledger.sqlite3'}"
        url = self.database_url.get_secret_value()
        for plain in ("postgresql://", "postgres://"):
            if url.startswith(plain):
                return "postgresql+psycopg://" + url.removeprefix(plain)
        return url

    @property
    def worker_processes(self) -> int:
        """Number of worker processes, with 0 resolved to the cores that this process may use."""
        return self.workers or len(os.sched_getaffinity(0))


PREFIX = "SPIDERVET_"
ELSEWHERE = ("SECRETS_DIR", "TOKEN", "URL", "MASTER_KEY", "TAG", "TEST_FAULT")
"""Variables that are no settings of the service: of clients, of `vet`, of docker-compose.yml, of tests."""


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Variables that look like settings and are none, such as a misspelt one. What Kubernetes and Docker set
    for the addresses of neighbouring services is left out."""
    known = {*map(str.upper, Settings.model_fields), *ELSEWHERE}
    names = [name for name in environment if name.startswith(PREFIX)]
    return [
        name
        for name in sorted(names)
        if name.removeprefix(PREFIX) not in known
        and "_SERVICE_" not in name
        and not environment[name].startswith(("tcp://", "udp://"))
        and not re.search(r"_PORT_[0-9]+_", name)
    ]


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process, read once. Raises pydantic.ValidationError naming the variable."""
    folder = os.environ.get("SPIDERVET_SECRETS_DIR")
    return Settings(_secrets_dir=folder) if folder else Settings()
