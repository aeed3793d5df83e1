"""A job without a server: the same ledger, chunks, rows and report, in a folder that is thrown away.

`spidervet evaluate` uses it. Processes take chunks from a pool instead of a broker; everything else
is the code that the service runs.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from evaluation.db import Database
from evaluation.ledger.control import cancel
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.reap import Lost, reap, take_back
from evaluation.ledger.stops import look_at_arms
from evaluation.ledger.submit import submit
from evaluation.ledger.views import JobView, get_job
from evaluation.ledger.workers import report_alive
from evaluation.logs import configure_logging
from evaluation.migrate import upgrade
from evaluation.reports.document import Report, load_report
from evaluation.runner import Runner
from evaluation.schema import Chunk, ChunkState
from evaluation.settings import Settings
from evaluation.spec import JobPlan
from evaluation.versions import engine_version

LOOK_S = 0.2
HOST = "local"
BARE_DEATHS = 3


@dataclass
class _Process:
    """What a pool process keeps."""

    runner: Runner


_process: _Process | None = None


def _start(settings: Settings) -> None:
    global _process
    configure_logging(settings)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides, and cancels through the ledger
    db = Database.from_settings(settings)
    _process = _Process(Runner(db, settings, f"{HOST}/{os.getpid()}", engine_version()))


def _run(chunk_id: int) -> None:
    assert _process is not None
    _process.runner.run(chunk_id)


@contextmanager
def local_report(
    plan: JobPlan, settings: Settings, jobs: int, progress: Callable[[JobView], None]
) -> Iterator[Report]:
    """Run a job on ``jobs`` processes and give its report while its rows can be read.

    progress: called a few times a second. Interrupted, it gives the partial report of what was done.
    """
    with tempfile.TemporaryDirectory(prefix="spidervet-") as folder:
        own = settings.model_copy(
            update={"data": Path(folder), "database_url": None, "broker_url": None, "workers": jobs}
        )
        db = Database.from_settings(own)
        try:
            upgrade(db)
            job_id = submit(db, plan, own).job_id
            try:
                work_on(db, own, job_id, jobs, progress)
            except KeyboardInterrupt:
                cancel(db, job_id)
            yield load_report(db, job_id, own)
        finally:
            db.dispose()


def work_on(
    db: Database, settings: Settings, job_id: str, jobs: int, progress: Callable[[JobView], None]
) -> None:
    """Run a job of a ledger to its end on ``jobs`` processes. Interrupted, it cancels the job.

    A chunk whose processes die is split and at last set aside (`ledger.reap`), so that this ends.
    Raises ChildProcessError when `BARE_DEATHS` times in a row processes died with nothing in hand.
    """
    bare = 0
    while True:
        try:
            with _pool(settings, jobs) as pool:
                return _feed(pool, db, settings, job_id, jobs, progress)
        except BrokenProcessPool as error:
            bare = 0 if _orphaned(db, settings) else bare + 1
            if bare == BARE_DEATHS:
                raise ChildProcessError(
                    f"{bare} times in a row, processes died before they took up work"
                ) from error


def _pool(settings: Settings, jobs: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(settings,))


def _feed(
    pool: ProcessPoolExecutor,
    db: Database,
    settings: Settings,
    job_id: str,
    jobs: int,
    progress: Callable[[JobView], None],
) -> None:
    futures: set[Future[None]] = set()
    try:
        while True:
            report_alive(db, HOST, HOST, os.getpid(), engine_version(), jobs, "ready")
            reap(db, settings)
            look_at_arms(db)
            futures |= {pool.submit(_run, item.chunk_id) for item in next_to_send(db, settings)}
            view = get_job(db, job_id, settings)
            progress(view)
            if view.state.final:
                return
            done, futures = wait(futures, LOOK_S, FIRST_COMPLETED)
            for future in done:
                future.result()
    except KeyboardInterrupt:
        cancel(db, job_id)
        wait(futures, settings.stop_grace_s)
        raise


def _orphaned(db: Database, settings: Settings) -> int:
    """A process died and took the pool with it: give back what the pool held. How many chunks that was."""
    with db.read() as conn:
        held = conn.execute(select(Chunk.id, Chunk.lease).where(Chunk.state == ChunkState.LEASED)).all()
    for chunk in held:
        take_back(db, Lost(chunk.id, chunk.lease), "crash", "its process died", settings)
    return len(held)
