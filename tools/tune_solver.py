"""Tune a weight vector of the solver: CMA-ES on the share of deals that one narrow beam solves.

    python -m tools.tune_solver --variant spider-4 --start b --state b.json --generations 100

Deals are `spidervet` seeds from a range of its own, new ones in every generation; `--failed-by` keeps those
that given vectors do not solve at the same width, which finds vectors that complement them. The state file
makes it resumable (from mean and step size); the vector it ends with is printed with its result on held-out
seeds. Seeds are recorded in the state.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine import _core
from engine.core import rules_of
from engine.schedules import shipped
from engine.variants import Variant, resolve
from tools.cma import CMAES, Vector

TRAIN_FROM, HOLD_OUT_FROM = 1_000_000, 900_000
# How much each feature differs among the positions of a level (four suits, width 60): a step of its weight is
# worth trying when it moves ratings as much as a step of another does.
SPREAD = {
    "join_suit": 2.44, "join_mixed": 1.18, "break": 1.08, "inversion": 0.86, "king_over": 0.41, "down": 0.84,
    "down_any": 0.4, "king_base": 0.42, "length": 2.5, "empty": 0.73, "off": 0.19, "inversion_gap": 5.55,
    "break_gap": 4.89, "join_rank": 5.42, "mixed_rank": 5.02, "run_square": 0.26, "down_square": 0.5,
    "segments": 1.29, "empty_more": 0.5, "ends": 1.01, "fits": 1.36, "trapped": 6.11,
}  # fmt: skip
EFFECT = 120  # of one step on the ratings
SLOPE_STEP = 1 / 5  # of a weight's step, a stock row
SLOPED = ("join_suit", "join_mixed", "break", "inversion", "down", "down_any", "king_base", "empty", 
          "segments", "ends", "trapped", "run_square")  # fmt: skip


def coordinates(variant: Variant, sloped: bool) -> list[tuple[int, bool, float]]:
    """What is tuned: feature, whether it is a slope over stock rows rather than a weight, and its step."""
    names = _core.solver_feature_names()
    steps = [EFFECT / SPREAD[name] for name in names]
    out = [(f, False, steps[f]) for f in range(len(names))]
    if sloped and variant.stock > 0:
        out += [(f, True, steps[f] * SLOPE_STEP) for f in map(names.index, SLOPED)]
    return out


def moved(start: Sequence[int], along: list[tuple[int, bool, float]], x: Vector, rows: int) -> list[int]:
    """The start vector moved by x: one block of weights for each number of rows left."""
    count = _core.solver_features
    blocks = [start[i : i + count] for i in range(0, len(start), count)]
    out = []
    for row in range(rows + 1):
        block = [float(w) for w in blocks[min(row, len(blocks) - 1)]]
        for (feature, slope, step), amount in zip(along, x, strict=True):
            block[feature] += amount * step * (row if slope else 1)
        out += [round(w) for w in block]
    return out


def search(
    variant: Variant, deals: list[bytes], vector: list[int], args: argparse.Namespace
) -> list[tuple[int, int, int]]:
    """(solved, sequences off, nodes) of each deal under one beam."""
    schedule = _core.Schedule([vector], [[0, args.width, args.patience, 2 * args.patience, 0, 0, 0, 0]])
    answers = _core.solve_batch(rules_of(variant), deals, schedule, 1 << 40, 512 << 20, 0, 0.0, None)
    return [(int(a[0] == 0), a[7][0], a[3]) for a in answers]


def value(variant: Variant, results: list[tuple[int, int, int]]) -> float:
    """A smooth aim: a win counts 1, else 0.3 times the share of sequences; ten times the nodes cost 0.12."""
    wins = [1.0 if solved else 0.3 * off / variant.sequences for solved, off, _ in results]
    return float(np.mean(wins) - 0.05 * np.log(np.mean([nodes for _, _, nodes in results])))


def spidervet_deals(variant: Variant, first: int, count: int) -> list[bytes]:
    """Packed deals of `count` seeds from `first` on."""
    seeds = range(first, first + count)
    return _core.spidervet_deals(
        variant.decks, variant.suits, variant.ranks, variant.columns, variant.face_down, seeds
    )


def fresh_deals(variant: Variant, first: int, args: argparse.Namespace) -> tuple[list[bytes], int]:
    """Deals from a seed on, without those the named vectors solve; and the next unused seed."""
    out: list[bytes] = []
    while len(out) < args.deals:
        block = spidervet_deals(variant, first, args.deals)
        first += args.deals
        for name in args.failed_by:
            results = search(variant, block, list(shipped().vectors[name]), args)
            block = [d for d, r in zip(block, results, strict=True) if not r[0]]
        out += block
    return out[: args.deals], first


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default="spider-4")
    parser.add_argument(
        "--start", default="b", help="name of the vector to start from, or a JSON file with one"
    )
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--deals", type=int, default=150)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--patience", type=int, default=6)
    parser.add_argument("--sigma", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-slopes", action="store_true")
    parser.add_argument("--failed-by", nargs="*", default=[])
    return parser.parse_args()


def main() -> None:
    args = _arguments()
    variant = resolve(args.variant)
    known = shipped().vectors
    start = list(known[args.start]) if args.start in known else json.loads(Path(args.start).read_text())
    along = coordinates(variant, not args.no_slopes)
    rows = -(-variant.stock // len(variant.columns))
    first, generation, mean, sigma = TRAIN_FROM, 0, np.zeros(len(along)), args.sigma
    if args.state.exists():
        saved = json.loads(args.state.read_text())
        first, generation, mean, sigma = (
            saved["next_seed"],
            saved["generation"],
            np.array(saved["mean"]),
            saved["sigma"],
        )
    size = 4 + int(3 * np.log(len(along)))
    evolution = CMAES(mean, np.full(len(along), sigma), size, args.seed + generation)

    def vector(x: Vector) -> list[int]:
        return moved(start, along, x, rows)

    while generation < args.generations:
        generation += 1
        deals, first = fresh_deals(variant, first, args)
        results = [search(variant, deals, vector(x), args) for x in evolution.ask()]
        evolution.tell(-np.array([value(variant, r) for r in results]))
        share = np.mean([solved for r in results for solved, _, _ in r])
        nodes = np.mean([n for r in results for _, _, n in r])
        print(f"{generation}: solved {share:.3f}, nodes {nodes:.0f}, sigma {evolution.sigma:.3f}", flush=True)
        saved = {
            "arguments": vars(args) | {"state": str(args.state)},
            "generation": generation,
            "next_seed": first,
            "mean": list(evolution.mean),
            "sigma": evolution.sigma * sigma,
            "vector": vector(evolution.mean),
        }
        args.state.write_text(json.dumps(saved))
    held_out = spidervet_deals(variant, HOLD_OUT_FROM, 400)
    for name, candidate in (("start", list(start)), ("tuned", vector(evolution.mean))):
        found = search(variant, held_out, candidate, args)
        share, nodes = np.mean([s for s, _, _ in found]), np.mean([n for _, _, n in found])
        print(f"{name}: held out {share:.3f} solved, {nodes:.0f} nodes; {candidate}")


if __name__ == "__main__":
    main()
