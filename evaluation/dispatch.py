"""The loop that keeps work moving: publishes chunks, takes back lost leases, one process at a time.

It runs in a thread of the API process. Everything it knows is in SQL, so it may die at any point.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable

import structlog
from celery import Celery
from kombu.exceptions import OperationalError
from sqlalchemy.exc import SQLAlchemyError

from evaluation.broker import make_app, publish
from evaluation.db import Database, trouble
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.locks import hold, release
from evaluation.ledger.reap import reap
from evaluation.ledger.stops import look_at_arms
from evaluation.settings import Settings
from evaluation.versions import engine_version

log = structlog.get_logger("spidervet.dispatch")
LOCK = "dispatcher"


class Dispatcher:
    """Publishes and reaps while it holds the lock; otherwise waits for it."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._app: Celery = make_app(settings, engine_version())
        self._stop = threading.Event()
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:6]}"
        self._thread = threading.Thread(target=self._run, name="dispatcher", daemon=True)
        self.failing = ""
        self._renew_at = 0.0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop and give the lock up; waits for a publication under way."""
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._stop.wait(self._settings.dispatch_s):
            self._guarded(self.step)
        self._guarded(lambda: release(self._db, LOCK, self._holder))

    def _guarded(self, step: Callable[[], object]) -> None:
        """One step; a database or broker that is away is reported once, and tried again."""
        try:
            step()
        except (SQLAlchemyError, OSError, OperationalError) as error:
            ours = isinstance(error, SQLAlchemyError)
            text = trouble(error) if ours else "the broker does not answer"
            if text != self.failing:
                log.error("dispatch.failed", what=text, error=(str(error) or repr(error)).splitlines()[0])
            self.failing = text
        except Exception as error:
            log.exception("dispatch.failed")
            self.failing = repr(error)
        else:
            self.failing = ""

    def _leads(self) -> bool:
        """Whether this process holds the lock; asks the ledger only when the lock is half over."""
        if time.monotonic() < self._renew_at:
            return True
        held = hold(self._db, LOCK, self._holder, self._settings.lock_s)
        self._renew_at = time.monotonic() + (self._settings.lock_s / 2 if held else 0.0)
        return held

    def step(self) -> int:
        """Reap, then publish what there is room for. Returns chunks published."""
        if not self._leads():
            return 0
        reap(self._db, self._settings)
        look_at_arms(self._db)
        sent = 0
        for item in next_to_send(self._db, self._settings):
            publish(self._app, item.chunk_id, item.queue, item.engine)
            sent += 1
        return sent
