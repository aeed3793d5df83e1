"""Rating one deal: the levels play it until its label is clear, or until the games allowed are used up.

Game i of every rater uses the rng number ``rng + i``, so a rating can be repeated, and repeated with other
numbers. After every batch the interval of the difficulty is compared with the cuts between labels. It
stops when the interval is clear of all of them, and never looks back: what an earlier rating said does not
count. A deal that is still not clear at the end is **borderline**, and is called so. Only the sequences
taken off count, so lost games are not proved dead: that would be most of the time of a casual game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from engine.core import Control
from engine.deals import Deal
from engine.players import play_batch
from evaluation.vetting.scale import Difficulty, Estimate, Rater, Scale, estimate

CLEAR_Z = 2.5
"""Standard errors between a difficulty and a cut that make a label clear. Wider than an interval of 95 %,
because it is looked at after every batch."""
SHOWN_Z = 1.96
MIN_BATCHES = 4
RNG_MASK = 2**64 - 1


@dataclass(frozen=True)
class Tally:
    """Games of one deal: per rater of the scale, per category. games: how many each rater has played."""

    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def empty(cls, scale: Scale) -> Tally:
        return cls(tuple((0,) * (len(r.categories) + 1) for r in scale.raters))

    @property
    def games(self) -> int:
        return sum(map(sum, self.counts))

    @property
    def wins(self) -> tuple[int, ...]:
        """Games won, per rater."""
        return tuple(row[-1] for row in self.counts)


@dataclass(frozen=True)
class Rating:
    """What the games say of a deal.

    b: its difficulty on the variant's scale, with standard error. win_rate: of ordinary people, as predicted,
    with an interval of 95 % that covers what the games leave open about the deal (not what the scale does).
    borderline: a cut between labels is still within reach. by_level: predicted win rate of each rater.
    """

    tally: Tally
    b: float
    error: float
    label: Difficulty
    borderline: bool
    win_rate: float
    interval: tuple[float, float]
    by_level: tuple[tuple[str, float], ...]

    @property
    def games(self) -> int:
        return self.tally.games


def rating_of(scale: Scale, tally: Tally) -> Rating:
    """Read a rating off the games played."""
    found = estimate(scale, tally.counts)
    low, high = found.interval(SHOWN_Z)
    return Rating(
        tally=tally,
        b=found.b,
        error=found.error,
        label=scale.label(found.b),
        borderline=not is_clear(scale, found),
        win_rate=scale.people.at(found.b),
        interval=(scale.people.at(high), scale.people.at(low)),
        by_level=tuple((r.label, r.wins.at(found.b)) for r in scale.raters),
    )


def is_clear(scale: Scale, found: Estimate) -> bool:
    """Whether no cut lies within `CLEAR_Z` standard errors."""
    return all(abs(found.b - cut) > CLEAR_Z * found.error for cut in scale.cuts)


def finished(scale: Scale, tally: Tally, max_games: int) -> bool:
    """Whether a rating needs no further batch."""
    batch = sum(r.batch for r in scale.raters)
    if tally.games + batch > max_games and tally.games > 0:
        return True
    return tally.games >= MIN_BATCHES * batch and is_clear(scale, estimate(scale, tally.counts))


def play_on(scale: Scale, deal: Deal, tally: Tally, rng: int, control: Control) -> Tally | None:
    """One more batch: every rater plays its share. None when cancelled, and then nothing counts."""
    rows = []
    for rater, row in zip(scale.raters, tally.counts, strict=True):
        more = _play(rater, deal, rng + sum(row), control)
        if more is None:
            return None
        rows.append(tuple(a + b for a, b in zip(row, more, strict=True)))
    return replace(tally, counts=tuple(rows))


def _play(rater: Rater, deal: Deal, rng: int, control: Control) -> list[int] | None:
    numbers = [(rng + i) & RNG_MASK for i in range(rater.batch)]
    packed = [deal.packed()] * rater.batch
    games = play_batch(deal.variant, packed, rater.spec, numbers, control, judge=False)
    row = [0] * (len(rater.categories) + 1)
    for game in games:
        if game is None:
            return None
        row[rater.category(game.sequences)] += 1
    return row


def rate(
    scale: Scale, deal: Deal, rng: int = 1, max_games: int = 12_000, control: Control | None = None
) -> Rating:
    """Rate a deal from nothing. Raises InterruptedError when cancelled."""
    control = control or Control()
    tally = Tally.empty(scale)
    while not finished(scale, tally, max_games):
        more = play_on(scale, deal, tally, rng, control)
        if more is None:
            raise InterruptedError("the rating was cancelled")
        tally = more
    return rating_of(scale, tally)


def chance(rate_: float) -> str:
    """A share as people say it: ``37 %``, ``under 1 %``."""
    percent = 100 * rate_
    if 0 < percent < 1:
        return "under 1 %"
    return f"{math.floor(percent + 0.5)} %"
