"""The solver's weight vectors and schedules: data, read once from the package, checked, handed to the core.

`data/solver_weights.json` says for each family of games which beams run in which order. Families are told
apart by rules, not by names, so that a custom variant gets the schedule of the game it is nearest to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from engine import _core
from engine.variants import Build, GroupMove, Removal, Variant

FORMAT = "spidervet-solver-weights/1"
EXHAUST = "exhaust"
"""Stands for a weight vector in a step that is the exhaustive search."""
RESTARTS = "restarts"
"""Stands for a weight vector in a step that runs beam after beam under vectors drawn at random."""
NATIVE = {EXHAUST: -1, RESTARTS: -2}


@dataclass(frozen=True)
class Step:
    """One search of a schedule.

    weights: name of a vector, `EXHAUST` or `RESTARTS`. width: positions kept a level. patience and
    last_patience: levels without improvement that end a stage with stock left, and the last stage.
    nodes: the most it may spend, 0 for no bound. every_empty: while stock remains, all empty columns are
    targets, not the leftmost alone. noise: to a position's rating is added what its hash draws below this.

    Restarts: width is the narrowest beam's, spread the thousandths by which each weight may vary; every_empty
    is drawn for each beam.
    """

    weights: str
    width: int = 1
    patience: int = 8
    last_patience: int = 16
    nodes: int = 0
    every_empty: bool = False
    noise: int = 0
    spread: int = 0


@dataclass(frozen=True)
class Schedule:
    """What runs on a deal, in order.

    nodes: the default budget. widen: how many of the last steps repeat, twice as wide each time, while the
    budget lasts; 0 for none. Nothing here depends on the budget, which only cuts the sequence.
    """

    nodes: int
    steps: tuple[Step, ...]
    widen: int


@dataclass(frozen=True)
class Shipped:
    """The data file.

    version: changes with every change of weights or schedules. vectors: the weights with no stock row left,
    then with one, and so on, one after another.
    """

    version: int
    vectors: Mapping[str, tuple[int, ...]]
    schedules: Mapping[str, Schedule]

    def native(self, schedule: Schedule) -> _core.Schedule:
        """The form that the core reads."""
        vectors = sorted({s.weights for s in schedule.steps} - set(NATIVE))
        steps = [
            [
                NATIVE[s.weights] if s.weights in NATIVE else vectors.index(s.weights),
                s.width,
                s.patience,
                s.last_patience,
                s.nodes,
                int(s.every_empty),
                s.noise,
                s.spread,
            ]
            for s in schedule.steps
        ]
        return _core.Schedule([self.vectors[name] for name in vectors], steps, schedule.widen)


def parse(text: str) -> Shipped:
    """Read the data file. Raises ValueError naming what is wrong."""
    data: dict[str, Any] = json.loads(text)
    if data.get("format") != FORMAT:
        raise ValueError(f"solver weights: the format is {data.get('format')!r}, not {FORMAT}")
    names = _core.solver_feature_names()
    if data["features"] != names:
        raise ValueError(f"solver weights: features {data['features']}, the core has {names}")
    count = len(names)
    vectors = {}
    for name, vector in data["vectors"].items():
        if not vector or any(len(row) != count for row in vector):
            raise ValueError(f"solver weights: vector {name!r} does not hold {count} weights a row")
        vectors[name] = tuple(weight for row in vector for weight in row)
    schedules = {}
    for name, schedule in data["schedules"].items():
        steps = tuple(Step(**step) for step in schedule["steps"])
        missing = {s.weights for s in steps} - {*NATIVE, *vectors}
        if missing:
            raise ValueError(f"solver weights: schedule {name!r} wants unknown vectors {sorted(missing)}")
        schedules[name] = Schedule(schedule["nodes"], steps, schedule["widen"])
    return Shipped(data["version"], vectors, schedules)


@lru_cache(maxsize=1)
def shipped() -> Shipped:
    """The weights and schedules of this release."""
    return parse(resources.files("engine").joinpath("data", "solver_weights.json").read_text("utf-8"))


def family(variant: Variant) -> str:
    """The name of the schedule that suits a variant's rules."""
    if variant.build is Build.SAME_SUIT or variant.group_move is GroupMove.ANY_FACE_UP:
        return "scorpion" if variant.decks == 1 else "double-scorpion"
    if variant.sequence_removal is Removal.OPTIONAL and variant.stock > 0:
        return "optional"  # complete sequences may have to stay, to fill columns for a stock deal
    if variant.decks == 2:
        return "black-widow" if variant.group_move is GroupMove.ANY_SUIT else f"spider-{variant.suits}"
    if variant.stock == 0:
        return f"simple-simon-{variant.suits}"
    # Spiderette deals more than half of its cards to the table, Will o' the Wisp fewer.
    kind = "spiderette" if 2 * variant.stock <= variant.cards else "will-o-the-wisp"
    return f"{kind}-{variant.suits}"


def schedule_for(variant: Variant) -> Schedule:
    """The schedule that a variant is searched with."""
    return shipped().schedules[family(variant)]


@lru_cache(maxsize=64)
def native_schedule(variant: Variant) -> _core.Schedule:
    """The same in the form that the core reads."""
    return shipped().native(schedule_for(variant))
