"""Arms of chosen jobs, side by side: for /v1/compare and its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.ledger.pairing import Side
from evaluation.ledger.views import ArmView, JobDetail
from evaluation.spec import Layouts

MOST_JOBS = 4


@dataclass(frozen=True)
class Chosen:
    """An arm that may be compared. at: its place in the list of all arms of the chosen jobs."""

    at: int
    detail: JobDetail
    arm: ArmView

    @property
    def name(self) -> str:
        """The arm within its job."""
        return f"{self.arm.summary.variant}, {self.arm.summary.evaluator.label}"

    @property
    def label(self) -> str:
        """The arm among several jobs."""
        return f"{self.detail.job.name}: {self.name}"

    @property
    def side(self) -> Side:
        return Side(self.arm.id, self.detail.job.id, self.detail.spec.repeats)

    @property
    def deals(self) -> tuple[str, int]:
        """Arms meet only where this is the same: one scheme, one card order."""
        deals = self.detail.spec.deals
        return ("layout" if isinstance(deals, Layouts) else deals.scheme, self.arm.variant.decks)

    def to_json(self) -> dict[str, Any]:
        arm = self.arm.summary
        return {
            "at": self.at,
            "job": self.detail.job.id,
            "name": self.detail.job.name,
            "arm": arm.number,
            "variant": arm.variant,
            "evaluator": arm.evaluator.canonical(),
            "label": arm.evaluator.label,
            "engine": self.detail.job.engine,
        }


def ids_of(jobs: str) -> list[str]:
    """Job ids with commas between, each once."""
    return list(dict.fromkeys(text.strip() for text in jobs.split(",") if text.strip()))


def arms_of(details: Sequence[JobDetail]) -> list[Chosen]:
    """All arms of the jobs, in their order."""
    arms = [(detail, arm) for detail in details for arm in detail.arms]
    return [Chosen(at, detail, arm) for at, (detail, arm) in enumerate(arms)]


def meeting(chosen: Sequence[Chosen]) -> list[tuple[int, int]]:
    """Every pair of places whose arms saw the same cards."""
    places = range(len(chosen))
    return [(i, k) for i in places for k in places if i < k and chosen[i].deals == chosen[k].deals]
