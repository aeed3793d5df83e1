"""What is said of an arm: shares with intervals, percentiles, verdicts. One object for API, CLI and files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.solver import Verdict
from evaluation.evaluators import PlayerEvaluator, SolverEvaluator
from evaluation.rows import FAILED
from evaluation.stats import Interval, wilson, winnability
from evaluation.tally import Histogram, Tally


@dataclass(frozen=True)
class Spread:
    """Mean and percentiles of a measure; every field None for no values."""

    mean: float | None
    median: float | None
    p10: float | None
    p90: float | None
    total: int

    @classmethod
    def of(cls, h: Histogram | None) -> Spread:
        h = h or Histogram()
        return cls(h.mean(), h.quantile(0.5), h.quantile(0.1), h.quantile(0.9), h.total)

    def to_json(self) -> dict[str, Any]:
        return {"mean": self.mean, "median": self.median, "p10": self.p10, "p90": self.p90}


@dataclass(frozen=True)
class ArmSummary:
    """An arm as reported. n counts rows without failed ones; an interval of n = 0 is 0 to 1."""

    number: int
    variant: str
    variant_key: str
    evaluator: PlayerEvaluator | SolverEvaluator
    total: int
    tally: Tally
    stopped: str = ""

    @property
    def is_player(self) -> bool:
        return isinstance(self.evaluator, PlayerEvaluator)

    @property
    def n(self) -> int:
        return self.tally.n

    @property
    def failed(self) -> int:
        return self.tally.outcomes[FAILED]

    def verdicts(self, verdict: Verdict) -> int:
        return self.tally.outcomes[verdict.value]

    @property
    def win_interval(self) -> Interval:
        return wilson(self.tally.won, self.n)

    @property
    def winnable_interval(self) -> Interval:
        return winnability(*(self.verdicts(v) for v in (Verdict.SOLVED, Verdict.UNSOLVABLE, Verdict.UNKNOWN)))

    def spread(self, measure: str) -> Spread:
        return Spread.of(self.tally.measures.get(measure))

    def scores(self) -> dict[str, Spread]:
        prefix = "score:"
        names = sorted(m for m in self.tally.measures if m.startswith(prefix))
        return {m.removeprefix(prefix): self.spread(m) for m in names}

    def to_json(self) -> dict[str, Any]:
        """The arm's object in report.json. What does not apply to the evaluator is null."""
        head = {
            "arm": self.number,
            "variant": self.variant,
            "variant_key": self.variant_key,
            "evaluator": self.evaluator.canonical(),
            "label": self.evaluator.label,
            "total": self.total,
            "n": self.n,
            "failed": self.failed,
            "outcomes": {k: n for k, n in sorted(self.tally.outcomes.items()) if n},
            "stopped": self.stopped or None,
        }
        return head | (self._player_json() if self.is_player else self._solver_json())

    def _player_json(self) -> dict[str, Any]:
        scores = {name: spread.to_json() for name, spread in self.scores().items()}
        return {
            "wins": self.tally.won,
            "win_rate": self.tally.won / self.n if self.n else None,
            "win_interval": list(self.win_interval),
            "moves": self.spread("moves").to_json(),
            "moves_won": self.spread("moves_won").to_json(),
            "score": scores.get("windows") or next(iter(scores.values()), None),
            "scores": scores,
            "sequences": self.spread("sequences").to_json(),
            "stock_deals": self.spread("stock_deals").to_json(),
            **dict.fromkeys(
                ("solved", "unsolvable", "unknown", "unknown_reasons", "winnable_interval", "length")
            ),
            "positions": self._positions(),
        }

    def _solver_json(self) -> dict[str, Any]:
        nothing = (
            "wins",
            "win_rate",
            "win_interval",
            "moves",
            "moves_won",
            "score",
            "scores",
            "sequences",
            "stock_deals",
        )
        return {
            **dict.fromkeys(nothing),
            **{v.value: self.verdicts(v) for v in Verdict},
            "unknown_reasons": dict(sorted(self.tally.reasons.items())),
            "winnable_interval": list(self.winnable_interval),
            "length": self.spread("length").to_json(),
            "positions": self._positions(),
        }

    def _positions(self) -> dict[str, Any]:
        spread = self.spread("nodes")
        return {"mean": spread.mean, "median": spread.median, "total": spread.total}
