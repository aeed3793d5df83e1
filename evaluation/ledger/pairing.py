"""Reading pairs of rows: what two arms made of the same deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select
from sqlalchemy.orm import aliased

from evaluation.db import Database
from evaluation.ledger.outcomes import decided
from evaluation.ledger.views import ArmView
from evaluation.paired import Pairs
from evaluation.schema import Result


@dataclass(frozen=True)
class Side:
    """One arm of a pair. repeats: games a deal in its job."""

    arm_id: int
    job_id: str
    repeats: int = 1


def paired(db: Database, a: Side, b: Side) -> Pairs:
    """Count the deals that both arms have a row of. Arms of one job meet by the number of the deal, arms of
    two jobs by seed and repeat."""
    with db.read() as conn:
        return _paired(conn, a, b)


def _paired(conn: Connection, a: Side, b: Side) -> Pairs:
    left, right = aliased(Result), aliased(Result)
    w, v = decided(left), decided(right)
    wins = {
        "both": and_(w == 1, v == 1),
        "only_a": and_(w == 1, v == 0),
        "only_b": and_(w == 0, v == 1),
        "neither": and_(w == 0, v == 0),
        "undecided": or_(w.is_(None), v.is_(None)),
    }
    sums = [func.coalesce(func.sum(case((test, 1), else_=0)), 0).label(name) for name, test in wins.items()]
    row = conn.execute(
        select(*sums).select_from(left).join(right, _meets(left, right, a, b)).where(left.arm_id == a.arm_id)
    ).one()
    return Pairs(**{name: int(getattr(row, name)) for name in wins})


def _meets(left: type[Result], right: type[Result], a: Side, b: Side) -> ColumnElement[bool]:
    other = right.arm_id == b.arm_id
    if a.job_id == b.job_id:
        return and_(other, right.ordinal == left.ordinal)
    return and_(other, right.seed == left.seed, right.ordinal % b.repeats == left.ordinal % a.repeats)


@dataclass(frozen=True)
class Differing:
    """A deal that only one of the arms won."""

    seed: str
    ordinal_a: int
    ordinal_b: int
    outcome_a: str
    outcome_b: str


def differing(db: Database, a: Side, b: Side, limit: int = 100) -> list[Differing]:
    """Deals that one arm won and the other lost, by their number in a's job."""
    left, right = aliased(Result), aliased(Result)
    w, v = decided(left), decided(right)
    query = (
        select(
            left.seed,
            left.ordinal.label("at_a"),
            right.ordinal.label("at_b"),
            left.outcome.label("out_a"),
            right.outcome.label("out_b"),
        )
        .select_from(left)
        .join(right, _meets(left, right, a, b))
        .where(left.arm_id == a.arm_id, w != v)
        .order_by(left.ordinal)
        .limit(limit)
    )
    with db.read() as conn:
        return [Differing(r.seed, r.at_a, r.at_b, r.out_a, r.out_b) for r in conn.execute(query)]


def pairs_of(arms: Sequence[ArmView], most: int = 12) -> list[tuple[int, int]]:
    """Which arms of a job to set side by side, by their places: evaluators on one variant, then variants of
    as many decks under one evaluator (they see the same card order), each against the first of its kind."""
    out: list[tuple[int, int]] = []
    by_variant = [(a.summary.variant_key, "") for a in arms]
    by_evaluator = [(str(a.variant.decks), a.summary.evaluator.label) for a in arms]
    for keys in (by_variant, by_evaluator):
        first: dict[tuple[str, str], int] = {}
        for i, key in enumerate(keys):
            if key in first:
                out.append((first[key], i))
            else:
                first[key] = i
    return out[:most]
