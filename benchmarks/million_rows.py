"""The ledger at ten million rows: what lists, details, pages, /metrics and downloads cost on PostgreSQL.

    python -m benchmarks.million_rows [--jobs 10] [--rows 1000000]

A server of its own is filled with `--jobs` finished jobs of `--rows` rows each, written by SQL: their
cells are made up; their number, columns and indexes are what jobs of that size have. Then every request is
made several times through the API and the least and the middle time are told, and a CSV and a Parquet file
of one job are streamed by a fresh process each, whose peak memory is told and whose rows a reader counts.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq
from pydantic import SecretStr
from sqlalchemy import text
from starlette.testclient import TestClient

from api.app import create_app
from evaluation.db import Database
from evaluation.ledger.submit import submit
from evaluation.migrate import upgrade
from evaluation.reports.document import load_report
from evaluation.reports.files import WRITERS
from evaluation.rows import Row
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from evaluation.tally import Tally
from tools.servers.postgres import Postgres

FILL = """
INSERT INTO results
  (arm_id, ordinal, seed, outcome, won, moves, stock_deals, sequences, scores, nodes, seconds)
SELECT :arm, i, (i + 1)::text, CASE WHEN i % 5 = 0 THEN 'won' ELSE 'stuck' END, i % 5 = 0, 60 + i % 140, 5,
  CASE WHEN i % 5 = 0 THEN 8 ELSE i % 7 END, '{"windows":' || (440 - i % 140)::text || '}',
  900 + i % 400, 0.004
FROM generate_series(0, :rows - 1) AS i
"""
TIMES = 15


def fill(db: Database, settings: Settings, jobs: int, rows: int) -> list[str]:
    """Finished jobs of `rows` rows in two arms each; their sums are those of the rows."""
    ids, half = [], rows // 2
    tally = Tally.of(_like(i) for i in range(half)).to_bytes()
    for n in range(jobs):
        body = {
            "name": f"big {n}",
            "deals": {"first": 1, "count": half},
            "variants": ["spider-1", "spiderette-4"],
            "evaluators": [{"player": "hint"}],
        }
        job_id = submit(db, plan_job(parse_spec(body), settings), settings).job_id
        with db.write() as conn:
            for arm in conn.execute(text("SELECT id FROM arms WHERE job_id = :j"), {"j": job_id}).scalars():
                conn.execute(text(FILL), {"arm": arm, "rows": half})
            conn.execute(
                text("UPDATE arms SET tally = :t, cut = total, done = total WHERE job_id = :j"),
                {"t": tally, "j": job_id},
            )
            conn.execute(
                text(
                    "UPDATE jobs SET state = 'completed', done = total, running_at = created_at,"
                    " finished_at = created_at + 100 WHERE id = :j"
                ),
                {"j": job_id},
            )
        ids.append(job_id)
        print(f"filled {(n + 1) * rows:,} rows", file=sys.stderr, flush=True)
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        conn.execute(text("VACUUM ANALYZE"))
    return ids


def _like(i: int) -> Row:
    won = i % 5 == 0
    return Row(
        i, str(i + 1), "won" if won else "stuck", won, 60 + i % 140, 5, 8 if won else i % 7,
        {"windows": 440 - i % 140}, nodes=900 + i % 400, seconds=0.004,
    )  # fmt: skip


def ask(settings: Settings, ids: list[str]) -> None:
    """Time requests and print a table of them."""
    job, body = (
        ids[len(ids) // 2],
        {
            "deals": {"first": 1, "count": 1_000_000},
            "variants": ["spider-1", "spiderette-4"],
            "evaluators": [{"player": "hint"}],
        },
    )
    print("| request | least ms | middle ms |\n|---|---|---|")
    with TestClient(create_app(settings)) as client:
        middle = client.get(f"/v1/jobs/{job}/results?limit=1").json()["next"].partition(".")[0]
        at = f"cursor={middle}.250000"
        requests = {
            "GET /v1/jobs": "/v1/jobs",
            "GET /v1/jobs/{id}": f"/v1/jobs/{job}",
            "GET / (page)": "/",
            "GET /jobs/{id} (page)": f"/jobs/{job}",
            "results, first page of 100": f"/v1/jobs/{job}/results",
            "results, 100 rows from the middle": f"/v1/jobs/{job}/results?{at}",
            "results, won only, from the middle": f"/v1/jobs/{job}/results?outcome=won&{at}",
            "GET /metrics": "/metrics",
        }
        for name, path in requests.items():
            tell(name, [timed(client, "GET", path) for _ in range(TIMES)])
        tell("POST /v1/jobs, 1,000,000 × 2", [timed(client, "POST", "/v1/jobs", body) for _ in range(5)])


def timed(client: TestClient, method: str, path: str, body: object = None) -> float:
    started = time.perf_counter()
    answer = client.request(method, path, json=body)
    took = time.perf_counter() - started
    assert answer.status_code < 300, answer.text
    return took


def tell(name: str, seconds: list[float]) -> None:
    print(f"| {name} | {1000 * min(seconds):.1f} | {1000 * statistics.median(seconds):.1f} |", flush=True)


def stream(kind: str, job_id: str, path: Path) -> None:
    """In a process of its own: write a report, tell the peak of this process' memory."""
    settings = Settings()
    db = Database.from_settings(settings)
    report = load_report(db, job_id, settings)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with path.open("wb") as file:
        for piece in WRITERS[kind](report):
            file.write(piece)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{before} {used.ru_maxrss} {used.ru_utime + used.ru_stime:.1f}")


def download(settings: Settings, job_id: str, folder: Path) -> None:
    """Stream both formats and count what a reader finds."""
    print(
        "| report | rows found | bytes | CPU s | peak MB | MB before the first row |\n"
        "|---|---|---|---|---|---|"
    )
    assert settings.database_url is not None
    environment = {**os.environ, "SPIDERVET_DATABASE_URL": settings.database_url.get_secret_value()}
    for kind in ("csv", "parquet"):
        path = folder / f"report.{kind}"
        command = [sys.executable, "-m", "benchmarks.million_rows", "--stream", kind, job_id, str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        before, peak, cpu = done.stdout.split()
        with path.open(newline="") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1 if kind == "csv" else pq.read_metadata(path).num_rows
        print(
            f"| {kind} | {rows:,} | {path.stat().st_size:,} | {cpu} | {int(peak) // 1024} |"
            f" {int(before) // 1024} |",
            flush=True,
        )


def main() -> None:
    if sys.argv[1:2] == ["--stream"]:
        stream(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    folder, server = Path(tempfile.mkdtemp()), Postgres()
    try:
        settings = Settings(data=folder, database_url=SecretStr(server.create("bench")))
        db = Database.from_settings(settings)
        upgrade(db)
        ids = fill(db, settings, arguments.jobs, arguments.rows)
        db.dispose()
        ask(settings, ids)
        download(settings, ids[0], folder)
    finally:
        server.close()


if __name__ == "__main__":
    main()
