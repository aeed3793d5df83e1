"""The parent of a worker's processes: its name in the ledger, its sign of life, its own watchdog.

Celery's main loop can wait for ever: after a broker hung, on a connection that it has forgotten; after
a child was killed at the wrong moment, for a place that never gets free. The process lives, answers,
and takes no message again. So the host watches itself by the ledger (`evaluation.ledger.stall`) and
starts again from the beginning.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from evaluation.db import Database
from evaluation.ledger.reap import Lost, take_back
from evaluation.ledger.stall import Stall
from evaluation.ledger.workers import drain, drained, leases_of, report_alive
from evaluation.schema import Chunk, ChunkState
from evaluation.settings import Settings
from evaluation.versions import engine_version
from worker.ends import Patience, leave, start_again
from worker.frozen import AtWork, Frozen

log = structlog.get_logger("spidervet.worker")
QUIET_S = 0.2


class Host:
    """The parent of a worker's processes: its name in the ledger, and its sign of life.

    Database work here happens under a lock that is also taken around every fork, on connections that
    live for one transaction: a child must never inherit an open SQLite connection.
    """

    def __init__(
        self, settings: Settings, concurrency: int, at_work: Callable[[], set[AtWork]] = set
    ) -> None:
        """at_work: the processes that have taken a message and not answered it yet."""
        self.settings = settings
        self._at_work = at_work
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
        """Tell the children, through the ledger, to hand back what they are at and begin nothing more."""
        self._state = "draining"
        self._quietly(lambda: drain(self._db, self.id))

    def leave_when(self, idle: Callable[[], bool]) -> None:
        """Go as soon as nothing has been under way for a moment: so says Celery, or the ledger.

        Celery's own way out looks around in steps of seconds, and it notices only then what its processes
        have finished; the ledger knows at once. Going sooner loses nothing: rows and leases are there,
        and a message that was not looked at is a hint that is sent again.
        """

        def go() -> None:
            quiet = Patience(QUIET_S)
            while not quiet.over(idle() or self._drained()):
                time.sleep(QUIET_S / 4)
            self.stopped()
            leave(0)

        threading.Thread(target=go, name="leave", daemon=True).start()

    def _drained(self) -> bool:
        try:
            with self._lock:
                return drained(self._db, self.id)
        except (SQLAlchemyError, OSError):
            return False  # the database is away: Celery's word counts, and the watchdog's patience

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
        """Report, and see that this process does what it is there for."""
        frozen = Frozen(self.settings.lease_s)
        stall = Stall(self._db, self.id, engine_version(), self.settings.worker_stall_s)
        ending = Patience(1.5 * self.settings.stop_grace_s)
        while not self._stop.wait(self.settings.worker_stale_s / 5):
            self._report()
            self._quietly(stall.look)
            self._quietly(lambda: self._end_frozen(frozen))
            orphaned = os.getppid() != self._parent
            if orphaned and self._state == "ready":  # whoever started us is gone
                os.kill(os.getpid(), signal.SIGTERM)
            if ending.over(orphaned or self._state == "draining"):
                log.error("host.will_not_stop", worker=self.id)
                leave(1)
            if stall.is_over and self._state == "ready" and not orphaned:
                log.error("host.stalled", worker=self.id, waited_s=round(stall.waited_s, 1))
                self._state = "gone"
                self._report()
                start_again()  # holds no lease

    def _end_frozen(self, frozen: Frozen) -> None:
        """Kill processes that lost their chunk and do not notice; Celery starts others in their places."""
        try:
            leased = {AtWork(chunk, pid) for chunk, pid in leases_of(self._db, self.id)}
        except SQLAlchemyError:
            frozen.forget()
            raise
        for process in frozen.look(self._at_work(), leased):
            log.error("process.frozen", worker=self.id, pid=process.pid, chunk=process.chunk_id)
            os.kill(process.pid, signal.SIGKILL)

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
