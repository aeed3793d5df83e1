"""The report as an object: what every format writes. Also while partial, and it says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.deals import DealId
from evaluation.db import Database
from evaluation.ledger.pairing import Side, paired, pairs_of
from evaluation.ledger.results import StoredRow, iter_rows
from evaluation.ledger.views import ArmView, JobDetail, get_detail, iso
from evaluation.paired import Pairs
from evaluation.schema import JobState
from evaluation.settings import Settings
from evaluation.spec import Layouts

FIXED = (
    "job",
    "arm",
    "variant",
    "evaluator",
    "id",
    "seed",
    "repeat",
    "outcome",
    "won",
    "moves",
    "stock_deals",
    "sequences",
)
VERDICT = ("verdict", "reason", "length", "nodes", "certificate", "engine")
TIMINGS = ("seconds",)

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Report:
    """A job's detail and access to its rows."""

    db: Database
    detail: JobDetail

    @property
    def partial(self) -> bool:
        """Whether rows are missing: they may still come, or the job was cancelled before them."""
        state = self.detail.job.state
        return not state.final or state is JobState.CANCELLED

    def partial_mark(self, rows: int) -> dict[str, Any]:
        """What a file of rows says of itself at its end while rows are missing."""
        return {"partial": True, "rows": rows, "rows_in_all": self.detail.job.counts.total}

    @property
    def scheme(self) -> str:
        deals = self.detail.spec.deals
        return "layout" if isinstance(deals, Layouts) else deals.scheme

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in the order of `rows`; timings last, since they alone differ between equal runs."""
        scores = tuple(score_column(s.value) for s in self.detail.spec.scoring)
        return (*FIXED, *scores, *VERDICT, *TIMINGS)

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """One row an arm and seed (and repeat), by arm, then by deal; cells in the order of `columns`."""
        for stored in iter_rows(self.db, [a.id for a in self.detail.arms]):
            yield self.cells(stored)

    def cells(self, stored: StoredRow) -> tuple[Cell, ...]:
        """One row's cells in the order of `columns`."""
        job, spec, row = self.detail.job, self.detail.spec, stored.row
        arm = self._arms[stored.arm_id].summary
        identity = str(DealId(self.scheme, arm.variant, row.seed))
        return (
            job.name, arm.number, arm.variant, arm.evaluator.label, identity, row.seed,
            row.ordinal % spec.repeats, row.outcome, row.won, row.moves, row.stock_deals, row.sequences,
            *(row.scores.get(s.value) for s in spec.scoring),
            row.verdict, row.reason, row.length, row.nodes, row.certificate, job.engine,
            round(row.seconds, 6),
        )  # fmt: skip

    @cached_property
    def _arms(self) -> dict[int, ArmView]:
        return {a.id: a for a in self.detail.arms}

    def to_json(self) -> dict[str, Any]:
        """The object of report.json and of `evaluate --json`."""
        job = self.detail.job
        return {
            "format": "spidervet-report/1",
            "job": job.name,
            "id": job.id,
            "state": job.state.value,
            "partial": self.partial,
            "counts": job.counts.to_json(),
            "engine": job.engine,
            "created_at": iso(job.created_at),
            "finished_at": iso(job.finished_at),
            "spec": self.detail.to_json()["spec"],
            "variants": [v.record() | {"key": v.key} for v in self._variants()],
            "arms": [a.summary.to_json() for a in self.detail.arms],
            "pairs": [{"a": i, "b": k, **pairs.to_json()} for i, k, pairs in self.pairs()],
        }

    def pairs(self) -> list[tuple[int, int, Pairs]]:
        """Paired differences of the job's arms: the two arms by number, and the counts."""
        arms, repeats = self.detail.arms, self.detail.spec.repeats
        sides = [Side(a.id, self.detail.job.id, repeats) for a in arms]
        return [(i, k, paired(self.db, sides[i], sides[k])) for i, k in pairs_of(arms)]

    def _variants(self) -> list[Any]:
        return list({a.variant.key: a.variant for a in self.detail.arms}.values())


def score_column(scoring: str) -> str:
    """``score_windows_floor`` for ``windows-floor``."""
    return "score_" + scoring.replace("-", "_")


def load_report(db: Database, job_id: str, settings: Settings) -> Report:
    """The report of a job as it stands. Raises NoSuchJobError."""
    return Report(db, get_detail(db, job_id, settings))
