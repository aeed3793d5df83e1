"""What a token may still ask for, checked in the transaction that writes the job."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from engine.schedules import schedule_for
from engine.words import counted
from evaluation.access.roles import Identity
from evaluation.access.tokens import hold_token
from evaluation.evaluators import SolverEvaluator
from evaluation.schema import Job, JobState
from evaluation.settings import Settings
from evaluation.spec import JobPlan, SpecError


class QuotaError(Exception):
    """The token has as many jobs open as it may."""


def check_plan(identity: Identity, plan: JobPlan, settings: Settings) -> None:
    """A job's size against its owner's limits. Raises SpecError naming the field."""
    seeds = identity.limits.seeds
    if seeds is not None and plan.source.count > seeds:
        raise SpecError.at(
            "deals", f"{counted(plan.source.count, 'deal')}; a job of this token may have {seeds}"
        )
    nodes = settings.token_nodes if identity.limits.nodes is None else identity.limits.nodes
    asked = nodes_of(plan)
    if not identity.is_local and asked > nodes:
        raise SpecError.at(
            "evaluators", f"up to {counted(asked, 'solver node')}; a job of this token may ask for {nodes:,}"
        )


def nodes_of(plan: JobPlan) -> int:
    """The most solver nodes that a job may use; a solver without a budget has its schedule's own."""
    total = 0
    for arm in plan.arms:
        if isinstance(arm.evaluator, SolverEvaluator):
            budget = arm.evaluator.solver
            most = schedule_for(arm.variant).nodes if budget.nodes is None else budget.nodes
            total += plan.units * (most + (budget.shorten_nodes))
    return total


def check_open_jobs(conn: Connection, identity: Identity, settings: Settings) -> None:
    """The jobs open now, a job just written among them, must be within the limit. Raises QuotaError."""
    if identity.token_id is None:
        return
    most = settings.token_open_jobs if identity.limits.open_jobs is None else identity.limits.open_jobs
    hold_token(conn, identity.token_id)
    open_states = [s.value for s in JobState if not s.final]
    count = conn.execute(
        select(func.count()).select_from(Job).where(Job.owner == identity.name, Job.state.in_(open_states))
    ).scalar_one()
    if count > most:
        raise QuotaError(f"{identity.name} has {counted(count - 1, 'job')} open; this token may have {most}")
