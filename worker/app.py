"""The Celery application of a worker host: one task, and what happens at its start and end.

Processes: the host (this module's signals ``worker_*``) reports that it is alive and forks the
children that evaluate. No database connection is open in the host when it forks: see `Host`.
"""

from __future__ import annotations

import gc
import logging
import os
import warnings
from typing import Any

import structlog
from billiard.exceptions import WorkerLostError
from billiard.util import get_logger
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

log = structlog.get_logger("spidervet.worker")
REQUESTS = "celery.worker.request"
"""Where Celery logs how a task ended."""
AFTER_LOSS = (
    "another process takes its place; the chunk is tried again, a deal that always kills is set aside"
)
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
        if isinstance(exception, WorkerLostError):
            chunk = int(args[0]) if args else None
            log.error("process.lost", worker=host.id, chunk=chunk, error=str(exception), next=AFTER_LOSS)
            if chunk is not None:
                host.child_lost(chunk, f"its process died: {exception}")

    def on_stop(**_: Any) -> None:
        host.draining()
        host.leave_when(lambda: not (state.reserved_requests or state.active_requests))

    signals.setup_logging.connect(one_form_of_lines, weak=False)
    signals.worker_process_init.connect(on_child, weak=False)
    signals.worker_ready.connect(lambda **_: host.start(), weak=False)
    signals.worker_shutting_down.connect(on_stop, weak=False)
    signals.worker_shutdown.connect(lambda **_: host.stopped(), weak=False)
    signals.task_failure.connect(on_failure, weak=False)
    return app


def but_lost_processes(record: logging.LogRecord) -> bool:
    """A filter: whether a line of Celery's is anything but its traceback for a process that died. It shows
    where Celery noticed, nothing of what happened; `build` logs that in one line. Errors of tasks stay."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not issubclass(kind, WorkerLostError)


def one_form_of_lines(**_: Any) -> None:
    """In Celery's own set-up's place: what its pool says of processes goes where all lines go, as they do."""
    pool = get_logger()
    pool.handlers[:] = logging.getLogger().handlers
    pool.setLevel(logging.ERROR)


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
    logging.getLogger(REQUESTS).addFilter(but_lost_processes)
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
