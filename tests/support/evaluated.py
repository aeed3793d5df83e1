"""Jobs whose rows are made up, so that what is read back is known."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from evaluation.db import Database
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import finish
from evaluation.ledger.submit import submit
from evaluation.rows import Row
from evaluation.schema import Arm
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from evaluation.versions import engine_version

TWO_ARMS: dict[str, Any] = {
    "name": "=two arms",
    "deals": {"first": 101, "count": 12},
    "variants": ["spiderette-1"],
    "evaluators": [{"player": "hint"}, {"solver": {"nodes": 1000}}],
}
LINE = (0x8000,)


def row(solver: bool, ordinal: int, first: int) -> Row:
    """Player: wins every third deal. Solver: solves all but deals 5 (unknown) and 7 (unsolvable)."""
    seed = str(first + ordinal)
    if not solver:
        won = ordinal % 3 == 0
        return Row(
            ordinal, seed, "won" if won else "stuck", won, 200 - ordinal, 3, 4 if won else 1,
            {"windows": 500 + ordinal}, nodes=10 * ordinal, seconds=0.5,
        )  # fmt: skip
    verdict = {5: "unknown", 7: "unsolvable"}.get(ordinal, "solved")
    length = 60 + ordinal if verdict == "solved" else None
    return Row(
        ordinal, seed, verdict, verdict=verdict, reason="nodes" if verdict == "unknown" else None,
        length=length, nodes=1000 - ordinal, seconds=0.25, line=LINE if length else (),
    )  # fmt: skip


def submit_two(db: Database, settings: Settings, **changes: Any) -> str:
    """A job of a player and the solver on twelve deals."""
    plan = plan_job(parse_spec({**TWO_ARMS, **changes}), settings)
    return submit(db, plan, settings).job_id


def evaluate_chunks(db: Database, settings: Settings, most: int = 100, first: int = 101) -> int:
    """Claim and finish what is sent, at most so many chunks; gives how many. first: the job's first seed."""
    done = 0
    for item in next_to_send(db, settings):
        if done == most:
            break
        lease = claim(db, item.chunk_id, "host/1", engine_version(), settings.lease_s)
        if isinstance(lease, Lease):
            solver = is_solver(db, lease.arm_id)
            rows = [row(solver, o, first) for o in range(lease.start, lease.start + lease.size)]
            finish(db, lease, list(rows), 0.3, "host/1")
            done += 1
    return done


def is_solver(db: Database, arm_id: int) -> bool:
    with db.read() as conn:
        label = conn.execute(select(Arm.evaluator).where(Arm.id == arm_id)).scalar_one()
    return str(label).startswith("solver")
