"""Stopping early without fooling oneself: intervals that hold at every look at once.

A Wilson interval looked at again and again until it is narrow misses its target more often than it
says. The beta-binomial confidence sequence does not: for outcomes x_1, x_2, … in {0, 1} with mean p,

    M_n(p) = B(a + s, b + n - s) / B(a, b) / (p^s (1 - p)^(n - s)),   s = x_1 + … + x_n

is a non-negative martingale with mean 1, so by Ville's inequality P(some n has M_n(p) ≥ 1/α) ≤ α, and
{p : M_n(p) < 1/α} covers p at all n together with probability 1 - α (Robbins 1970, Ann. Math. Stat.
41:1397; Howard, Ramdas, McAuliffe, Sekhon 2021, Ann. Stat. 49:1055). Here a = b = 1/2.

Looks happen at fixed numbers of deals in the fixed order of the job, so which worker was fast does
not matter (`evaluation.ledger.stops`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from evaluation.stats import CONFIDENCE, Interval

PRIOR = 0.5
FIRST_LOOK = 50
GROWTH = 1.02


def next_look(n: int) -> int:
    """The first look after ``n`` deals: at 50, then at every 2 % more."""
    look = FIRST_LOOK
    while look <= n:
        look = max(look + 1, math.ceil(look * GROWTH))
    return look


def always_valid(hits: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """The confidence sequence's interval for the mean after ``hits`` of ``n``; 0 to 1 for n = 0."""
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} hits of {n} trials")
    if n == 0:
        return Interval(0.0, 1.0)
    bound = -math.log(1 - confidence)
    mixture = _log_beta(PRIOR + hits, PRIOR + n - hits) - _log_beta(PRIOR, PRIOR)

    def outside(p: float) -> bool:
        return mixture - _log_likelihood(p, hits, n) >= bound

    share = hits / n
    lo = 0.0 if hits == 0 else _edge(outside, 0.0, share)
    hi = 1.0 if hits == n else _edge(outside, 1.0, share)
    return Interval(lo, hi)


def always_valid_winnability(solved: int, unknown: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """As `stats.winnability`, but valid at every look: each end gets half of what may go wrong."""
    side = 1 - (1 - confidence) / 2
    return Interval(always_valid(solved, n, side).lo, always_valid(solved + unknown, n, side).hi)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_likelihood(p: float, hits: int, n: int) -> float:
    if (p <= 0.0 and hits) or (p >= 1.0 and hits < n):
        return -math.inf
    first = hits * math.log(p) if hits else 0.0
    second = (n - hits) * math.log1p(-p) if hits < n else 0.0
    return first + second


def _edge(outside: Callable[[float], bool], far: float, near: float) -> float:
    """Where the set ends between ``far`` (outside) and ``near`` (inside), by halving; errs outward."""
    for _ in range(60):
        middle = (far + near) / 2
        if outside(middle):
            far = middle
        else:
            near = middle
    return far
