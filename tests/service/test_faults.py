"""Faults done to real processes: API, two worker hosts, Redis, PostgreSQL. Whatever happens, a job ends with
exactly its rows and sums."""

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from evaluation.broker import make_app, publish
from evaluation.schema import Chunk
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.support import netns
from tests.support.cluster import Cluster, expected_csv
from tests.support.postgres import Postgres
from tests.support.redis import Redis
from tests.support.service import children, wait_for

pytestmark = [pytest.mark.redis, pytest.mark.postgres]

JOB: dict[str, Any] = {
    "name": "faults",
    "deals": {"first": 1, "count": 120},
    "variants": ["spider-1", "spiderette-4"],
    "evaluators": [{"player": "hint"}, {"solver": {"nodes": 20_000}}],
}


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return expected_csv(JOB)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    made = Cluster(folder, postgres, Redis(folder / "redis"))
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture(autouse=True)
def whole(request: pytest.FixtureRequest) -> None:
    """Every test of the shared cluster begins with two worker hosts."""
    if "cluster" in request.fixturenames:
        cluster: Cluster = request.getfixturevalue("cluster")
        while len(cluster.living()) < 2:
            cluster.add_host()


def disturbed(cluster: Cluster, expected: list[str], fault: Callable[[], None], units: int = 60) -> str:
    """Submit the job, do the fault once ``units`` rows are in, and ask for exactly the right end."""
    job_id = cluster.api.submit(JOB)
    cluster.api.wait_done(job_id, units)
    assert cluster.api.job(job_id)["state"] == "running", "the job ended before the fault"
    fault()
    cluster.assert_exact(job_id, expected)
    return job_id


def test_a_killed_child(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, cluster.kill_child)


def test_a_killed_host(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, cluster.kill_host)


def test_a_killed_api(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, cluster.kill_api)


def test_redis_killed_with_all_it_held(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, cluster.restart_redis)


def test_redis_emptied(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, cluster.redis.flush)


def hang_redis(cluster: Cluster, seconds: float) -> None:
    """Redis accepts connections and answers nothing; the API answers as ever meanwhile."""
    cluster.redis.signal(signal.SIGSTOP)
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            started = time.monotonic()
            cluster.api.submit({**JOB, "deals": {"first": 1, "count": 1}})
            assert time.monotonic() - started < 5  # submitting does not wait for the broker
            time.sleep(0.5)
    finally:
        cluster.redis.signal(signal.SIGCONT)


def test_redis_hung_for_a_moment(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, lambda: hang_redis(cluster, 4))


@pytest.mark.slow
def test_redis_hung_for_twenty_seconds(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, lambda: hang_redis(cluster, 20))


def test_the_database_crashes_and_comes_back(cluster: Cluster, expected: list[str]) -> None:
    disturbed(cluster, expected, cluster.restart_postgres)


def test_the_database_is_away_for_a_while(cluster: Cluster, expected: list[str]) -> None:
    def away() -> None:
        cluster.postgres.stop("fast")
        answer = cluster.api.post("/v1/jobs", JOB)
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        time.sleep(2)
        cluster.postgres.start()

    disturbed(cluster, expected, away)


def test_a_table_is_locked(cluster: Cluster, expected: list[str]) -> None:
    def locked() -> None:
        with cluster.ledger() as db, db.write() as conn:
            conn.exec_driver_sql("lock table chunks in access exclusive mode")
            time.sleep(3)

    disturbed(cluster, expected, locked)


def test_a_frozen_host_loses_its_chunk_and_may_not_finish_it_later(
    cluster: Cluster, expected: list[str]
) -> None:
    job_id = cluster.api.submit(JOB)
    cluster.api.wait_done(job_id, 60)
    host = cluster.living()[0]
    frozen = [host.pid, *children(host.pid)]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        cluster.assert_exact(job_id, expected)
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    time.sleep(1)
    cluster.assert_exact(job_id, expected)


