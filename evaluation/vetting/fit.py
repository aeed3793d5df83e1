"""Making a scale: a sample of random deals is played by every level, and the model of `scale` fitted to it.

One command remakes what is shipped (docs/vetting.md)::

    python -m evaluation.vetting.fit --variant spider-1 --variant spider-4 ...

The fit is marginal maximum likelihood by EM (Bock and Aitkin 1981): deals are N(0, 1), each rater's slope
and steps are fitted to the expected games at each difficulty.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from engine.core import Control
from engine.deals import Deal, deal
from engine.players import PlayerSpec, play_batch
from engine.variants import Variant, resolve
from evaluation.versions import engine_version
from evaluation.vetting.features import FEATURES, features_of
from evaluation.vetting.scale import GRID, Curve, Estimate, Feature, Rater, Scale, estimate
from evaluation.vetting.scalefile import write_sample, write_shipped

FIRST_SEED = 10_000_000_000
"""Seeds of samples start here (scheme spidervet), away from seeds that players were tuned on."""
CUT_SHARES = (0.25, 0.5, 0.75)
LEAST_SHARE = 0.02
"""A category holds at least this share of a rater's games, or it is put together with its neighbour."""
ROUNDS = 25
WEAK_GAMES = 2.0
"""A prior on slopes that counts for about as many games: it only keeps a rater that hardly tells anything."""


@dataclass(frozen=True)
class Panel:
    """Who plays a sample and how often. games: on every deal, in all; batch: games a batch of a rating."""

    player: str
    games: int
    batch: int
    options: tuple[tuple[str, int], ...] = ()


SLIPS = (("noise", 200), ("width", 32), ("open_width", 64))
"""How ``club`` plays here: with slips of the hand, since without them its games on one deal are all alike;
with them they say how much room for error a deal leaves. Half the width takes a third of the time."""
BATCHES = {1: (40, 56, 1), 2: (32, 40, 6), 4: (24, 32, 12)}
"""Games of novice, casual and club in a batch, by suits. Their share in the difficulty is what they say
of it (docs/notes/difficulty.md): about half casual's, and more of club's where casual hardly wins."""


def panel_of(variant: Variant, games: int) -> tuple[Panel, ...]:
    """The levels that rate a variant, with ``games`` on every deal of the sample: whole batches, at least
    one. A sample has the shares of a rating, since a deal's difficulty is a mean over levels by these."""
    novice, casual, club = BATCHES[variant.suits]
    batches = max(1, round(games / (novice + casual + club)))
    return (
        Panel("novice", novice * batches, novice),
        Panel("casual", casual * batches, casual),
        Panel("club", club * batches, club, SLIPS),
    )


Outcomes = NDArray[np.int64]
"""Games per deal and number of sequences taken off."""


def play_sample(
    variant: Variant, seeds: Sequence[int], panel: Panel, jobs: int, said: Callable[[str], None]
) -> Outcomes:
    """Games of one panel member on every deal."""
    out = np.zeros((len(seeds), variant.sequences + 1), dtype=np.int64)
    started = time.monotonic()
    with ProcessPoolExecutor(jobs) as pool:
        jobs_ = [(variant.record(), seed, panel) for seed in seeds]
        for i, row in enumerate(pool.map(_play_one, jobs_, chunksize=2)):
            out[i] = row
            if i % 50 == 49:
                said(f"{variant.name} {panel.player}: {i + 1} deals, {time.monotonic() - started:.0f} s")
    return out


def _play_one(task: tuple[dict[str, object], int, Panel]) -> list[int]:
    record, seed, panel = task
    variant = resolve(record)
    packed = deal(variant, seed).packed()
    spec = PlayerSpec(panel.player, dict(panel.options))
    numbers = list(range(1, panel.games + 1))
    games = play_batch(variant, [packed] * panel.games, spec, numbers, Control(), judge=False)
    row = [0] * (variant.sequences + 1)
    for game in games:
        if game is not None:
            row[game.sequences] += 1
    return row


def categories_of(outcomes: Outcomes) -> tuple[int, ...]:
    """Which numbers of sequences to tell apart: from a win down, each category large enough to be fitted."""
    totals = outcomes.sum(axis=0)
    least = LEAST_SHARE * totals.sum()
    cuts = [len(totals) - 1]
    held = 0
    for k in range(len(totals) - 2, 0, -1):
        held += totals[k]
        if held >= least and totals[:k].sum() >= least:
            cuts.append(k)
            held = 0
    return tuple(sorted(cuts))


