"""The typed face of the native solver: budgets, verdicts, solutions.

A budget is counted in nodes; a node is one rated child position, duplicates included. The same
request gives the same verdict, line and node count on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

from engine import _core, game
from engine.core import Control, rules_of
from engine.moves import MoveError, action_of
from engine.position import Position
from engine.schedules import native_schedule, schedule_for, shipped
from engine.variants import Variant

MAX_NODES = 2**62
MEMORY_RANGE_MB = (1, 1 << 20)
SHORTEN_NODES = 100_000_000
"""What `--shorten default` spends on a line that was found: some fifteen seconds."""


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


Answer = tuple[int, int, list[int], int, int, str, float, tuple[int, int, int]]
"""What the core says of a deal; `_core.solve_batch` explains it."""


class SearchError(RuntimeError):
    """The search claimed a line that the reference game refuses: a fault of this program, never of the deal.

    The message carries variant, deal and line, so that it can be repeated.
    """


def weights_version() -> int:
    """Version of the shipped weights and schedules; results are comparable under one version only."""
    return shipped().version


def default_nodes(variant: Variant) -> int:
    """The budget of the shipped schedule for a variant."""
    return schedule_for(variant).nodes


def solve_batch(
    variant: Variant,
    deals: Sequence[bytes],
    spec: SolverSpec,
    control: Control | None = None,
    threads: int = 1,
) -> list[Solution]:
    """Search packed deals (`engine.core`), answers in their order. The search holds no GIL.

    threads: how many deals are searched at a time, each under ``spec.memory_mb`` of its own; one thread makes
    one native call of all deals, several take one deal after another, so that a long one holds up no other.
    Answers are the same for any number.

    Cancelled through ``control``, the deals not finished come back as `unknown (cancelled)`. Raises
    ValueError for a spec out of range or a packed deal that is none; SearchError should the reference game
    refuse a line.
    """
    _check(spec)
    if threads < 1:
        raise ValueError(f"threads: {threads} is below 1")
    if threads == 1:
        return _searched(variant, list(deals), spec, control)
    with ThreadPoolExecutor(threads, "solve") as pool:
        parts = pool.map(lambda deal: _searched(variant, [deal], spec, control), deals)
        return [solution for [solution] in parts]


def _searched(
    variant: Variant, deals: list[bytes], spec: SolverSpec, control: Control | None
) -> list[Solution]:
    answers = _core.solve_batch(
        rules_of(variant),
        deals,
        native_schedule(variant),
        default_nodes(variant) if spec.nodes is None else spec.nodes,
        spec.memory_mb << 20,
        spec.shorten_nodes,
        spec.seconds,
        control,
    )
    return [_judged(variant, deal, answer) for deal, answer in zip(deals, answers, strict=True)]


def _check(spec: SolverSpec) -> None:
    low, high = MEMORY_RANGE_MB
    if not low <= spec.memory_mb <= high:
        raise ValueError(f"memory_mb: {spec.memory_mb} is not between {low} and {high}")
    if spec.nodes is not None and not 1 <= spec.nodes <= MAX_NODES:
        raise ValueError(f"nodes: {spec.nodes} is not between 1 and 2^62")
    if not 0 <= spec.shorten_nodes <= MAX_NODES:
        raise ValueError(f"shorten_nodes: {spec.shorten_nodes} is not between 0 and 2^62")
    if not 0 <= spec.seconds < float("inf"):
        raise ValueError(f"seconds: {spec.seconds} is not a time")


def _judged(variant: Variant, deal: bytes, answer: Answer) -> Solution:
    verdict, reason, line, nodes, shortening, certificate, seconds, _ = answer
    if list(Verdict)[verdict] is Verdict.SOLVED:
        replay(variant, deal, line)
    return Solution(
        verdict=list(Verdict)[verdict],
        reason=list(Reason)[reason] if reason < len(Reason) else None,
        moves=tuple(line),
        positions=nodes,
        shortening_positions=shortening,
        certificate=certificate,
        seconds=seconds,
    )


def replay(variant: Variant, deal: bytes, line: Sequence[int]) -> None:
    """Play a line from a packed deal to the win on the reference game. Raises SearchError if it does not."""
    shown = f"{variant.record()} {deal.hex()} {list(line)}"
    try:
        position = game.settled(variant, Position.unpacked(deal))
        for code in line:
            position = game.apply(variant, position, action_of(code))
    except (game.IllegalMoveError, MoveError) as error:
        raise SearchError(f"the solver's line is not legal: {error}; {shown}") from error
    if not game.won(variant, position):
        raise SearchError(f"the solver's line does not win: {shown}")
    if variant.move_limit is not None and len(line) > variant.move_limit:
        raise SearchError(f"the solver's line has {len(line)} actions, {variant.move_limit} may be: {shown}")
