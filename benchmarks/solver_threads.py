"""How much faster two threads solve than one: the native call holds no GIL.

    python -m benchmarks.solver_threads                       four suits, 60 deals, three rounds
    python -m benchmarks.solver_threads --variant spider-2 --deals 300 --rounds 5

Every round solves the same deals with one thread and with several, in turn. The ratio is of wall-clock times
over all rounds: quiet machines only. On a busy one compare the processor times: equal ones mean that the
threads do not wait for each other.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

from engine.deals import deal
from engine.solver import SolverSpec, solve_batch
from engine.variants import Variant, resolve

NODES = 3_000_000
"""Budget a deal: no single one may hold up a thread."""


def timed(variant: Variant, deals: list[bytes], threads: int) -> tuple[float, float]:
    """Wall-clock and processor seconds. Interleaved, so that every thread gets hard and easy deals."""
    began, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        parts = [deals[i::threads] for i in range(threads)]
        answers = pool.map(lambda part: solve_batch(variant, part, SolverSpec(NODES)), parts)
        assert sum(map(len, answers)) == len(deals)
    return time.perf_counter() - began, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default="spider-4")
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()

    variant = resolve(args.variant)
    deals = [deal(variant, seed).packed() for seed in range(6_500_001, 6_500_001 + args.deals)]
    wall, processor = [0.0, 0.0], [0.0, 0.0]
    for _ in range(args.rounds):
        for k, threads in enumerate((1, args.threads)):
            seconds, cpu = timed(variant, deals, threads)
            wall[k] += seconds
            processor[k] += cpu
            print(f"{threads} threads: {seconds:.2f} s, processor time {cpu:.2f} s", flush=True)
    print(f"ratio of wall-clock times {wall[0] / wall[1]:.2f}")
    print(f"ratio of processor times {processor[0] / processor[1]:.2f}")


if __name__ == "__main__":
    main()