def test_a_frozen_process_is_replaced(cluster: Cluster, expected: list[str]) -> None:
    host = cluster.living()[0]

    def freeze() -> None:
        wait_for("its process at work", lambda: _busy(cluster, host.pid))
        (frozen,) = children(host.pid)
        os.kill(frozen, signal.SIGSTOP)
        wait_for("another in its place", lambda: children(host.pid) not in ([frozen], []), 30)
        before = _done_by(cluster, host.pid)
        again = cluster.api.submit({**JOB, "name": "again", "deals": {"first": 1, "count": 100_000}})
        wait_for("its work", lambda: _done_by(cluster, host.pid) > before, 30)
        cluster.api.post(f"/v1/jobs/{again}/cancel")

    disturbed(cluster, expected, freeze)


def test_every_message_comes_three_times(cluster: Cluster, expected: list[str]) -> None:
    settings = Settings(data=cluster.folder / "sender", broker_url=cluster.redis.url)  # type: ignore[arg-type]
    app, over = make_app(settings, engine_version()), threading.Event()

    def send_again() -> None:
        known: set[int] = set()
        with cluster.ledger() as db:
            while not over.wait(0.05):
                with db.read() as conn:
                    found = conn.execute(
                        select(Chunk.id, Chunk.queue).where(Chunk.sent_at.is_not(None))
                    ).all()
                for chunk in found:
                    if chunk.id not in known:
                        known.add(chunk.id)
                        publish(app, chunk.id, chunk.queue, engine_version())
                        publish(app, chunk.id, chunk.queue, engine_version())

    sender = threading.Thread(target=send_again)
    sender.start()
    try:
        disturbed(cluster, expected, lambda: None)
    finally:
        over.set()
        sender.join()
        app.close()


def test_a_host_whose_clock_is_a_minute_ahead(cluster: Cluster, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import time\n_real = time.time\ntime.time = lambda: _real() + 60\n"
        "_ns = time.time_ns\ntime.time_ns = lambda: _ns() + 60_000_000_000\n"
    )
    ahead = cluster.add_host(PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path[:1]]))
    cluster.api.workers(3)
    disturbed(cluster, expected, lambda: None)
    ahead.terminate()
    ahead.wait(30)


ENDLESS: dict[str, Any] = {
    "name": "endless",
    "deals": {"first": 1, "count": 20_000},
    "variants": ["spider-4"],
    "evaluators": [{"solver": {"nodes": 100_000_000, "shorten_nodes": 100_000_000}}],
}
"""More work than any machine does within a test: one deal alone is seconds of search."""


def test_a_host_told_to_stop_hands_back_at_once(cluster: Cluster) -> None:
    job_id = cluster.api.submit(ENDLESS)
    host, other = cluster.living()[:2]
    wait_for("both hosts at work", lambda: _busy(cluster, host.pid) and _busy(cluster, other.pid))
    started = time.monotonic()
    host.terminate()
    host.wait(30)
    assert time.monotonic() - started < 20
    wait_for("the chunk's return", lambda: not _busy(cluster, host.pid), 10)
    assert cluster.api.job(job_id)["state"] == "running"
    cluster.api.post(f"/v1/jobs/{job_id}/cancel")
    assert cluster.api.finished(job_id, 20)["state"] == "cancelled"


