"""How short the solver's lines become: raw and shortened length, par and score of each number, and the means.

    python -m benchmarks.short_lines          four suits, pysolfc numbers 1 to 100, `--shorten default`
    python -m benchmarks.short_lines --to 30 --shorten 10000000

Rows are printed as they are done. Lengths are the same on every machine. Par is the shortened length; the
score is that of a game played so without undo (engine/scoring.py, windows).
"""

from __future__ import annotations

import argparse
import statistics
import time

from benchmarks.machine import command, machine
from engine.deals import deal
from engine.solver import SHORTEN_NODES, SolverSpec, Verdict, solve_batch, weights_version
from engine.variants import resolve


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default="spider-4")
    parser.add_argument("--scheme", default="pysolfc")
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--to", dest="last", type=int, default=100)
    parser.add_argument("--shorten", type=int, default=SHORTEN_NODES, help="nodes to shorten a line with")
    args = parser.parse_args()

    variant = resolve(args.variant)
    began = time.process_time()
    raw: list[int] = []
    short: list[int] = []
    print(f"`{command('short_lines')}`, weights {weights_version()}, {machine()}")
    print(f"{variant.name}, {args.scheme}, {args.shorten:,} nodes a line\n")
    print("| number | raw | par | score |\n|---|---|---|---|")
    for number in range(args.first, args.last + 1):
        start = deal(variant, number, args.scheme).packed()
        [found] = solve_batch(variant, [start], SolverSpec())
        if found.verdict is not Verdict.SOLVED:
            print(f"| {number} | {found.verdict} | | |", flush=True)
            continue
        [better] = solve_batch(variant, [start], SolverSpec(shorten_nodes=args.shorten))
        raw.append(len(found.moves))
        short.append(len(better.moves))
        score = 500 + 100 * variant.sequences - short[-1]
        print(f"| {number} | {raw[-1]} | {short[-1]} | {score:,} |", flush=True)
    print(
        f"\n{len(short)} lines: raw mean {statistics.mean(raw):.1f},"
        f" shortened mean {statistics.mean(short):.1f},"
        f" median {statistics.median(short):.0f}, {min(short)} to {max(short)};"
        f" {time.process_time() - began:.0f} CPU seconds"
    )


if __name__ == "__main__":
    main()
