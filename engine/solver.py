"""The typed face of the native solver: budgets, verdicts, solutions.

A budget is counted in nodes; a node is one rated child position, duplicates included. The same
request gives the same verdict, line and node count on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.variants import Variant


class Verdict(StrEnum):
    """What a search may say of a deal."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


class Reason(StrEnum):
    """Why a verdict is unknown."""

    NODES = "nodes"
    MEMORY = "memory"
    SECONDS = "seconds"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class SolverSpec:
    """What to spend on a deal.

    nodes: budget in rated child positions; None is the shipped schedule's own budget for the variant.
    memory_mb: bound on the tables of one search, counted in entries so that it is the same everywhere.
    shorten_nodes: further budget for shortening a line that was found; 0 keeps the raw line without loops.
    seconds: a safety net only, 0 for none; a deal stopped by it is `unknown (seconds)`.
    """

    nodes: int | None = None
    memory_mb: int = 512
    shorten_nodes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Solution:
    """What the solver says of one deal.

    moves: move codes (`engine.core`) from the deal to the win, empty unless solved; already replayed by
    the reference game. certificate: how an `unsolvable` was proved, as text that `verify --recheck` reads.
    positions: nodes spent. shortening_positions: nodes spent on shortening after that.
    """

    verdict: Verdict
    reason: Reason | None
    moves: tuple[int, ...]
    positions: int
    shortening_positions: int = 0
    certificate: str = ""
    seconds: float = 0.0

    @property
    def length(self) -> int | None:
        """Number of actions in the line, None unless solved."""
        return len(self.moves) if self.verdict is Verdict.SOLVED else None


def solve_batch(
    variant: Variant, deals: Sequence[bytes], spec: SolverSpec, control: object = None
) -> list[Solution]:
    """Search packed deals (`engine.core`) one after another in one native call that holds no GIL.

    Cancelled through ``control``, the deals not finished come back as `unknown (cancelled)`.
    """
    raise NotImplementedError
