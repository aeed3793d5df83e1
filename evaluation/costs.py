"""What a unit costs: measured seconds an evaluator and variant, and guesses until measured."""

from __future__ import annotations

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from engine.players import Level
from evaluation.evaluators import PlayerEvaluator, SolverEvaluator
from evaluation.schema import Cost
from evaluation.spec import JobPlan

GUESS_S: dict[str, float] = {
    Level.HINT: 0.001,
    Level.NOVICE: 0.01,
    Level.CASUAL: 0.02,
    Level.CLUB: 0.04,
    Level.EXPERT: 1.0,
}
GUEST_S = 1.0
"""For players of other packages."""
NODES_A_SECOND = 500_000
DEFAULT_NODES = 2_000_000
MEMORY_UNITS = 5_000
"""Older measurements fade once this many units stand against them."""


def guess_s(evaluator: PlayerEvaluator | SolverEvaluator) -> float:
    """Seconds a unit may cost before anything was measured."""
    if isinstance(evaluator, PlayerEvaluator):
        return GUESS_S.get(evaluator.player, GUEST_S)
    budget = evaluator.solver
    return ((budget.nodes or DEFAULT_NODES) + budget.shorten_nodes) / NODES_A_SECOND


def measured(conn: Connection) -> dict[tuple[str, str], float]:
    """Seconds a unit by (variant key, evaluator label)."""
    rows = conn.execute(select(Cost.variant_key, Cost.evaluator, Cost.unit_s))
    return {(r.variant_key, r.evaluator): r.unit_s for r in rows}


def estimate_s(conn: Connection, plan: JobPlan) -> float:
    """Seconds of work in a whole job on one processor."""
    known = measured(conn)
    return sum(
        plan.units * known.get((arm.variant.key, arm.evaluator.label), guess_s(arm.evaluator))
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
