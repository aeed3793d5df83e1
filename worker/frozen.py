"""Finding processes that neither work nor end, so that their places get free.

A process whose chunk was given to another ends its native call, or itself, as soon as it notices. One that is
frozen, or waits for a disk that is gone, notices nothing: Celery holds its place until the hard time limit.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from worker.ends import Patience


@dataclass(frozen=True)
class AtWork:
    """A process and the chunk whose message it took."""

    chunk_id: int
    pid: int


class Frozen:
    """Since when processes have been at chunks that are not theirs. after_s: how long is too long."""

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._waiting: dict[AtWork, Patience] = {}

    def look(self, at_work: Set[AtWork], leased: Set[AtWork]) -> list[AtWork]:
        """Those that have been at work without the lease at every look for that long.

        at_work: as Celery sees it. leased: as the ledger does. Before the claim and after the rows are stored
        a process is at work without a lease too, but not for long.
        """
        self._waiting = {w: self._waiting.get(w) or Patience(self._after_s) for w in at_work - leased}
        return [w for w, patience in self._waiting.items() if patience.over(True)]

    def forget(self) -> None:
        """Begin anew: the ledger could not be asked, so nobody could claim either."""
        self._waiting = {}