def grouped(outcomes: Outcomes, categories: Sequence[int]) -> Outcomes:
    """Games per deal and category."""
    edges = [0, *categories]
    return np.stack(
        [
            outcomes[:, lo:hi].sum(axis=1)
            for lo, hi in zip(edges, [*categories, outcomes.shape[1]], strict=True)
        ],
        axis=1,
    )


def fit_raters(raters: Sequence[Rater], tallies: Sequence[Outcomes], rounds: int = ROUNDS) -> list[Rater]:
    """EM from plain starts until ``rounds`` are over. tallies: per rater, games per deal and category."""
    grid = np.array(GRID)
    fitted = [_started(r, t) for r, t in zip(raters, tallies, strict=True)]
    for _ in range(rounds):
        log_post = np.tile(-0.5 * grid**2, (tallies[0].shape[0], 1))
        for rater, tally in zip(fitted, tallies, strict=True):
            log_post += tally @ np.array(replace(rater).logs).T
        log_post -= log_post.max(axis=1, keepdims=True)
        post = np.exp(log_post)
        post /= post.sum(axis=1, keepdims=True)
        fitted = [_refitted(r, post.T @ t, grid) for r, t in zip(fitted, tallies, strict=True)]
        fitted = _rescaled(fitted, post.mean(axis=0), grid)
    return fitted


def _rescaled(raters: Sequence[Rater], share: NDArray[np.float64], grid: NDArray[np.float64]) -> list[Rater]:
    """The same model with the sample's deals at mean 0 and deviation 1 (parameter-expanded EM: it gets there
    in a few rounds instead of hundreds)."""
    mean = float((share * grid).sum())
    spread = math.sqrt(float((share * (grid - mean) ** 2).sum()))
    return [
        replace(
            r,
            slope=round(r.slope * spread, 5),
            steps=tuple(round((s - mean) / spread, 5) for s in r.steps),
        )
        for r in raters
    ]


def _started(rater: Rater, tally: Outcomes) -> Rater:
    totals = tally.sum(axis=0) + 1.0
    above = np.cumsum(totals[::-1])[::-1][1:] / totals.sum()
    return replace(rater, slope=1.5, steps=tuple(float(math.log(p / (1 - p))) for p in above))


