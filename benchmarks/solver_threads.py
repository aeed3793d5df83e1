"""How much faster two threads solve than one: the search holds no GIL.

    python -m benchmarks.solver_threads                       four suits, 60 deals, three rounds
    python -m benchmarks.solver_threads --variant spider-2 --deals 400 --rounds 10

Every round solves the same deals with one thread and with several, in turn, reference replay of each line
included. Other work on the machine makes a round slower and never faster, so that besides the ratio of
wall-clock times over all rounds that of the fastest rounds is told. Equal processor times mean that no thread
works for nothing.
"""

from __future__ import annotations

import argparse
import time

from benchmarks.machine import command, machine
from engine.deals import deal
from engine.solver import SolverSpec, solve_batch, weights_version
from engine.variants import Variant, resolve

NODES = 3_000_000
"""Budget a deal: no single one may hold up a thread."""


def timed(variant: Variant, deals: list[bytes], threads: int) -> tuple[float, float]:
    """Wall-clock and processor seconds."""
    began, cpu = time.perf_counter(), time.process_time()
    solve_batch(variant, deals, SolverSpec(NODES), threads=threads)
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
    print(f"`{command('solver_threads')}`, weights {weights_version()}, {machine()}\n")
    wall: list[list[float]] = [[], []]
    processor = [0.0, 0.0]
    for _ in range(args.rounds):
        for k, threads in enumerate((1, args.threads)):
            seconds, cpu = timed(variant, deals, threads)
            wall[k].append(seconds)
            processor[k] += cpu
            print(f"{threads} threads: {seconds:.2f} s, processor time {cpu:.2f} s", flush=True)
    print(f"ratio of wall-clock times {sum(wall[0]) / sum(wall[1]):.2f}")
    print(f"ratio of the fastest rounds {min(wall[0]) / min(wall[1]):.2f}")
    print(f"ratio of processor times {processor[0] / processor[1]:.2f}")


if __name__ == "__main__":
    main()
