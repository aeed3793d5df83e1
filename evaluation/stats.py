"""Statistics in closed form: intervals for shares, percentiles of counted values. No I/O."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A closed interval of shares, both ends within 0 and 1."""

    lo: float
    hi: float

    @property
    def half_width(self) -> float:
        return (self.hi - self.lo) / 2


def z_of(confidence: float) -> float:
    """Two-sided normal quantile, e.g. 1.96 for 0.95."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(hits: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval (Wilson 1927) for ``hits`` of ``n``; n = 0 knows nothing: 0 to 1."""
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} hits of {n} trials")
    if n == 0:
        return Interval(0.0, 1.0)
    z2 = z_of(confidence) ** 2
    share = hits / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    lo = 0.0 if hits == 0 else max(0.0, centre - half)
    hi = 1.0 if hits == n else min(1.0, centre + half)
    return Interval(lo, hi)


def winnability(solved: int, unsolvable: int, unknown: int, confidence: float = CONFIDENCE) -> Interval:
    """Interval for the share of winnable deals that counts every unknown deal both ways.

    Lower end: all unknown were unwinnable; upper end: all were winnable; each with Wilson's bound
    (as Blake & Gent, arXiv 1906.12314, do for their intervals).
    """
    n = solved + unsolvable + unknown
    return Interval(wilson(solved, n, confidence).lo, wilson(solved + unknown, n, confidence).hi)


def percentile(counts: Mapping[int, int], q: float) -> float | None:
    """The ``q`` quantile (0 to 1) of counted values, linear between neighbours; None for no values."""
    n = sum(counts.values())
    if n == 0:
        return None
    place = q * (n - 1)
    low, high = math.floor(place), math.ceil(place)
    seen, at_low = 0, None
    for value in sorted(counts):
        seen += counts[value]
        if at_low is None and seen > low:
            at_low = value
        if seen > high:
            assert at_low is not None
            return at_low + (value - at_low) * (place - low)
    raise AssertionError("counts changed while read")
