"""Run one chunk: claim, evaluate, keep the lease by progress, store. The heart of every worker.

A thread of its own reports progress and listens for a cancel while the native call runs without the
GIL. It gives the lease no new time when nothing has moved, so a hung search loses its chunk.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError

from engine.core import Control
from evaluation.db import Database
from evaluation.evaluate import evaluate_units
from evaluation.ledger.claim import Lease, Refusal, beat, claim
from evaluation.ledger.context import ArmContext, load_context
from evaluation.ledger.finish import Finished, LostLeaseError, finish
from evaluation.ledger.reap import Lost, take_back
from evaluation.rows import Row
from evaluation.settings import Settings
from evaluation.vetting import work as vetting

log = structlog.get_logger("spidervet.worker")
CACHED_ARMS = 16
STORE_PAUSE_S, STORE_PAUSE_MAX_S = 0.2, 2.0
HANGS = 70
"""Exit code of a process whose native call did not stop when told (EX_SOFTWARE)."""


class Outcome(StrEnum):
    """What became of a message."""

    STORED = "stored"
    REFUSED = "refused"
    LOST = "lost"
    FAILED = "failed"


@dataclass
class Runner:
    """Runs chunks in one process. worker: ``host-id/pid``. before: hook before a chunk's evaluation."""

    db: Database
    settings: Settings
    worker: str
    engine: str
    before: Callable[[ArmContext, Lease], None] | None = None
    _arms: OrderedDict[int, ArmContext] = field(default_factory=OrderedDict)

    def run(self, chunk_id: int) -> Outcome:
        """Do a chunk if it is to be had. Never raises for a chunk's own fault: that goes to the ledger."""
        lease = claim(self.db, chunk_id, self.worker, self.engine, self.settings.lease_s)
        if isinstance(lease, Refusal):
            return Outcome.REFUSED
        with structlog.contextvars.bound_contextvars(job=lease.job_id, chunk=chunk_id):
            return self._guarded(lease)

    def _guarded(self, lease: Lease) -> Outcome:
        try:
            return self._run(lease)
        except LostLeaseError as error:
            log.warning("chunk.lost", error=str(error))
            return Outcome.LOST
        except (SQLAlchemyError, OSError):
            raise  # the database is away: the lease runs out and the reaper sends the chunk again
        except Exception as error:
            log.exception("chunk.failed")
            text = f"{type(error).__name__}: {error}"
            take_back(self.db, Lost(lease.chunk_id, lease.number), "error", text, self.settings)
            return Outcome.FAILED

    def _run(self, lease: Lease) -> Outcome:
        context = self._context(lease.arm_id)
        started = time.monotonic()
        control = Control()
        ordinals = range(lease.start, lease.start + lease.size)
        with Watch(self.db, lease, self.worker, control, self._patience(context)):
            if self.before is not None:
                self.before(context, lease)
            if context.kind == vetting.KIND:
                seeds = [context.source.seed(ordinal) for ordinal in ordinals]
                rows = vetting.run_units(self.db, self.settings, lease, control, seeds)
            else:
                rows = evaluate_units(context.source, context.arm, context.spec, ordinals, control)
        done = self._store(lease, rows, time.monotonic() - started)
        log.info("chunk.stored", rows=done.rows, back=done.handed_back)
        return Outcome.STORED

    def _store(self, lease: Lease, rows: Sequence[Row | None], seconds: float) -> Finished:
        """`finish`, again and again while the database is away, for as long as the lease may last.

        Where a commit went through and only its answer was lost, the next attempt finds the chunk done and
        raises LostLeaseError: the rows are in, once.
        """
        until, pause = time.monotonic() + self.settings.lease_s, STORE_PAUSE_S
        while True:
            try:
                return finish(self.db, lease, rows, seconds, self.worker)
            except (OperationalError, InterfaceError) as error:
                if time.monotonic() + pause > until:
                    raise
                log.warning("chunk.store_again", error=str(error).splitlines()[0])
            time.sleep(pause)
            pause = min(2 * pause, STORE_PAUSE_MAX_S)

    def _patience(self, context: ArmContext) -> Settings:
        """A date that is vetted is stored as it goes on and is not handed back half-way for its length."""
        if context.kind != vetting.KIND:
            return self.settings
        return self.settings.model_copy(update={"chunk_soft_s": self.settings.chunk_hard_s})

    def _context(self, arm_id: int) -> ArmContext:
        if arm_id not in self._arms:
            with self.db.read() as conn:
                self._arms[arm_id] = load_context(conn, arm_id)
            if len(self._arms) > CACHED_ARMS:
                self._arms.popitem(last=False)
        self._arms.move_to_end(arm_id)
        return self._arms[arm_id]


class Watch:
    """Beats while a native call runs; cancels it when the ledger says so or its time is up."""

    def __init__(self, db: Database, lease: Lease, worker: str, control: Control, settings: Settings) -> None:
        self._db, self._lease, self._worker = db, lease, worker
        self._control, self._settings = control, settings
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)
        self._parent = os.getppid()

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        started, seen = time.monotonic(), (0, 0)
        cancelled_at: float | None = None
        while not self._stop.wait(self._settings.beat_s):
            if cancelled_at is not None and time.monotonic() - cancelled_at > self._settings.lease_s:
                log.error("chunk.hangs", chunk=self._lease.chunk_id, job=self._lease.job_id)
                os._exit(HANGS)  # nothing in this process can end the call; the host starts another
            done, nodes = self._control.done, self._control.nodes
            if os.getppid() != self._parent:
                os._exit(1)  # the host process died: nobody is left to report to
            overdue = time.monotonic() - started > self._settings.chunk_soft_s and done > 0
            try:
                moved = (done, nodes) != seen
                lease_s = self._settings.lease_s if moved else None
                word = beat(self._db, self._lease, self._worker, done, nodes, lease_s)
            except SQLAlchemyError as error:
                log.warning("beat.failed", chunk=self._lease.chunk_id, error=str(error).splitlines()[0])
                continue
            seen = (done, nodes)
            if not word.held or word.cancel or word.drain or overdue:
                self._control.cancel()
                cancelled_at = cancelled_at or time.monotonic()
