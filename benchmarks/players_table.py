"""Prints win rates of the shipped players with Wilson intervals and what a game costs.

    python -m benchmarks.players_table                                  the held-out table: 1,000 deals a cell
    python -m benchmarks.players_table --variants all --levels hint,casual,club --games 100 --first 6000001

Seeds 10000001 to 10001000 were never looked at while tuning. Time is processor time of one core; nodes are
the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.deals import deal
from engine.players import Ending, Level, PlayerSpec, play_batch
from engine.variants import NAMED, resolve
from engine.weights import version
from evaluation.stats import wilson


@dataclass(frozen=True)
class Cell:
    """One variant at one level: deals played, wins, mean processor milliseconds and nodes a game."""

    variant: str
    level: str
    games: int
    wins: int
    low: float
    high: float
    ms: float
    nodes: int
    moves: float

    def row(self) -> str:
        rate, low, high = (100 * x for x in (self.wins / self.games, self.low, self.high))
        return (
            f"| {self.variant} | {self.level} | {self.games} | {rate:.1f} % | {low:.1f}–{high:.1f} | "
            f"{self.ms:.1f} ms | {self.nodes:,} | {self.moves:.0f} |"
        )


def measure(variant: str, level: str, seeds: range) -> Cell:
    """Play one game a seed, each with its own rng number."""
    rules = resolve(variant)
    deals = [deal(rules, seed).packed() for seed in seeds]
    began = time.process_time()
    games = [g for g in play_batch(rules, deals, PlayerSpec(level), list(seeds)) if g is not None]
    spent = time.process_time() - began
    wins = sum(game.ending is Ending.WON for game in games)
    interval = wilson(wins, len(games))
    nodes, moves = sum(g.nodes for g in games), sum(len(g.moves) for g in games)
    n = len(games)
    return Cell(variant, level, n, wins, interval.lo, interval.hi, 1000 * spent / n, nodes // n, moves / n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", default="spider-1,spider-2,spider-4", help="names with commas, or all")
    parser.add_argument("--levels", default=",".join(Level), help="names with commas")
    parser.add_argument("--first", type=int, default=10_000_001)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--json", type=Path, help="append every cell as a line of JSON")
    args = parser.parse_args()

    seeds = range(args.first, args.first + args.games)
    print(f"spidervet seeds {seeds.start} to {seeds.stop - 1}, weights version {version()}\n")
    print("| variant | level | games | won | 95 % | a game | nodes a game | actions |")
    print("|---|---|---|---|---|---|---|---|")
    for variant in list(NAMED) if args.variants == "all" else args.variants.split(","):
        for level in args.levels.split(","):
            cell = measure(variant, level, seeds)
            print(cell.row(), flush=True)
            if args.json:
                with args.json.open("a") as out:
                    out.write(json.dumps(asdict(cell) | {"first": seeds.start, "weights": version()}) + "\n")


if __name__ == "__main__":
    main()
