"""How often a deal's label changes when its rating is repeated with other rng numbers (docs/vetting.md).

python benchmarks/label_stability.py --variant spider-1 --deals 100 --games 2000

Each deal is rated twice from nothing. Also told: the rate that the standard errors predict, which needs fewer
deals to be known well.
"""

from __future__ import annotations

import argparse
import math
import time
from concurrent.futures import ProcessPoolExecutor

from engine.deals import deal
from engine.variants import resolve
from evaluation.vetting.rating import Rating, rate
from evaluation.vetting.scale import Scale
from evaluation.vetting.scalefile import nearest

FIRST_SEED = 20_000_000_000
OTHER_RNG = 1_000_000_007


def pair(task: tuple[str, int, int]) -> tuple[Rating, Rating, float]:
    name, seed, games = task
    scale, dealt = nearest(resolve(name))[0], deal(name, seed)
    started = time.process_time()
    first = rate(scale, dealt, 1, games)
    second = rate(scale, dealt, OTHER_RNG, games)
    return first, second, (time.process_time() - started) / 2


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
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    tasks = [(options.variant, FIRST_SEED + i, options.games) for i in range(options.deals)]
    with ProcessPoolExecutor(options.jobs) as pool:
        done = list(pool.map(pair, tasks))
    scale = nearest(resolve(options.variant))[0]
    changed = [(a, b) for a, b, _ in done if a.label is not b.label]
    clear = [(a, b) for a, b, _ in done if not a.borderline]
    games = [r.games for a, b, _ in done for r in (a, b)]
    predicted = sum(expected(scale, a) for a, _, _ in done) / len(done)
    print(f"{options.variant}, {len(done)} deals, at most {options.games} games, engine {scale.engine}")
    print(f"labels changed: {len(changed)} ({100 * len(changed) / len(done):.1f} %)")
    print(f"predicted from the standard errors: {100 * predicted:.1f} %")
    moved = sum(a.label is not b.label for a, b in clear)
    print(f"clear at the first rating: {len(clear)}; of these changed: {moved}")
    seconds = sum(s for *_, s in done) / len(done)
    print(f"games a rating: mean {sum(games) / len(games):.0f}; processor seconds {seconds:.1f}")


if __name__ == "__main__":
    main()
