"""The table of the solver's results per variant: solved, proved, unknown, positions, seconds, lengths.

    python -m benchmarks.solver_table                          every row, as docs/solver.md shows it
    python -m benchmarks.solver_table --quick                  fifty deals and a small budget a row
    python -m benchmarks.solver_table simple-simon-4 spider-2  some rows

Prints its command line and the machine, then a Markdown table. Seconds are CPU seconds of one thread.
Every solved line has been replayed by the reference game.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass

from benchmarks.machine import command, machine
from engine.deals import deal
from engine.solver import Solution, SolverSpec, Verdict, solve_batch, weights_version
from engine.variants import resolve
from evaluation.stats import wilson


@dataclass(frozen=True)
class Row:
    """One variant's deals. nodes: budget, None for the shipped schedule's."""

    variant: str
    scheme: str = "pysolfc"
    deals: int = 1000
    nodes: int | None = None


ROWS = (
    Row("spider-4"),
    Row("spider-2"),
    Row("spider-1"),
    Row("black-widow", deals=200),
    *(Row(f"{game}-{suits}", "pysolfc" if suits == 4 else "spidervet")
      for game in ("simple-simon", "spiderette", "will-o-the-wisp") for suits in (4, 2, 1)),
    Row("spider44-4", "spidervet", 200),
    Row("spider50-4", "spidervet", 200),
    Row("scorpion"),
    Row("scorpion-ii"),
    Row("double-scorpion", deals=200),
)  # fmt: skip


def line(row: Row) -> str:
    """The row's cells."""
    began = time.process_time()
    answers: list[Solution] = []
    for seed in range(1, row.deals + 1):
        start = deal(row.variant, seed, row.scheme)
        answers += solve_batch(start.variant, [start.packed()], SolverSpec(row.nodes))
    seconds = time.process_time() - began
    by = {v: [a for a in answers if a.verdict is v] for v in Verdict}
    solved, lost, open_ = (len(by[v]) for v in (Verdict.SOLVED, Verdict.UNSOLVABLE, Verdict.UNKNOWN))
    nodes = [a.positions for a in answers]
    lengths = [a.length for a in by[Verdict.SOLVED] if a.length is not None]
    low, high = wilson(solved, row.deals)[0], wilson(solved + open_, row.deals)[1]
    cells = (
        row.variant,
        f"{row.scheme} 1-{row.deals}",
        f"{solved}",
        f"{lost}",
        f"{open_}",
        f"{100 * low:.2f} to {100 * high:.2f} %",
        f"{statistics.mean(nodes):,.0f}",
        f"{statistics.median(nodes):,.0f}",
        f"{seconds / row.deals:.3f}",
        f"{statistics.mean(lengths):.0f}" if lengths else "",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variants", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--deals", type=int)
    parser.add_argument("--nodes", type=int)
    args = parser.parse_args()
    deals, nodes = (50, 300_000) if args.quick else (args.deals, args.nodes)

    print(f"`{command('solver_table')}`, weights {weights_version()}, {machine()}\n")
    print("| variant | deals | solved | proved lost | open | winnable (95 %, open counted both ways) "
          "| positions, mean | median | CPU s a deal | moves |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in ROWS:
        if args.variants and row.variant not in args.variants:
            continue
        resolve(row.variant)
        print(line(Row(row.variant, row.scheme, min(row.deals, deals or row.deals), nodes)), flush=True)


if __name__ == "__main__":
    main()
