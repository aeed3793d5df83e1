"""The Celery application of a worker host: one task, and what happens at its start and end.

Processes: the host (this module's signals ``worker_*``) reports that it is alive and forks the
children that evaluate. No database connection is open in the host when it forks: see `Host`.
"""

from __future__ import annotations

import gc
import os
import warnings
from typing import Any

from billiard.exceptions import WorkerLostError
from celery import Celery, signals
from celery.platforms import SecurityWarning
from celery.worker import state

from evaluation.broker import TASK, make_app
from evaluation.db import Database
from evaluation.logs import configure_logging
from evaluation.runner import Runner
from evaluation.settings import Settings, get_settings
from evaluation.versions import engine_version
from worker.faults import inject
from worker.frozen import AtWork
from worker.host import Host

CHILD_CONNECTIONS = 3
"""Of one worker process to PostgreSQL: the chunk's, its progress', and one in hand."""

_runner: Runner | None = None


def build(settings: Settings, concurrency: int) -> Celery:
    """The application of this host, with its task and signals connected."""
    app = make_app(settings, engine_version())
    host = Host(settings, concurrency, at_work)
    app.task(name=TASK)(evaluate_chunk)

    def on_child(**_: Any) -> None:
        global _runner
        configure_logging(settings)
        fault = settings.test_fault
        before = (lambda context, lease: inject(fault, context, lease)) if fault else None
        gc.freeze()  # what was imported is for good: no collection looks at it again, no page of it is copied
        db = Database.from_settings(settings, most=CHILD_CONNECTIONS)
        _runner = Runner(db, settings, f"{host.id}/{os.getpid()}", engine_version(), before)

    def on_failure(sender: Any = None, exception: Any = None, args: Any = None, **_: Any) -> None:
        if isinstance(exception, WorkerLostError) and args:
            host.child_lost(int(args[0]), f"its process died: {exception}")

    def on_stop(**_: Any) -> None:
        host.draining()
        host.leave_when(lambda: not (state.reserved_requests or state.active_requests))

    signals.worker_process_init.connect(on_child, weak=False)
    signals.worker_ready.connect(lambda **_: host.start(), weak=False)
    signals.worker_shutting_down.connect(on_stop, weak=False)
    signals.worker_shutdown.connect(lambda **_: host.stopped(), weak=False)
    signals.task_failure.connect(on_failure, weak=False)
    return app


def at_work() -> set[AtWork]:
    """This host's processes that have accepted a message, as its main loop sees them now."""
    while True:
        try:
            requests = list(state.active_requests)
        except RuntimeError:  # the main loop took one up or laid one down meanwhile
            continue
        return {AtWork(int(r.args[0]), r.worker_pid) for r in requests if r.args and r.worker_pid}


def evaluate_chunk(chunk_id: int) -> None:
    """The task: everything else is in `evaluation.runner`."""
    assert _runner is not None, "a task ran outside a worker's child process"
    _runner.run(chunk_id)


def run_worker(settings: Settings | None = None, concurrency: int | None = None) -> int:
    """Run a worker host until it is told to stop. Returns its exit code."""
    settings = settings or get_settings()
    configure_logging(settings)
    # Celery warns of root because of pickled messages; this application takes JSON only
    warnings.filterwarnings("ignore", category=SecurityWarning)
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
