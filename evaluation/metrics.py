"""Ever-growing sums for /metrics, added in the transaction that stores a chunk.

Labels are closed sets: a named variant or ``custom``, a level or ``solver``; never seeds, job ids or
users' text. One row of the table is one metric with one label set; a histogram is one row too.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

import orjson
from sqlalchemy import Connection, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from engine.solver import Verdict
from engine.variants import NAMED
from evaluation.db import Database
from evaluation.schema import Total
from evaluation.tally import Histogram, Tally

BUCKETS: dict[str, tuple[float, ...]] = {
    "moves": (50, 75, 100, 125, 150, 175, 200, 250, 300, 400, 600, 1000),
    "score": (0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200),
    "solver_nodes": (100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8),
    "chunk_seconds": (0.1, 0.3, 1, 2, 3, 5, 10, 20, 40, 60, 120, 300),
}


@dataclass
class BucketSums:
    """A classic histogram: counts per upper bound (the last is above all), and the sum of values."""

    bounds: tuple[float, ...]
    counts: list[int] = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = self.counts or [0] * (len(self.bounds) + 1)

    def add(self, value: float, times: int = 1) -> None:
        self.counts[bisect_left(self.bounds, value)] += times
        self.total += value * times

    def merge(self, other: BucketSums) -> None:
        self.counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        self.total += other.total


def variant_label(variant: str) -> str:
    return variant if variant in NAMED else "custom"


def evaluator_label(evaluator: str) -> str:
    """``player:club(…)`` is ``club``, ``solver:…`` is ``solver``, ``vetting`` itself."""
    kind, _, rest = evaluator.partition(":")
    return rest.partition("(")[0] if kind == "player" else kind


def add_chunk(
    conn: Connection, variant: str, evaluator: str, tally: Tally, seconds: float, sqlite: bool
) -> None:
    """Add a stored chunk to the sums, label sets in sorted order."""
    labels = {"variant": variant_label(variant), "evaluator": evaluator_label(evaluator)}
    steps: list[tuple[str, dict[str, str], int | BucketSums]] = [
        ("deals", {**labels, "outcome": outcome}, n) for outcome, n in tally.outcomes.items() if n
    ]
    if tally.won:
        steps.append(("wins", labels, tally.won))
    if labels["evaluator"] == "solver":
        steps += [("verdicts", {"variant": labels["variant"], "verdict": v.value}, tally.outcomes[v.value])
                  for v in Verdict if tally.outcomes[v.value]]  # fmt: skip
    positions = tally.measures.get("nodes")
    if positions is not None:
        steps.append(("positions", labels, positions.total))
    for metric, measure in (("moves", "moves"), ("score", "score:windows"), ("solver_nodes", "nodes")):
        histogram = tally.measures.get(measure)
        if histogram is not None and (metric != "solver_nodes" or labels["evaluator"] == "solver"):
            steps.append((metric, labels, _buckets(metric, histogram)))
    if seconds > 0:
        chunk = BucketSums(BUCKETS["chunk_seconds"])
        chunk.add(seconds)
        steps.append(("chunk_seconds", labels, chunk))
    for metric, named, value in sorted(steps, key=lambda s: (s[0], sorted(s[1].items()))):
        _add(conn, metric, named, value, sqlite)


def count(conn: Connection, metric: str, labels: dict[str, str], n: int, sqlite: bool) -> None:
    """Add to a plain counter."""
    _add(conn, metric, labels, n, sqlite)


def _buckets(metric: str, histogram: Histogram) -> BucketSums:
    sums = BucketSums(BUCKETS[metric])
    for value, times in histogram.counts.items():
        sums.add(value, times)
    sums.total = float(histogram.total)
    return sums


def _add(
    conn: Connection, metric: str, labels: dict[str, str], value: int | BucketSums, sqlite: bool
) -> None:
    key = orjson.dumps(labels, option=orjson.OPT_SORT_KEYS).decode()
    maker = sqlite_insert if sqlite else pg_insert
    conn.execute(
        maker(Total).values(metric=metric, labels=key, value=_dump(_zero(value))).on_conflict_do_nothing()
    )
    where = (Total.metric == metric, Total.labels == key)
    old = conn.execute(select(Total.value).where(*where).with_for_update()).scalar_one()
    conn.execute(update(Total).where(*where).values(value=_dump(_sum(load_value(metric, old), value))))


def _zero(value: int | BucketSums) -> int | BucketSums:
    return 0 if isinstance(value, int) else BucketSums(value.bounds)


def _sum(a: int | BucketSums, b: int | BucketSums) -> int | BucketSums:
    if isinstance(a, BucketSums) and isinstance(b, BucketSums):
        a.merge(b)
        return a
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    raise TypeError("a counter and a histogram under one name")


def _dump(value: int | BucketSums) -> bytes:
    data: Any = value if isinstance(value, int) else {"counts": value.counts, "total": value.total}
    return orjson.dumps(data)


def load_value(metric: str, data: bytes) -> int | BucketSums:
    """A stored value: a number, or the sums of a histogram."""
    raw = orjson.loads(data)
    return raw if isinstance(raw, int) else BucketSums(BUCKETS[metric], raw["counts"], raw["total"])


def read_totals(db: Database) -> dict[str, dict[str, int | BucketSums]]:
    """Every sum, by metric and then by its labels as JSON text, in sorted order."""
    with db.read() as conn:
        rows = conn.execute(
            select(Total.metric, Total.labels, Total.value).order_by(Total.metric, Total.labels)
        )
        out: dict[str, dict[str, int | BucketSums]] = {}
        for row in rows:
            out.setdefault(row.metric, {})[row.labels] = load_value(row.metric, row.value)
    return out
