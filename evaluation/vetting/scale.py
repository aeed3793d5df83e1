"""The scale of difficulty: what a deal's difficulty is, and how it is read off played games.

Every deal of a variant has one number, its **difficulty** b; a large sample of random deals has mean 0 and
standard deviation 1, and higher is harder. Players of several levels play the deal many times with
different rng numbers. A **rater** is one such player; how many sequences it takes off follows Samejima's
graded response model (1969)::

    P(at least k sequences | rater r, deal b) = 1 / (1 + exp(-slope_r * (step_r[k] - b)))

`fit` finds slopes and steps on the sample; here they are given, and b is found by maximum likelihood with
the sample's N(0, 1) as a weak prior. The standard error is the sandwich one: it uses how a rater's games
really scatter, so it stays right where the model is only nearly so. All levels are on one scale, which is
what tells four-suit deals apart: where people nearly always lose, how far they get and how often strong
players win still differs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from engine.players import PlayerSpec

GRID = tuple(round(-4.5 + i * 0.05, 2) for i in range(181))
"""Difficulties at which likelihoods are tabulated."""
STEP = 0.05
STRIDE = 12
"""Every so many grid points are looked at before the top is searched between two of them."""
FLOOR = 1e-6


class Difficulty(StrEnum):
    """Labels, the kindest first: the quarters of random deals of the variant."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"


@dataclass(frozen=True)
class Curve:
    """How often a kind of player wins deals: 1 / (1 + exp(-slope * (step - b)))."""

    slope: float
    step: float

    def at(self, b: float) -> float:
        return logistic(self.slope * (self.step - b))


@dataclass(frozen=True)
class Rater:
    """One level at play. batch: its games in one batch of a rating. categories: the least numbers of
    sequences that are told apart, ascending, the last one a win. slope, steps: the fitted model."""

    player: str
    batch: int
    categories: tuple[int, ...]
    slope: float
    steps: tuple[float, ...]
    options: Mapping[str, int | str | bool] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """``casual``, or ``club(noise=300)``."""
        options = ",".join(f"{k}={v}" for k, v in sorted(self.options.items()))
        return self.player + (f"({options})" if options else "")

    @property
    def spec(self) -> PlayerSpec:
        return PlayerSpec(self.player, self.options)

    @property
    def wins(self) -> Curve:
        return Curve(self.slope, self.steps[-1])

    def category(self, sequences: int) -> int:
        """Which category a game with so many sequences is in, 0 to len(categories)."""
        return sum(sequences >= least for least in self.categories)

    @cached_property
    def logs(self) -> tuple[tuple[float, ...], ...]:
        """Log probability of each category at each difficulty of `GRID`."""
        return tuple(tuple(map(math.log, self.probabilities(b))) for b in GRID)

    def probabilities(self, b: float) -> list[float]:
        """The chance of each category for a deal of difficulty b; none is below a millionth."""
        above = [1.0, *(logistic(self.slope * (step - b)) for step in self.steps), 0.0]
        return [max(FLOOR, hi - lo) for hi, lo in pairwise(above)]


@dataclass(frozen=True)
class Feature:
    """One thing about a layout that people can see, with what is usual in the sample. weight: what one
    standard deviation of it adds to the difficulty."""

    mean: float
    sd: float
    weight: float


@dataclass(frozen=True)
class Scale:
    """The scale of one variant.

    cuts: difficulties between easy, medium, hard and expert. people: how often ordinary people win.
    engine: version whose players made it. sample: how it was made, for people.
    """

    variant: str
    variant_key: str
    engine: str
    cuts: tuple[float, float, float]
    people: Curve
    raters: tuple[Rater, ...]
    features: Mapping[str, Feature]
    sample: Mapping[str, object]

    def label(self, b: float) -> Difficulty:
        return list(Difficulty)[sum(b > cut for cut in self.cuts)]

    def band(self, difficulty: Difficulty) -> tuple[float, float]:
        """The difficulties of a label; the outer ends are infinite."""
        ends = [-math.inf, *self.cuts, math.inf]
        i = list(Difficulty).index(difficulty)
        return ends[i], ends[i + 1]


Tallies = Sequence[Sequence[int]]
"""Games per rater and category, raters in the scale's order."""


@dataclass(frozen=True)
class Estimate:
    """A difficulty and its standard error."""

    b: float
    error: float

    def interval(self, z: float) -> tuple[float, float]:
        return self.b - z * self.error, self.b + z * self.error


def logistic(x: float) -> float:
    """1 / (1 + exp(-x)), for any x."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def estimate(scale: Scale, tallies: Tallies) -> Estimate:
    """The most likely difficulty of a deal with these games, prior included, and its standard error.

    The top of the log posterior is found on the grid and refined by the parabola through its neighbours. In
    plain Python, so that it is the same on every machine to the last bit.
    """
    top = _top(scale, tallies)
    below, here, above = (_log_posterior(scale, tallies, i) for i in (top - 1, top, top + 1))
    bend = max(2 * here - below - above, 1e-9)
    b = GRID[top] + STEP * max(-1.0, min(1.0, 0.5 * (above - below) / bend))
    curvature = bend / STEP**2
    scatter = 1.0 + sum(_scatter(r, t, top) for r, t in zip(scale.raters, tallies, strict=True))
    return Estimate(b, math.sqrt(scatter) / curvature)


def _top(scale: Scale, tallies: Tallies) -> int:
    """The inner grid point of greatest log posterior. The logs of graded responses are concave in b (Burridge
    1981), so that it lies next to the best of a coarse look, and is found by halving."""
    last = len(GRID) - 2
    coarse = max(range(1, last + 1, STRIDE), key=lambda i: _log_posterior(scale, tallies, i))
    low, high = max(1, coarse - STRIDE), min(last, coarse + STRIDE)
    while low < high:
        middle = (low + high) // 2
        if _log_posterior(scale, tallies, middle) < _log_posterior(scale, tallies, middle + 1):
            low = middle + 1
        else:
            high = middle
    return low


def _log_posterior(scale: Scale, tallies: Tallies, i: int) -> float:
    fit = -0.5 * GRID[i] ** 2
    for rater, tally in zip(scale.raters, tallies, strict=True):
        fit += sum(n * log for n, log in zip(tally, rater.logs[i], strict=True) if n)
    return fit


def _scatter(rater: Rater, tally: Sequence[int], i: int) -> float:
    """The sum over a rater's games of the squared distance of their scores from their mean. A score is the
    slope of a game's log probability at difficulty GRID[i]. Two games of each kind are added at the model's
    odds, so that a few games all alike do not look sure."""
    scores = [(hi - lo) / (2 * STEP) for lo, hi in zip(rater.logs[i - 1], rater.logs[i + 1], strict=True)]
    odds = [math.exp(log) for log in rater.logs[i]]
    counts = [n + 2 * p for n, p in zip(tally, odds, strict=True)]
    total = sum(counts)
    mean = sum(n * s for n, s in zip(counts, scores, strict=True)) / total
    spread = sum(n * (s - mean) ** 2 for n, s in zip(counts, scores, strict=True)) / total
    return spread * sum(tally)
