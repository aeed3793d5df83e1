"""What the service costs beside the engine: CPU time of whole chunks against bare native calls.

    python -m benchmarks.overhead [--chunk-seconds 3] [--chunk-deals N] [--rounds 5]

Both are counted in CPU seconds, not in wall time, so that a busy machine changes little; on PostgreSQL the
server's own CPU time is added. A chunk is everything that a worker does: claim, evaluate, store, sums.

Equal calls still differ by some per cent from one minute to the next. So the last column tells a second
figure, which hardly moves: what a chunk takes outside the native call that it makes, beside that call.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pydantic import SecretStr
from sqlalchemy import select

from engine.players import PlayerSpec, play_batch
from evaluation import evaluate
from evaluation.db import Database
from evaluation.ledger.control import cancel
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.submit import submit
from evaluation.ledger.workers import report_alive
from evaluation.migrate import upgrade
from evaluation.runner import Runner
from evaluation.schema import Chunk
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from evaluation.versions import engine_version
from tools.servers.postgres import Postgres

VARIANTS = ("spider-1", "spiderette-4")


@dataclass(frozen=True)
class Cost:
    """CPU seconds of some deals. call_s: of the service's, those within the engine's call."""

    deals: int
    service_s: float
    engine_s: float
    call_s: float

    @property
    def overhead(self) -> float:
        return self.service_s / self.engine_s - 1

    @property
    def beside(self) -> float:
        return self.service_s / self.call_s - 1


@contextmanager
def calls_timed() -> Iterator[list[float]]:
    """CPU seconds of each call that the service makes of the engine, as they come."""
    seconds: list[float] = []

    def timed(*arguments: Any) -> Any:
        before = time.thread_time()
        try:
            return play_batch(*arguments)
        finally:
            seconds.append(time.thread_time() - before)

    with patch.object(evaluate, "play_batch", timed):
        yield seconds


def cpu_below(pid: int) -> float:
    """CPU seconds of a process and its children, living and reaped."""
    total, ticks = 0.0, os.sysconf("SC_CLK_TCK")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == pid or int(fields[1]) == pid:
            total += (int(fields[11]) + int(fields[12])) / ticks
    return total


def measure(db: Database, settings: Settings, variant: str, rounds: int, server: int | None) -> Cost:
    """Run chunks of a job in this process, and each one's deals by a bare call right after it."""
    body = {
        "deals": {"first": 1, "count": 1_000_000},
        "variants": [variant],
        "evaluators": [{"player": "hint"}],
    }
    plan = plan_job(parse_spec(body), settings)
    job_id = submit(db, plan, settings).job_id
    report_alive(db, "bench", "bench", os.getpid(), engine_version(), 1, "ready")
    runner = Runner(db, settings, "bench/1", engine_version())
    for chunk in next_to_send(db, settings)[:1]:
        runner.run(chunk.chunk_id)  # their cost decides the size of those that count
    total = Cost(0, 0.0, 0.0, 0.0)
    for _ in range(rounds):
        chunk_id = next_to_send(db, settings)[-1].chunk_id
        before = cpu_below(server) if server else 0.0
        before += time.process_time()  # read last: looking at the server takes some milliseconds itself
        with calls_timed() as calls:
            runner.run(chunk_id)
        after = time.process_time() + (cpu_below(server) if server else 0.0)
        with db.read() as conn:
            start, size = conn.execute(select(Chunk.start, Chunk.size).where(Chunk.id == chunk_id)).one()
        packed = plan.source.packed(plan.arms[0].variant, range(start, start + size))
        bare = time.process_time()
        play_batch(plan.arms[0].variant, packed, PlayerSpec("hint"), [1] * size)
        bare = time.process_time() - bare
        total = Cost(
            total.deals + size,
            total.service_s + after - before,
            total.engine_s + bare,
            total.call_s + sum(calls),
        )
    cancel(db, job_id)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunk-seconds", type=float, default=Settings().chunk_seconds)
    parser.add_argument("--chunk-deals", type=int, help="deals a chunk, whatever they take")
    parser.add_argument("--beat", type=float, default=Settings().beat_s, help="seconds between reports")
    parser.add_argument("--variants", nargs="+", default=VARIANTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ledgers", nargs="+", default=["SQLite", "PostgreSQL"])
    arguments = parser.parse_args()
    print(
        "| ledger | variant | deals | a chunk | engine µs | service µs | overhead | outside the call |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    folder = Path(tempfile.mkdtemp())
    plain = Settings(
        data=folder, chunk_seconds=arguments.chunk_seconds, chunks_ahead=1, beat_s=arguments.beat
    )
    if arguments.chunk_deals:
        plain = plain.model_copy(update={"chunk_seconds": 1e6, "chunk_max_units": arguments.chunk_deals})
    server = Postgres()
    try:
        url = SecretStr(server.create("bench"))
        for name, settings, pid in (
            ("SQLite", plain, None),
            ("PostgreSQL", plain.model_copy(update={"database_url": url}), server.server_pid),
        ):
            if name not in arguments.ledgers:
                continue
            db = Database.from_settings(settings)
            upgrade(db)
            for variant in arguments.variants:
                cost = measure(db, settings, variant, arguments.rounds, pid)
                per = cost.deals / arguments.rounds
                engine, service = 1e6 * cost.engine_s / cost.deals, 1e6 * cost.service_s / cost.deals
                print(
                    f"| {name} | {variant} | {cost.deals} | {per:.0f} deals | {engine:.0f} | {service:.0f} |"
                    f" {100 * cost.overhead:.1f} % | {100 * cost.beside:.1f} % |",
                    flush=True,
                )
            db.dispose()
    finally:
        server.close()


if __name__ == "__main__":
    main()
