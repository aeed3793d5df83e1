"""Running sums of an arm: what the summary is made of, added up chunk by chunk.

A tally holds counts of outcomes and a histogram per measure, so adding chunks in any order gives
the same tally, and a recount from the rows must give it too (`spidervet db check`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from evaluation.rows import FAILED, Row
from evaluation.stats import percentile

ROWS_AT_ONCE = 5_000
EXACT_VALUES = 5_000
"""A histogram keeps exact values up to this many distinct ones, then three significant digits."""


def coarse(value: int) -> int:
    """Round to three significant digits, halves up."""
    size = abs(value)
    if size < 1000:
        return value
    step: int = 10 ** (len(str(size)) - 3)
    rounded = (size + step // 2) // step * step
    return rounded if value > 0 else -rounded


@dataclass
class Histogram:
    """Counts of whole numbers with their exact sum. Coarse once it has held too many distinct values."""

    counts: Counter[int] = field(default_factory=Counter)
    total: int = 0
    is_coarse: bool = False

    def add(self, value: int, times: int = 1) -> None:
        self.counts[coarse(value) if self.is_coarse else value] += times
        self.total += value * times
        self._shrink()

    def add_all(self, values: Sequence[int]) -> None:
        """As `add` of each, at a fraction of the time."""
        self.counts.update(map(coarse, values) if self.is_coarse else values)
        self.total += sum(values)
        self._shrink()

    def merge(self, other: Histogram) -> None:
        self.is_coarse = self.is_coarse or other.is_coarse
        self.counts.update(other.counts)
        self.total += other.total
        self._shrink(self.is_coarse)

    def _shrink(self, now: bool = False) -> None:
        if not now and (self.is_coarse or len(self.counts) <= EXACT_VALUES):
            return
        self.is_coarse = True
        counts: Counter[int] = Counter()
        for value, times in self.counts.items():
            counts[coarse(value)] += times
        self.counts = counts

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    def mean(self) -> float | None:
        n = self.n
        return self.total / n if n else None

    def quantile(self, q: float) -> float | None:
        return percentile(self.counts, q)

    def to_json(self) -> dict[str, Any]:
        counts = {str(k): self.counts[k] for k in sorted(self.counts) if self.counts[k]}
        return {"total": self.total, "coarse": self.is_coarse, "counts": counts}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Histogram:
        counts = Counter({int(k): n for k, n in data["counts"].items()})
        return cls(counts, data["total"], data["coarse"])


@dataclass
class Tally:
    """Sums over rows. ``outcomes`` counts every row, failed ones too; the histograms only good rows.

    Measures: moves, moves_won, stock_deals, sequences, length, nodes, and score:NAME per scoring.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    measures: dict[str, Histogram] = field(default_factory=dict)
    won: int = 0

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Tally:
        """The tally of some rows, taken a few thousand at a time."""
        tally, rest = cls(), iter(rows)
        while batch := list(islice(rest, ROWS_AT_ONCE)):
            tally.add_all(batch)
        return tally

    def add_all(self, rows: Sequence[Row]) -> None:
        """Add rows, column by column: a chunk's sums must cost little beside its games."""
        self.outcomes.update([row.outcome for row in rows])
        good = [row for row in rows if row.outcome != FAILED]
        self.won += sum([row.won is True for row in good])
        self.reasons.update([row.reason for row in good if row.reason])
        for name in ("moves", "stock_deals", "sequences", "length", "nodes"):
            self._add_column(name, [getattr(row, name) for row in good])
        self._add_column("moves_won", [row.moves for row in good if row.won])
        for scoring in dict.fromkeys(s for row in good for s in row.scores):
            self._add_column(f"score:{scoring}", [row.scores.get(scoring) for row in good])

    def _add_column(self, name: str, cells: Sequence[int | None]) -> None:
        values = [cell for cell in cells if cell is not None]
        if values:
            self.measure(name).add_all(values)

    def add(self, row: Row) -> None:
        """Add one row."""
        self.add_all([row])

    def merge(self, other: Tally) -> None:
        self.outcomes.update(other.outcomes)
        self.reasons.update(other.reasons)
        self.won += other.won
        for name, histogram in other.measures.items():
            self.measure(name).merge(histogram)

    def drop_failed(self, times: int) -> None:
        """Take back failed rows, which carry nothing but their count (a retry removes them)."""
        self.outcomes[FAILED] -= times

    def measure(self, name: str) -> Histogram:
        found = self.measures.get(name)
        if found is None:
            found = self.measures[name] = Histogram()
        return found

    @property
    def rows(self) -> int:
        """Every row, failed ones too."""
        return sum(self.outcomes.values())

    @property
    def n(self) -> int:
        """Rows that count in statistics: failed ones do not."""
        return self.rows - self.outcomes[FAILED]

    def to_bytes(self) -> bytes:
        """JSON with sorted keys: equal tallies give equal bytes."""
        return orjson.dumps(
            {
                "outcomes": {k: n for k, n in self.outcomes.items() if n},
                "reasons": {k: n for k, n in self.reasons.items() if n},
                "won": self.won,
                "measures": {k: h.to_json() for k, h in self.measures.items()},
            },
            option=orjson.OPT_SORT_KEYS,
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        if not data:
            return cls()
        raw = orjson.loads(data)
        measures = {k: Histogram.from_json(h) for k, h in raw["measures"].items()}
        return cls(Counter(raw["outcomes"]), Counter(raw["reasons"]), measures, raw["won"])
