"""The Celery application of a worker host: one task, and what happens at its start and end.

Processes: the host (this module's signals ``worker_*``) reports that it is alive and forks the
children that evaluate. No database connection is open in the host when it forks: see `Host`.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import uuid
from typing import Any

import structlog
from billiard.exceptions import WorkerLostError
from celery import Celery, signals
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from evaluation.broker import TASK, make_app
from evaluation.db import Database
from evaluation.ledger.reap import Lost, take_back
from evaluation.ledger.stall import Stall
from evaluation.ledger.workers import drain, report_alive
from evaluation.logs import configure_logging
from evaluation.runner import Runner
from evaluation.schema import Chunk, ChunkState
from evaluation.settings import Settings, get_settings
from evaluation.versions import engine_version
from worker.faults import inject

log = structlog.get_logger("spidervet.worker")


STALLED = 75
"""Exit code of a host that takes no more messages (EX_TEMPFAIL)."""


class Host:
    """The parent of a worker's processes: its name in the ledger, and its sign of life.

    Database work here happens under a lock that is also taken around every fork, on connections that
    live for one transaction: a child must never inherit an open SQLite connection.
    """

    def __init__(self, settings: Settings, concurrency: int) -> None:
        self.settings = settings
        self.id = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self._concurrency = concurrency
        self._db = Database.from_settings(settings, pooled=False)
        self._state = "ready"
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._parent = os.getppid()
        os.register_at_fork(
            before=self._lock.acquire, after_in_parent=self._lock.release, after_in_child=self._lock.release
        )

    def start(self) -> None:
        self._report()
        threading.Thread(target=self._beat, name="host-beat", daemon=True).start()

    def draining(self) -> None:
        """Tell the children, through the ledger, to hand back what they are at."""
        self._state = "draining"
        self._quietly(lambda: drain(self._db, self.id))

    def stopped(self) -> None:
        self._stop.set()
        self._state = "gone"
        self._report()

    def child_lost(self, chunk_id: int, error: str) -> None:
        """A child died over a chunk: give the chunk back now instead of when its lease runs out."""
        self._quietly(lambda: self._give_back(chunk_id, error))

    def _give_back(self, chunk_id: int, error: str) -> None:
        with self._db.read() as conn:
            lease = conn.execute(
                select(Chunk.lease).where(
                    Chunk.id == chunk_id,
                    Chunk.state == ChunkState.LEASED,
                    Chunk.worker.startswith(f"{self.id}/", autoescape=True),
                )
            ).scalar_one_or_none()
        if lease is not None:
            take_back(self._db, Lost(chunk_id, lease), "crash", error, self.settings)

    def _beat(self) -> None:
        stall = Stall(self._db, self.id, engine_version(), 3 * self.settings.resend_s)
        while not self._stop.wait(self.settings.worker_stale_s / 5):
            self._report()
            self._quietly(stall.look)
            if stall.is_over and self._state == "ready":
                log.error("host.stalled", worker=self.id, waited_s=round(stall.waited_s, 1))
                os._exit(STALLED)  # holds no lease: whoever started us starts us again
            if os.getppid() != self._parent:  # whoever started us is gone
                os.kill(os.getpid(), signal.SIGTERM)
                return

    def _report(self) -> None:
        self._quietly(
            lambda: report_alive(
                self._db,
                self.id,
                socket.gethostname(),
                os.getpid(),
                engine_version(),
                self._concurrency,
                self._state,
            )
        )

    def _quietly(self, step: Any) -> None:
        try:
            with self._lock:
                step()
        except (SQLAlchemyError, OSError) as error:
            log.warning("host.ledger", error=str(error).splitlines()[0])


_runner: Runner | None = None


def build(settings: Settings, concurrency: int) -> Celery:
    """The application of this host, with its task and signals connected."""
    app = make_app(settings, engine_version())
    host = Host(settings, concurrency)
    app.task(name=TASK)(evaluate_chunk)

    def on_child(**_: Any) -> None:
        global _runner
        configure_logging(settings)
        fault = settings.test_fault
        before = (lambda context, lease: inject(fault, context, lease)) if fault else None
        db = Database.from_settings(settings)
        _runner = Runner(db, settings, f"{host.id}/{os.getpid()}", engine_version(), before)

    def on_failure(sender: Any = None, exception: Any = None, args: Any = None, **_: Any) -> None:
        if isinstance(exception, WorkerLostError) and args:
            host.child_lost(int(args[0]), f"its process died: {exception}")

    signals.worker_process_init.connect(on_child, weak=False)
    signals.worker_ready.connect(lambda **_: host.start(), weak=False)
    signals.worker_shutting_down.connect(lambda **_: host.draining(), weak=False)
    signals.worker_shutdown.connect(lambda **_: host.stopped(), weak=False)
    signals.task_failure.connect(on_failure, weak=False)
    return app


def evaluate_chunk(chunk_id: int) -> None:
    """The task: everything else is in `evaluation.runner`."""
    assert _runner is not None, "a task ran outside a worker's child process"
    _runner.run(chunk_id)


def run_worker(settings: Settings | None = None, concurrency: int | None = None) -> int:
    """Run a worker host until it is told to stop. Returns its exit code."""
    settings = settings or get_settings()
    configure_logging(settings)
    processes = concurrency or settings.worker_processes
    app = build(settings, processes)
    worker = app.Worker(
        pool_cls="prefork",
        concurrency=processes,
        loglevel=settings.log_level,
        without_gossip=True,
        without_mingle=True,
        optimization="fair",
        quiet=True,
    )
    worker.start()
    return int(worker.exitcode or 0)