@pytest.mark.parametrize("fault", ["memory", "kill", "raise", "hang"])
def test_a_deal_that_ends_its_process_is_set_aside(fault: str, tmp_path: Path, postgres: Postgres) -> None:
    env = {"SPIDERVET_TEST_FAULT": f"{fault}:77", "SPIDERVET_MAX_ATTEMPTS": "2"}
    if fault == "hang":
        env["SPIDERVET_LEASE_S"] = "2"
    cluster = Cluster(tmp_path, postgres, Redis(tmp_path / "redis"), env)
    try:
        cluster.start(1)
        job_id = cluster.api.submit(
            {
                "deals": {"first": 74, "count": 6},
                "evaluators": [{"player": "hint"}],
                "variants": ["spider-1"],
            }
        )
        job = cluster.api.finished(job_id)
        assert job["state"] == "completed_with_errors"
        assert (job["counts"]["done"], job["counts"]["failed"]) == (5, 1)
        bad = [r for r in cluster.api.rows(job_id) if r["outcome"] == "failed"]
        assert [r["seed"] for r in bad] == ["77"]
        assert bad[0]["reason"]
    finally:
        cluster.close()


def soak(cluster: Cluster, kills: int, seed: int) -> None:
    """Random faults until the job is done and at least ``kills`` were done."""
    rng = random.Random(seed)
    faults: list[Callable[[], None]] = [
        cluster.kill_child, cluster.kill_child, cluster.kill_host, cluster.kill_api, cluster.restart_redis,
        cluster.redis.flush, cluster.restart_postgres,
    ]  # fmt: skip
    body = {**JOB, "deals": {"first": 1, "count": 60 * kills}}
    job_id = cluster.api.submit(body)
    for _ in range(kills):
        time.sleep(rng.uniform(0.5, 3))
        rng.choice(faults)()
    cluster.assert_exact(job_id, expected_csv(body), 600)


def test_five_random_kills_in_one_run(cluster: Cluster) -> None:
    soak(cluster, 5, seed=3)


@pytest.mark.slow
def test_twenty_five_random_kills_in_one_run(cluster: Cluster) -> None:
    soak(cluster, 25, seed=4)


def cut_off(tmp_path: Path, seconds: float, expected: list[str]) -> None:
    """One of two hosts lives behind a cable, which is pulled in mid-run and put back."""
    cable = netns.make()
    try:
        postgres = Postgres((cable.address,))
        cluster = Cluster(tmp_path, postgres, Redis(tmp_path / "redis", also=(cable.address,)))
        try:
            cluster.start(1)
            behind = {
                name: cluster.env[name].replace("127.0.0.1", cable.address)
                for name in ("SPIDERVET_DATABASE_URL", "SPIDERVET_BROKER_URL")
            }
            far = cluster.add_host(cable.command, **behind)
            cluster.api.workers(2)
            job_id = cluster.api.submit(JOB)
            wait_for("work by the far host", lambda: _busy(cluster, far.pid))
            cable.cut()
            time.sleep(seconds)
            cable.join()
            cluster.assert_exact(job_id, expected)
            before = _done_by(cluster, far.pid)
            again = cluster.api.submit({**JOB, "name": "again", "deals": {"first": 1, "count": 100_000}})
            wait_for("new work by the far host", lambda: _done_by(cluster, far.pid) > before, 60)
            cluster.api.post(f"/v1/jobs/{again}/cancel")
            assert cluster.api.finished(again)["state"] == "cancelled"
        finally:
            cluster.close()
            postgres.close()
    finally:
        cable.close()


def _worker(cluster: Cluster, pid: int) -> dict[str, Any] | None:
    found = [w for w in cluster.api.get("/v1/workers")["workers"] if w["pid"] == pid]
    return found[0] if found else None


def _busy(cluster: Cluster, pid: int) -> bool:
    worker = _worker(cluster, pid)
    return worker is not None and worker["busy"] > 0


def _done_by(cluster: Cluster, pid: int) -> int:
    worker = _worker(cluster, pid)
    return worker["chunks_done"] if worker else 0


def test_a_host_cut_off_from_the_network_for_a_moment(tmp_path: Path, expected: list[str]) -> None:
    cut_off(tmp_path, 8, expected)


@pytest.mark.slow
def test_a_host_cut_off_from_the_network_for_a_minute(tmp_path: Path, expected: list[str]) -> None:
    cut_off(tmp_path, 60, expected)
