"""Paired comparison of two arms on the same deals: differences, intervals, and exact McNemar.

Deals that either arm left undecided (`unknown`) or failed are counted apart and in no figure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from evaluation.stats import CONFIDENCE, Interval, wilson


@dataclass(frozen=True)
class Pairs:
    """Counts of deals by what arm a and arm b made of them. undecided: deals that both have a row of and that
    at least one left open."""

    both: int
    only_a: int
    only_b: int
    neither: int
    undecided: int = 0

    @property
    def n(self) -> int:
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def difference(self) -> float | None:
        """Share won by a less share won by b."""
        return (self.only_a - self.only_b) / self.n if self.n else None

    @property
    def interval(self) -> Interval:
        return newcombe(self)

    @property
    def p_value(self) -> float:
        return mcnemar(self.only_a, self.only_b)

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "both": self.both,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "neither": self.neither,
            "undecided": self.undecided,
            "difference": self.difference,
            "interval": list(self.interval),
            "p_value": self.p_value,
        }


def newcombe(pairs: Pairs, confidence: float = CONFIDENCE) -> Interval:
    """Interval for the difference of two paired shares: Newcombe 1998 (Statistics in Medicine 17, 2635-2650),
    method 10: Wilson's limits squared and added with the correlation of the pair. n = 0 gives -1 to 1.
    """
    e, f, g, h, n = pairs.both, pairs.only_a, pairs.only_b, pairs.neither, pairs.n
    if n == 0:
        return Interval(-1.0, 1.0)
    p1, p2 = (e + f) / n, (e + g) / n
    one, two = wilson(e + f, n, confidence), wilson(e + g, n, confidence)
    dl1, du1, dl2, du2 = p1 - one.lo, one.hi - p1, p2 - two.lo, two.hi - p2
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    a = e * h - f * g
    b = a - n / 2 if a > n / 2 else 0 if a >= 0 else a
    phi = b / math.sqrt(margins) if margins else 0.0
    d = p1 - p2
    low = d - math.sqrt(max(0.0, dl1**2 - 2 * phi * dl1 * du2 + du2**2))
    high = d + math.sqrt(max(0.0, du1**2 - 2 * phi * du1 * dl2 + dl2**2))
    return Interval(max(-1.0, low), min(1.0, high))


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided McNemar test (binomial, McNemar 1947): how likely a split at least as uneven is if both
    arms win as often. 1 where the arms never differ."""
    n, k = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return 1.0
    log_half = n * math.log(0.5)
    tail = math.fsum(math.exp(_log_choose(n, i) + log_half) for i in range(k + 1))
    return min(1.0, 2 * tail)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
