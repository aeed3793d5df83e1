"""The loop that sends what is due: in a thread of the API process, one process at a time.

A message is sent at least once: who dies between sending and writing it down sends it again. Receivers
know a message by its job and state.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from dataclasses import dataclass

import structlog
from sqlalchemy import Connection, select, update
from sqlalchemy.exc import SQLAlchemyError

from evaluation.db import Database, now
from evaluation.ledger.control import NoSuchJobError
from evaluation.ledger.events import log as tell
from evaluation.ledger.locks import hold, release
from evaluation.ledger.views import get_job
from evaluation.metrics import count
from evaluation.notify.address import AddressError, Resolve, resolve
from evaluation.notify.sending import TRIES, DeliveryError, deliver
from evaluation.notify.tables import Notification
from evaluation.schema import Job, JobState
from evaluation.settings import Settings

log = structlog.get_logger("spidervet.notify")
LOCK = "notifier"
AT_ONCE = 20
LONGEST_PAUSE_S = 3600.0


@dataclass(frozen=True)
class Due:
    """A message to be sent. attempts: those before."""

    job_id: str
    url: str
    attempts: int


def due(db: Database) -> list[Due]:
    """Messages of ended jobs whose time has come."""
    final = [s.value for s in JobState if s.final]
    with db.read() as conn:
        rows = conn.execute(
            select(Notification.job_id, Notification.url, Notification.attempts)
            .join(Job, Job.id == Notification.job_id)
            .where(Notification.state == "waiting", Notification.next_at <= now(conn), Job.state.in_(final))
            .order_by(Notification.next_at)
            .limit(AT_ONCE)
        ).all()
    return [Due(r.job_id, r.url, r.attempts) for r in rows]


def pause_s(attempts: int, first_s: float) -> float:
    """Time until the next attempt, after so many."""
    return min(LONGEST_PAUSE_S, first_s * 4.0 ** (attempts - 1))


class Notifier:
    """Sends messages while it holds the lock; otherwise waits for it."""

    def __init__(self, db: Database, settings: Settings, resolver: Resolve = resolve) -> None:
        self._db, self._settings, self._resolver = db, settings, resolver
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:6]}"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)

    def start(self) -> None:
        """Without a key there is nothing to sign with, and jobs that ask are refused: nothing to do."""
        if self._settings.notify_key is not None:
            self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stop.wait(self._settings.notify_look_s):
            try:
                self.step()
            except (SQLAlchemyError, OSError) as error:
                log.warning("notify.ledger", error=str(error).splitlines()[0])
            except Exception:
                log.exception("notify.failed")
        try:
            release(self._db, LOCK, self._holder)
        except (SQLAlchemyError, OSError) as error:
            log.warning("notify.ledger", error=str(error).splitlines()[0])

    def step(self) -> int:
        """Send what is due. Returns how many were delivered."""
        if not self._held():
            return 0
        return sum(self._one(item) for item in due(self._db) if not self._stop.is_set() and self._held())

    def _held(self) -> bool:
        """The lock, for as long as one message may take."""
        return hold(self._db, LOCK, self._holder, 10 + (TRIES + 1) * self._settings.notify_timeout_s)

    def _one(self, item: Due) -> bool:
        try:
            job = get_job(self._db, item.job_id, self._settings)
            deliver(item.url, job, self._settings, self._resolver)
        except NoSuchJobError:
            return False
        except (AddressError, DeliveryError) as error:
            lasting = isinstance(error, DeliveryError) and error.lasting
            self._missed(item, str(error), lasting)
            return False
        with self._db.write() as conn:
            _note(conn, item.job_id, state="delivered", attempts=item.attempts + 1, error="")
            count(conn, "notifications", {"outcome": "delivered"}, 1, self._db.sqlite)
        log.info("notify.delivered", job=item.job_id)
        return True

    def _missed(self, item: Due, error: str, lasting: bool) -> None:
        attempts = item.attempts + 1
        over = lasting or attempts >= self._settings.notify_attempts
        with self._db.write() as conn:
            at = now(conn)
            _note(
                conn,
                item.job_id,
                state="given_up" if over else "waiting",
                attempts=attempts,
                next_at=at + pause_s(attempts, self._settings.notify_pause_s),
                error=error[:500],
            )
            outcome = "given_up" if over else "failed"
            count(conn, "notifications", {"outcome": outcome}, 1, self._db.sqlite)
            end = "given up" if over else "will be tried again"
            tell(conn, item.job_id, at, f"completion message, attempt {attempts}: {error}; {end}")
        log.warning("notify.missed", job=item.job_id, attempts=attempts, error=error, over=over)


def _note(conn: Connection, job_id: str, **values: object) -> None:
    conn.execute(update(Notification).where(Notification.job_id == job_id).values(**values))
