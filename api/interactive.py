"""One deal solved or played while someone waits: bounded in nodes, in time and in how many run at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from engine.core import Control
from engine.deals import Deal
from engine.players import Game, PlayerSpec, play_batch
from engine.solver import Solution, SolverSpec, solve_batch
from evaluation.settings import Settings


class BusyError(Exception):
    """As many calls run as may; try again soon."""


class Desk:
    """Runs such calls for one process. Raises BusyError when full."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._places = threading.BoundedSemaphore(settings.interactive_calls)

    def solve(self, deal: Deal, nodes: int) -> Solution:
        """Search a deal; a search stopped by the clock says so."""
        s = self._settings
        spec = SolverSpec(min(nodes, s.interactive_nodes), s.solver_memory_mb, seconds=s.interactive_seconds)
        with self._place():
            return solve_batch(deal.variant, [deal.packed()], spec)[0]

    def play(self, deal: Deal, spec: PlayerSpec, rng: int) -> Game | None:
        """Play a deal; None where the time ran out."""
        control = Control()
        clock = threading.Timer(self._settings.interactive_seconds, control.cancel)
        clock.daemon = True
        with self._place():
            clock.start()
            try:
                return play_batch(deal.variant, [deal.packed()], spec, [rng], control)[0]
            finally:
                clock.cancel()

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise BusyError
        try:
            yield
        finally:
            self._places.release()


@lru_cache(maxsize=4)
def desk_of(settings: Settings) -> Desk:
    """The process's desk."""
    return Desk(settings)
