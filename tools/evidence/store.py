"""Job files and what their runs gave: docs/evidence/jobs/NAME.json and docs/evidence/runs/NAME.json.

A run file holds slices of its job, one after another from the job's first deal. An arm of a slice holds one
letter a deal (`LETTERS`), in the order of the seeds, so that arms of any two jobs can be compared deal by deal.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.weights import since
from evaluation.evaluators import PlayerEvaluator
from evaluation.settings import Settings
from evaluation.spec import ArmPlan, JobPlan, parse_spec, plan_job

ROOT = Path(__file__).parent.parent.parent / "docs" / "evidence"

LETTERS = {
    "won": "W", "stuck": "s", "dead": "d", "no-progress": "p", "move-limit": "m",
    "solved": "S", "unsolvable": "U", "unknown": "?", "failed": "F",
}  # fmt: skip


@dataclass(frozen=True)
class Arm:
    """One arm of a slice. outcomes: a letter a deal. nodes: a tenth, half and nine tenths of the deals took
    at most as many positions. seconds: work of all deals, on the machine that the slice names."""

    variant: str
    variant_key: str
    evaluator: str
    weights: str
    outcomes: str
    nodes: tuple[int, int, int]
    seconds: float


@dataclass(frozen=True)
class Slice:
    """``count`` deals from seed ``first`` on. spec: hash of the job file without its range."""

    first: int
    count: int
    spec: str
    engine: str
    machine: str
    wall_s: float
    arms: tuple[Arm, ...]


def job_names(root: Path = ROOT) -> list[str]:
    return sorted(p.stem for p in (root / "jobs").glob("*.json"))


def job_data(name: str, root: Path = ROOT) -> dict[str, Any]:
    """A job file. Raises FileNotFoundError."""
    data: dict[str, Any] = json.loads((root / "jobs" / f"{name}.json").read_text("utf-8"))
    return data


def part(data: dict[str, Any], first: int, count: int) -> dict[str, Any]:
    """The same job over other deals."""
    return {**data, "deals": {**data["deals"], "first": first, "count": count}}


def plan_of(data: dict[str, Any]) -> JobPlan:
    return plan_job(parse_spec(data), Settings())


def spec_hash(data: dict[str, Any]) -> str:
    """What a slice was asked, without its range: slices of another question are not of this job."""
    return hashlib.sha256(json.dumps(part(data, 0, 0), sort_keys=True).encode()).hexdigest()[:12]


def weights_of(arm: ArmPlan, engine: str) -> str:
    """The part of an engine version that an arm depends on: ``p7`` for players, ``s5`` for the solver."""
    _, players, solver = engine.rsplit("-", 2)
    return players if isinstance(arm.evaluator, PlayerEvaluator) else solver


def current(data: dict[str, Any], item: Slice, engine: str) -> bool:
    """Whether a slice answers this job under this engine, as far as the slice's arms depend on it."""
    arms = plan_of(data).arms
    return item.spec == spec_hash(data) and all(
        _answers(kept.weights, arm, engine) for kept, arm in zip(item.arms, arms, strict=True)
    )


def _answers(kept: str, arm: ArmPlan, engine: str) -> bool:
    """Whether an arm's outcomes under some weights are those under this engine: a level's games often stay
    the same from one version of the players' weights to the next (engine/data/weights.json, since)."""
    now = weights_of(arm, engine)
    if kept == now or not isinstance(arm.evaluator, PlayerEvaluator):
        return kept == now
    return since(arm.evaluator.player, arm.variant) <= int(kept[1:]) <= int(now[1:])


def load(name: str, root: Path = ROOT) -> tuple[Slice, ...]:
    """A job's slices in the order of their seeds; none where it has not run."""
    path = root / "runs" / f"{name}.json"
    if not path.exists():
        return ()
    return tuple(_slice(item) for item in json.loads(path.read_text("utf-8"))["slices"])


def _slice(item: dict[str, Any]) -> Slice:
    arms = tuple(Arm(**{**a, "nodes": tuple(a["nodes"])}) for a in item["arms"])
    return Slice(**{**item, "arms": arms})


def save(name: str, slices: tuple[Slice, ...], root: Path = ROOT) -> None:
    """Write a job's slices; the file is replaced in one step."""
    body = {"format": "spidervet-evidence/1", "job": name, "slices": [asdict(s) for s in slices]}
    path = root / "runs" / f"{name}.json"
    path.with_suffix(".tmp").write_text(json.dumps(body, indent=1) + "\n", "utf-8")
    path.with_suffix(".tmp").replace(path)


def summarise(plan: JobPlan, rows: list[dict[str, Any]], engine: str) -> tuple[Arm, ...]:
    """The arms of a slice from the rows of its report. Raises ValueError where a row is missing or of another
    engine."""
    out = []
    for arm in plan.arms:
        own = sorted((r for r in rows if r["arm"] == arm.number), key=lambda r: int(r["seed"]))
        if len(own) != plan.units or any(r["engine"] != engine for r in own):
            raise ValueError(
                f"{plan.name}: arm {arm.number} has {len(own)} rows, not {plan.units} of {engine}"
            )
        outcomes = "".join(LETTERS[r["outcome"]] for r in own)
        nodes = sorted(r["nodes"] or 0 for r in own)
        cuts = tuple(nodes[round(q * (len(nodes) - 1))] for q in (0.1, 0.5, 0.9))
        weights = weights_of(arm, engine)
        seconds = round(sum(r["seconds"] for r in own), 2)
        out.append(
            Arm(arm.variant.label, arm.variant.key, arm.evaluator.label, weights, outcomes,
                (cuts[0], cuts[1], cuts[2]), seconds)
        )  # fmt: skip
    return tuple(out)
