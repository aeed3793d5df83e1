"""Telling that a worker host is alive and deaf: chunks are sent, it holds none, and it takes none.

A child killed at the wrong moment, between taking a message and saying so, costs Celery a place among the
messages it will hold; when all are gone the host answers pings and idles for ever. Only progress tells.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from sqlalchemy import exists, select

from evaluation.db import Database
from evaluation.ledger.claim import OPEN_STATES
from evaluation.schema import Chunk, ChunkState, Job, Worker


@dataclass
class Stall:
    """One host, looked at again and again. after_s: how long it may idle while sent chunks wait."""

    db: Database
    host: str
    engine: str
    after_s: float
    waited_s: float = 0.0
    _since: float | None = None
    _done: int = field(default=-1)

    def look(self) -> None:
        """Look once; takes a few milliseconds of SQL."""
        at = time.monotonic()
        done, idle = self._seen()
        if not idle or done != self._done or self._since is None:
            self._since = at if idle else None
            self._done = done
        self.waited_s = 0.0 if self._since is None else at - self._since

    @property
    def is_over(self) -> bool:
        return self.waited_s > self.after_s

    def _seen(self) -> tuple[int, bool]:
        """Chunks that the host has done, and whether it holds none while some wait to be claimed."""
        waiting = (
            exists()
            .where(Chunk.state == ChunkState.PENDING, Chunk.sent_at.is_not(None), Chunk.job_id == Job.id)
            .where(Job.state.in_(OPEN_STATES), Job.engine == self.engine)
        )
        held = exists().where(
            Chunk.state == ChunkState.LEASED, Chunk.worker.startswith(f"{self.host}/", autoescape=True)
        )
        with self.db.read() as conn:
            done = conn.execute(select(Worker.chunks_done).where(Worker.id == self.host)).scalar_one_or_none()
            idle = conn.execute(select(waiting & ~held)).scalar_one()
        return done or 0, bool(idle)
