"""What a unit costs: measured seconds an evaluator and variant, and guesses until measured."""

from __future__ import annotations

import orjson
from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from engine.players import Level
from engine.variants import Variant, resolve
from evaluation.evaluators import PlayerEvaluator, SolverEvaluator, evaluator_of
from evaluation.schema import Cost
from evaluation.spec import JobPlan

ONE_DECK = 0
GUESS_S: dict[str, dict[int, float]] = {
    Level.HINT: {1: 0.005, 2: 0.024, 4: 0.022, ONE_DECK: 0.0005},
    Level.NOVICE: {1: 0.008, 2: 0.028, 4: 0.026, ONE_DECK: 0.001},
    Level.CASUAL: {1: 0.009, 2: 0.026, 4: 0.026, ONE_DECK: 0.001},
    Level.CLUB: {1: 0.044, 2: 0.051, 4: 0.055, ONE_DECK: 0.005},
    Level.EXPERT: {1: 0.11, 2: 1.0, 4: 0.26, ONE_DECK: 0.05},
}
"""Seconds a game of a level: by suits with two decks, as docs/player.md has them of Spider; with one deck, of
Spiderette and Will o' the Wisp."""
GUEST_S = 1.0
"""For players of other packages."""
NODES_A_SECOND = 500_000
DEFAULT_NODES = 2_000_000
MEMORY_UNITS = 5_000
"""Older measurements fade once this many units stand against them."""


def guess_s(variant: Variant, evaluator: PlayerEvaluator | SolverEvaluator) -> float:
    """Seconds a unit may cost before anything was measured."""
    if isinstance(evaluator, PlayerEvaluator):
        known = GUESS_S.get(evaluator.player)
        return GUEST_S if known is None else known[ONE_DECK if variant.decks == 1 else variant.suits]
    budget = evaluator.solver
    return ((budget.nodes or DEFAULT_NODES) + budget.shorten_nodes) / NODES_A_SECOND


def guess_of(variant_record: str, evaluator_json: str) -> float:
    """The same of an arm as it is stored."""
    return guess_s(resolve(orjson.loads(variant_record)), evaluator_of(orjson.loads(evaluator_json)))


def measured(conn: Connection) -> dict[tuple[str, str], float]:
    """Seconds a unit by (variant key, evaluator label)."""
    rows = conn.execute(select(Cost.variant_key, Cost.evaluator, Cost.unit_s))
    return {(r.variant_key, r.evaluator): r.unit_s for r in rows}


def estimate_s(conn: Connection, plan: JobPlan) -> float:
    """Seconds of work in a whole job on one processor."""
    known = measured(conn)
    return sum(
        plan.units * known.get((arm.variant.key, arm.evaluator.label), guess_s(arm.variant, arm.evaluator))
        for arm in plan.arms
    )


def record(
    conn: Connection, variant_key: str, evaluator: str, units: int, seconds: float, sqlite: bool
) -> None:
    """Add a chunk's measurement, in the caller's transaction."""
    if units <= 0:
        return
    old = conn.execute(
        select(Cost.unit_s, Cost.units).where(Cost.variant_key == variant_key, Cost.evaluator == evaluator)
    ).one_or_none()
    weight = min(old.units, MEMORY_UNITS) if old else 0
    unit_s = ((old.unit_s * weight if old else 0.0) + seconds) / (weight + units)
    values = {"variant_key": variant_key, "evaluator": evaluator, "unit_s": unit_s, "units": weight + units}
    maker = sqlite_insert if sqlite else pg_insert
    conn.execute(
        maker(Cost)
        .values(values)
        .on_conflict_do_update(
            index_elements=["variant_key", "evaluator"], set_={"unit_s": unit_s, "units": weight + units}
        )
    )
