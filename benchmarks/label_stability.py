"""How often a deal's label changes when its rating is repeated with other rng numbers (docs/vetting.md).

python benchmarks/label_stability.py --variant spider-1 --deals 200

Each deal is rated twice from nothing. With --simulate no games are played: they are drawn, with
replacement, from those that the shipped sample holds of each of its deals: seconds, not hours. Also told:
the rate that the standard errors predict.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from concurrent.futures import ProcessPoolExecutor

from engine.deals import deal
from engine.variants import resolve
from evaluation.vetting.rating import Rating, Tally, finished, rate, rating_of
from evaluation.vetting.scale import Scale
from evaluation.vetting.scalefile import nearest, read_sample

FIRST_SEED = 20_000_000_000
OTHER_RNG = 1_000_000_007


def pair(task: tuple[str, int, int]) -> tuple[Rating, Rating, float]:
    name, seed, games = task
    scale, dealt = nearest(resolve(name))[0], deal(name, seed)
    started = time.process_time()
    first = rate(scale, dealt, 1, games)
    second = rate(scale, dealt, OTHER_RNG, games)
    return first, second, (time.process_time() - started) / 2


def simulated(task: tuple[str, int, int]) -> tuple[Rating, Rating, float]:
    """Two ratings of a deal of the sample, every game drawn from its own games."""
    name, index, games = task
    variant = resolve(name)
    scale = nearest(variant)[0]
    sample = read_sample(scale.variant)
    seen = sample[index % len(sample)]
    draw = random.Random(index)

    def rated() -> Rating:
        tally = Tally.empty(scale)
        while not finished(scale, tally, games):
            rows = []
            for rater, row, pool in zip(scale.raters, tally.counts, seen, strict=True):
                drawn = draw.choices(range(len(pool)), pool, k=rater.batch)
                rows.append(tuple(n + drawn.count(k) for k, n in enumerate(row)))
            tally = Tally(tuple(rows))
        return rating_of(scale, tally)

    return rated(), rated(), 0.0


def expected(scale: Scale, rating: Rating) -> float:
    """The chance that two ratings with this error around this difficulty differ in label."""
    shares, below = [], 0.0
    for cut in (*scale.cuts, math.inf):
        to = 0.5 * (1 + math.erf((cut - rating.b) / rating.error / math.sqrt(2))) if cut < math.inf else 1.0
        shares.append(to - below)
        below = to
    return 1 - sum(s * s for s in shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", default="spider-1")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--games", type=int, default=12_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="deals left out at the start, done before")
    parser.add_argument("--minutes", type=float, default=600, help="stop after so long with what is done")
    parser.add_argument("--repeats", type=int, default=4, help="pairs of ratings of each simulated deal")
    parser.add_argument("--simulate", action="store_true", help="draw games from the shipped sample")
    options = parser.parse_args()
    scale = nearest(resolve(options.variant))[0]
    first = 0 if options.simulate else FIRST_SEED + options.skip
    count = options.repeats * len(read_sample(scale.variant)) if options.simulate else options.deals
    tasks = [(options.variant, first + i, options.games) for i in range(count)]
    done = []
    started = time.monotonic()
    with ProcessPoolExecutor(options.jobs) as pool:
        for found in pool.map(simulated if options.simulate else pair, tasks):
            done.append(found)
            if time.monotonic() - started > 60 * options.minutes:
                pool.shutdown(cancel_futures=True)
                break
    changed = [(a, b) for a, b, _ in done if a.label is not b.label]
    clear = [(a, b) for a, b, _ in done if not a.borderline]
    games = [r.games for a, b, _ in done for r in (a, b)]
    predicted = sum(expected(scale, a) for a, _, _ in done) / len(done)
    print(f"{options.variant}, {len(done)} pairs of ratings, at most {options.games} games, {scale.engine}")
    print(f"labels changed: {len(changed)} ({100 * len(changed) / len(done):.1f} %)")
    print(f"predicted from the standard errors: {100 * predicted:.1f} %")
    moved = sum(a.label is not b.label for a, b in clear)
    print(f"clear at the first rating: {len(clear)}; of these changed: {moved}")
    seconds = sum(s for *_, s in done) / len(done)
    print(f"games a rating: mean {sum(games) / len(games):.0f}; processor seconds {seconds:.1f}")


if __name__ == "__main__":
    main()
