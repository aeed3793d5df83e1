"""Running everything in one process group: what `spidervet serve` and `spidervet worker` do.

Apart from `cli.serve`, so that other commands start without loading the web server and the queue.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from typing import NoReturn

from api.access import is_loopback
from api.app import create_app
from api.server import Server, listen, make_server
from cli.common import USAGE, err, fail
from cli.supervise import WorkerProcess
from evaluation.access.tokens import any_tokens
from evaluation.broker import clear_files
from evaluation.db import Database
from evaluation.ledger.startup import forget_the_dead
from evaluation.ledger.submit import submit
from evaluation.ledger.views import list_jobs
from evaluation.migrate import require_head, upgrade
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from worker.app import run_worker

SAMPLE = {
    "name": "sample: three games, a player and the solver",
    "deals": {"scheme": "spidervet", "first": 1, "count": 100},
    "variants": ["spider-1", "spider-2", "spider-4"],
    "evaluators": [{"player": "club"}, {"solver": {"nodes": 50_000}}],
}


def run_service(settings: Settings, sample: bool, api_only: bool) -> None:
    """Serve until told to stop, with a worker host beside unless ``api_only``."""
    db = Database.from_settings(settings)
    if db.sqlite:
        upgrade(db)
    require_head(db)
    refuse_open_doors(db, settings)
    socket = listen(settings)
    if db.sqlite and settings.broker_url is None:
        clear_files(settings)
        forget_the_dead(db)
    begun = _begin_sample(db, settings) if sample else None
    db.dispose()
    server = make_server(create_app(settings), settings)
    url = address(*socket.getsockname()[:2])
    err.print(f"spidervet serves {url} (Ctrl-C stops it)", markup=False)
    if begun is not None:
        err.print(f"its first job, a sample: {url}/jobs/{begun}", markup=False, soft_wrap=True)
    with own_signals():
        if api_only:
            server.run(sockets=[socket])
        else:
            _with_workers(server, socket, settings)


def _begin_sample(db: Database, settings: Settings) -> str | None:
    """Submit the sample job to an empty ledger; gives its id."""
    if list_jobs(db, settings, 1):
        return None
    return submit(db, plan_job(parse_spec(SAMPLE), settings), settings).job_id


def address(host: str, port: int) -> str:
    """A URL; addresses of IPv6 stand in brackets."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def refuse_open_doors(db: Database, settings: Settings) -> None:
    """Beyond loopback only with tokens: otherwise everyone on the network could use the service."""
    if not is_loopback(settings.host) and not any_tokens(db):
        fail(
            f"refuses to listen on {settings.host} without tokens: anyone there could use it."
            " Make one with `spidervet token create NAME --role admin`, or listen on 127.0.0.1",
            USAGE,
        )


def _with_workers(server: Server, socket: object, settings: Settings) -> None:
    workers = WorkerProcess([sys.executable, "-m", "cli.main", "worker"], settings.stop_grace_s)
    server.on_exit = workers.ask_to_stop
    workers.start()
    try:
        server.run(sockets=[socket])  # type: ignore[list-item]
    finally:
        workers.stop()


def end_now() -> NoReturn:
    """End this process, which has stopped and closed all it had, with exit code 0.

    Python would first take down every module and object one by one: a second of work, and several on a
    busy machine, during which whoever asked it to stop waits.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


class own_signals:  # noqa: N801 (a context manager)
    """uvicorn raises a signal again once it has stopped; by then it has had its effect."""

    def __enter__(self) -> None:
        self._before = {s: signal.signal(s, lambda *_: None) for s in (signal.SIGINT, signal.SIGTERM)}

    def __exit__(self, *exc: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def run_host(settings: Settings) -> int:
    """Work until told to stop. Returns the exit code."""
    require_head(Database.from_settings(settings, pooled=False))
    return run_worker(settings)