def _refitted(rater: Rater, expected: NDArray[np.float64], grid: NDArray[np.float64]) -> Rater:
    """The slope and steps that fit the expected games at each difficulty best."""
    from scipy.optimize import minimize

    def unpacked(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        gaps = [x[1], *(-np.exp(x[2:]))]
        return float(np.exp(x[0])), np.array(list(accumulate(gaps)))

    def loss(x: NDArray[np.float64]) -> float:
        slope, steps = unpacked(x)
        above = 1 / (1 + np.exp(-np.clip(slope * (steps[None, :] - grid[:, None]), -500, 500)))
        ends = np.ones((len(grid), 1)), np.zeros((len(grid), 1))
        edges = np.hstack([ends[0], above, ends[1]])
        chances = np.maximum(edges[:, :-1] - edges[:, 1:], 1e-6)
        weak = WEAK_GAMES * (x[0] - math.log(1.5)) ** 2
        return float((weak - (expected * np.log(chances)).sum()) / expected.sum())

    steps = rater.steps
    gaps = [math.log(max(a - b, 1e-3)) for a, b in pairwise(steps)]
    x0 = np.array([math.log(rater.slope), steps[0], *gaps])
    found = minimize(loss, x0, method="L-BFGS-B", bounds=[(-2.5, 2.5), (-12, 12), *[(-7, 3)] * len(gaps)])
    slope, fitted = unpacked(found.x)
    return replace(rater, slope=round(slope, 5), steps=tuple(round(float(s), 5) for s in fitted))


def fit_scale(
    variant: Variant, deals: Sequence[Deal], panels: Sequence[Panel], outcomes: Sequence[Outcomes]
) -> Scale:
    """A scale from the sample's games."""
    plain, tallies = [], []
    for panel, played in zip(panels, outcomes, strict=True):
        categories = categories_of(played)
        plain.append(
            Rater(panel.player, panel.batch, categories, 1.0, (0.0,) * len(categories), dict(panel.options))
        )
        tallies.append(grouped(played, categories))
    raters = fit_raters(plain, tallies)
    people = next(r for r in raters if r.player == "casual").wins
    draft = Scale(
        variant.label, variant.key, engine_version(), (0.0, 0.0, 0.0), people, tuple(raters), {}, {}
    )
    found = [estimate(draft, [tuple(map(int, t[i])) for t in tallies]) for i in range(len(deals))]
    rated = np.array([e.b for e in found])
    cuts = tuple(round(float(c), 4) for c in np.quantile(rated, CUT_SHARES))
    casual = next(i for i, r in enumerate(raters) if r.player == "casual")
    return replace(
        draft,
        cuts=(cuts[0], cuts[1], cuts[2]),
        features=_features(deals, rated),
        sample=_described(deals, panels, found, rated, people, outcomes[casual]),
    )


def _features(deals: Sequence[Deal], rated: NDArray[np.float64]) -> dict[str, Feature]:
    """Means, spreads, and how much difficulty goes with one standard deviation of each count taken alone; 0
    where the sample is too small to tell it from nothing."""
    table = np.array([[features_of(d)[name] for name in FEATURES] for d in deals])
    means, spreads = table.mean(axis=0), table.std(axis=0)
    scaled = (table - means) / np.where(spreads > 0, spreads, 1.0)
    weights = (scaled * (rated - rated.mean())[:, None]).mean(axis=0)
    weights[np.abs(weights) < 2 * rated.std() / math.sqrt(len(deals))] = 0.0
    return {
        name: Feature(round(float(m), 4), round(float(s), 4), round(float(w), 4))
        for name, m, s, w in zip(FEATURES, means, spreads, weights, strict=True)
    }


def _described(
    deals: Sequence[Deal],
    panels: Sequence[Panel],
    found: Sequence[Estimate],
    rated: NDArray[np.float64],
    people: Curve,
    casual: Outcomes,
) -> dict[str, object]:
    """What the file says of its sample: the recipe, and how well the predicted win rates meet the games."""
    won = casual[:, -1] / casual.sum(axis=1)
    predicted = np.array([people.at(e.b) for e in found])
    return {
        "scheme": "spidervet",
        "first_seed": str(deals[0].seed),
        "deals": len(deals),
        "games": {p.player: p.games for p in panels},
        "mean": round(float(rated.mean()), 4),
        "sd": round(float(rated.std()), 4),
        "error": round(float(np.mean([e.error for e in found])), 4),
        "casual_won": round(float(won.mean()), 4),
        "predicted_won": round(float(predicted.mean()), 4),
        "rms_misfit": round(float(np.sqrt(np.mean((won - predicted) ** 2))), 4),
    }


def make_scale(variant: Variant, count: int, games: int, jobs: int, said: Callable[[str], None]) -> Scale:
    """Play a sample of ``count`` deals, ``games`` games each in all, and fit."""
    return sampled_scale(variant, count, games, jobs, said)[0]


def sampled_scale(
    variant: Variant, count: int, games: int, jobs: int, said: Callable[[str], None]
) -> tuple[Scale, list[list[list[int]]]]:
    """The same, with the games: per deal, per rater, per category."""
    seeds = range(FIRST_SEED, FIRST_SEED + count)
    panels = panel_of(variant, games)
    for panel in panels:  # read every data file now: a sample takes long, and they may be replaced meanwhile
        _play_one((variant.record(), FIRST_SEED, replace(panel, games=1)))
    outcomes = [play_sample(variant, seeds, panel, jobs, said) for panel in panels]
    scale = fit_scale(variant, [deal(variant, s) for s in seeds], panels, outcomes)
    parts = [grouped(o, r.categories) for o, r in zip(outcomes, scale.raters, strict=True)]
    return scale, [[part[i].tolist() for part in parts] for i in range(count)]


def main() -> None:
    """Remake the shipped scales of the variants named."""
    parser = argparse.ArgumentParser(description="Play samples and write the shipped scales of difficulty.")
    parser.add_argument("--variant", action="append", required=True)
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    engine_version()
    for name in options.variant:
        scale, tallies = sampled_scale(resolve(name), options.deals, options.games, options.jobs, print)
        write_shipped(scale)
        write_sample(scale, tallies)
        print(f"{name}: cuts {scale.cuts}, {scale.sample}")


if __name__ == "__main__":
    main()
