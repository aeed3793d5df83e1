"""How much faster two threads play than one: the native call holds no GIL.

    python -m benchmarks.players_threads --variant spider-2 --level club --games 200

Both runs play the same deals. The ratio is of wall-clock times: quiet machines only; on a busy one compare
the processor times: equal ones mean that the threads do not wait for each other.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

from engine.deals import deal
from engine.players import PlayerSpec, play_batch
from engine.variants import resolve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", default="spider-2")
    parser.add_argument("--level", default="club")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    variant, spec = resolve(args.variant), PlayerSpec(args.level)
    deals = [deal(variant, seed).packed() for seed in range(6_500_001, 6_500_001 + args.games)]

    def play(part: list[bytes]) -> int:
        return len(play_batch(variant, part, spec, [0] * len(part)))

    spent = []
    for threads in (1, args.threads):
        began, cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(threads) as pool:
            # Interleaved, so that every thread gets long and short games.
            assert sum(pool.map(play, [deals[i::threads] for i in range(threads)])) == args.games
        spent.append(time.perf_counter() - began)
        print(f"{threads} threads: {spent[-1]:.2f} s, processor time {time.process_time() - cpu:.2f} s")
    print(f"ratio {spent[0] / spent[1]:.2f}")


if __name__ == "__main__":
    main()
