"""Record runs of the solver: a range of deal numbers, one result a line in a file that a run continues.

The first line says what the file holds (variant, scheme, budget, memory, weights); every other line is one
deal's verdict with its line of moves. A file is only continued under the same conditions. No clock and no
machine decides anything here; seconds are noted, never used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.core import Control
from engine.deals import deal
from engine.moves import texts_of
from engine.solver import Reason, Solution, SolverSpec, Verdict, default_nodes, solve_batch, weights_version
from engine.variants import Variant, resolve

FORMAT = "spidervet-record/1"


class RecordError(ValueError):
    """A record file that cannot be continued or read; says which and why."""


@dataclass(frozen=True)
class Conditions:
    """What makes results comparable. nodes: the budget; memory_mb: the bound on tables."""

    variant: str
    variant_key: str
    scheme: str
    nodes: int
    memory_mb: int
    weights: int

    @classmethod
    def of(cls, variant: Variant, scheme: str, nodes: int | None, memory_mb: int) -> Conditions:
        """Conditions of a run; nodes None is the shipped schedule's own budget."""
        budget = default_nodes(variant) if nodes is None else nodes
        return cls(variant.label, variant.key, scheme, budget, memory_mb, weights_version())


@dataclass(frozen=True)
class Entry:
    """One deal's result. moves: the line as text, empty unless solved."""

    seed: str
    verdict: str
    reason: str | None
    length: int | None
    positions: int
    seconds: float
    moves: str

    @classmethod
    def of(cls, seed: str, solution: Solution) -> Entry:
        reason = solution.reason.value if solution.reason else None
        moves = ",".join(texts_of(solution.moves))
        seconds = round(solution.seconds, 3)
        return cls(seed, solution.verdict.value, reason, solution.length, solution.positions, seconds, moves)


def read(path: Path) -> tuple[Conditions, dict[str, Entry]]:
    """A record file: conditions, and entries by seed (the last of a seed counts). A torn last line, as a
    killed run leaves it, is passed over. Raises RecordError."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not a text file: {error}") from error
    try:
        head = json.loads(lines[0])
        if head.pop("format", None) != FORMAT:
            raise RecordError(f"{path}: the first line is not a {FORMAT} head")
        conditions = Conditions(**head)
    except (json.JSONDecodeError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: the first line is not a {FORMAT} head: {error}") from error
    entries = {}
    for number, line in enumerate(lines[1:-1], 2):
        try:
            entry = Entry(**json.loads(line))
        except (json.JSONDecodeError, TypeError) as error:
            raise RecordError(f"{path}: line {number} is not a result: {error}") from error
        if not isinstance(entry.seed, str):
            raise RecordError(f"{path}: line {number}: seed {entry.seed!r} is not text")
        entries[entry.seed] = entry
    return conditions, entries


def run(
    path: Path,
    conditions: Conditions,
    seeds: Iterable[int],
    control: Control,
    told: Callable[[Entry], None] = lambda _: None,
) -> None:
    """Search the seeds that the file does not hold yet and add them, in order, as they are done; stops once
    control is cancelled. Raises RecordError if the file was written under other conditions."""
    known = _opened(path, conditions)
    variant = resolve(conditions.variant)
    spec = SolverSpec(conditions.nodes, conditions.memory_mb)
    todo = [seed for seed in seeds if str(seed) not in known]
    with path.open("a") as file:
        for seed in todo:
            start = deal(variant, seed, conditions.scheme).packed()
            [solution] = solve_batch(variant, [start], spec, control)
            if solution.reason is Reason.CANCELLED:
                return
            entry = Entry.of(str(seed), solution)
            file.write(json.dumps(vars(entry)) + "\n")
            file.flush()
            told(entry)


def _opened(path: Path, conditions: Conditions) -> dict[str, Entry]:
    """Entries of the file, made with its head if it is new or empty; a torn last line is cut off."""
    if not path.exists() or path.stat().st_size == 0:
        path.write_text(json.dumps({"format": FORMAT} | vars(conditions)) + "\n")
        return {}
    found, entries = read(path)
    for name, value in vars(conditions).items():
        if getattr(found, name) != value:
            raise RecordError(f"{path}: made with {name} {getattr(found, name)}, not {value}")
    whole = path.read_bytes()
    kept = whole.rfind(b"\n") + 1
    if not kept:  # a head, whole but for its line's end
        with path.open("a") as file:
            file.write("\n")
    elif kept < len(whole):
        with path.open("r+b") as file:
            file.truncate(kept)
    return entries


def summary(entries: Iterable[Entry]) -> dict[str, Any]:
    """Counts by verdict, what stays open, and how much it took."""
    all_ = list(entries)
    positions = sorted(e.positions for e in all_)
    lengths = [e.length for e in all_ if e.length is not None]
    by = {v.value: sum(e.verdict == v.value for e in all_) for v in Verdict}
    return {
        "deals": len(all_),
        **by,
        "open": [e.seed for e in all_ if e.verdict == Verdict.UNKNOWN.value],
        "positions": {
            "mean": sum(positions) / len(positions) if positions else None,
            "median": positions[len(positions) // 2] if positions else None,
            "most": positions[-1] if positions else None,
        },
        "length": sum(lengths) / len(lengths) if lengths else None,
        "seconds": round(sum(e.seconds for e in all_), 1),
    }
