"""What a worker needs to evaluate an arm, read back from the ledger. It never changes: cache it."""

from __future__ import annotations

from dataclasses import dataclass

import orjson
from sqlalchemy import Connection, select

from engine.variants import Variant, resolve
from evaluation.evaluators import evaluator_of
from evaluation.schema import Arm, Job
from evaluation.source import DealSource
from evaluation.spec import ArmPlan, JobSpec, parse_spec, source_of


@dataclass(frozen=True)
class ArmContext:
    """One arm ready to run."""

    arm: ArmPlan
    spec: JobSpec
    source: DealSource
    kind: str = "evaluation"


def load_context(conn: Connection, arm_id: int) -> ArmContext:
    """The arm's variant as it was when submitted, its evaluator, and the job's deals."""
    row = conn.execute(
        select(Arm.number, Arm.variant_record, Arm.evaluator_json, Job.spec, Job.kind)
        .join(Job, Job.id == Arm.job_id)
        .where(Arm.id == arm_id)
    ).one()
    spec = parse_spec(orjson.loads(row.spec))
    variant: Variant = resolve(orjson.loads(row.variant_record))
    evaluator = evaluator_of(orjson.loads(row.evaluator_json))
    arm = ArmPlan(row.number, variant, evaluator)
    return ArmContext(arm, spec, source_of(spec.deals, [variant]), row.kind)
