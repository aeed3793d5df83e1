"""How many one-deck deals the solver decides: solved, proved unsolvable, unknown, with the nodes spent.

    python -m benchmarks.one_deck                three four-suit games, pysolfc numbers 1 to 1000
    python -m benchmarks.one_deck --variant spiderette-2 --scheme spidervet --to 200 --nodes 20000000
    python -m benchmarks.one_deck --variant spiderette-4 --number 3 --number 7     these numbers alone

Deals that take long are told as they end. Verdicts and nodes are the same on every machine; seconds are this
one's. What a budget decides every larger one decides alike, so that only open numbers need a larger one.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence

from benchmarks.machine import command, machine
from engine import deals
from engine.solver import Solution, SolverSpec, Verdict, default_nodes, solve_batch, weights_version
from engine.variants import NAMED, Variant

VARIANTS = ("simple-simon-4", "spiderette-4", "will-o-the-wisp-4")
CHUNK = 10
LONG = 3_000_000
"""Nodes from which on a deal is told by itself."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", action="append", choices=sorted(NAMED), help="default: three games")
    parser.add_argument("--scheme", default="pysolfc")
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--to", dest="last", type=int, default=1000)
    parser.add_argument("--number", type=int, action="append", help="instead of a range; may be repeated")
    parser.add_argument("--nodes", type=int, help="budget a deal; default: the shipped schedule's")
    parser.add_argument("--memory-mb", type=int, default=512)
    args = parser.parse_args()
    numbers = args.number or range(args.first, args.last + 1)
    which = f"{len(numbers)} numbers from {numbers[0]} to {numbers[-1]}"
    print(f"`{command('one_deck')}`, weights {weights_version()}, {machine()}")
    print(f"{args.scheme}, {which}", flush=True)
    for name in args.variant or VARIANTS:
        spec = SolverSpec(nodes=args.nodes, memory_mb=args.memory_mb)
        report(NAMED[name], args.scheme, numbers, spec)


def searched(variant: Variant, scheme: str, numbers: Sequence[int], spec: SolverSpec) -> list[Solution]:
    """In chunks; tells deals that took long after each."""
    found: list[Solution] = []
    for k in range(0, len(numbers), CHUNK):
        chunk = numbers[k : k + CHUNK]
        answers = solve_batch(variant, [deals.deal(variant, n, scheme).packed() for n in chunk], spec)
        for n, answer in zip(chunk, answers, strict=True):
            if answer.positions >= LONG:
                print(f"  {n}: {answer.verdict}, {answer.positions:,} nodes", flush=True)
        found += answers
    return found


def report(variant: Variant, scheme: str, numbers: Sequence[int], spec: SolverSpec) -> None:
    began = time.perf_counter()
    found = searched(variant, scheme, numbers, spec)
    count = {verdict: sum(s.verdict is verdict for s in found) for verdict in Verdict}
    open_ones = [n for n, s in zip(numbers, found, strict=True) if s.verdict is Verdict.UNKNOWN]
    nodes = [s.positions for s in found]
    lengths = [s.length for s in found if s.length is not None]
    decided = 100 * (len(found) - len(open_ones)) / len(found)
    print(
        f"{variant.name}: solved {count[Verdict.SOLVED]}, proved {count[Verdict.UNSOLVABLE]},"
        f" unknown {len(open_ones)} ({decided:.1f} % decided)"
        f" within {spec.nodes or default_nodes(variant)} nodes;"
        f" nodes mean {statistics.mean(nodes):.0f}, median {statistics.median(nodes):.0f};"
        f" length mean {statistics.mean(lengths) if lengths else 0:.1f}; {time.perf_counter() - began:.0f} s",
        flush=True,
    )
    print(f"  unknown: {' '.join(map(str, open_ones)) or 'none'}", flush=True)


if __name__ == "__main__":
    main()
