"""Tune a weight vector of the solver: CMA-ES on the share of deals that one narrow beam solves.

    python -m benchmarks.tune_solver --variant spider-4 --start b --state b.json --generations 100

Deals are `spidervet` seeds from a range of its own, new ones in every generation; `--failed-by` keeps those
that given vectors do not solve at the same width, which finds vectors that complement them. The state file
makes it resumable; the vector it ends with is printed with its result on held-out seeds. Seeds are kept in
the state.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.cmaes import Cmaes, Vector
from engine import _core
from engine.core import rules_of
from engine.schedules import shipped
from engine.variants import Variant, resolve

TRAIN_FROM, HOLD_OUT_FROM = 1_000_000, 900_000
# What one step of a weight is worth trying, by feature; slopes go in sixths of it.
SCALES = {"off": 1500, "inversion_gap": 20, "break_gap": 10, "join_rank": 10, "mixed_rank": 10,
          "run_square": 30, "down_square": 20, "segments": 50, "ends": 40, "fits": 40, "trapped": 10,
          "length": 20}  # fmt: skip
SLOPED = ("join_suit", "join_mixed", "break", "inversion", "down", "down_any", "king_base", "empty", 
          "segments", "ends", "trapped", "run_square")  # fmt: skip


def scales() -> Vector:
    """One scale per weight, then one per slope."""
    base = [SCALES.get(name, 80) for name in _core.solver_feature_names()]
    return np.array(base + [s / 6 for s in base], dtype=float)


def free(sloped: bool) -> list[int]:
    """Indices of the weights that are tuned."""
    names = _core.solver_feature_names()
    slopes = [len(names) + names.index(n) for n in SLOPED] if sloped else []
    return [*range(len(names)), *slopes]


def search(
    variant: Variant, deals: list[bytes], vector: list[int], args: argparse.Namespace
) -> list[tuple[int, int, int]]:
    """(solved, sequences off, nodes) of each deal under one beam."""
    schedule = _core.Schedule([vector], [[0, args.width, args.patience, 2 * args.patience, 0]])
    answers = _core.solve_batch(rules_of(variant), deals, schedule, 1 << 40, 512 << 20, 0.0, None)
    return [(int(a[0] == 0), a[6][0], a[3]) for a in answers]


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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default="spider-4")
    parser.add_argument("--start", default="b", help="name of the vector to start from")
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--deals", type=int, default=150)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--patience", type=int, default=6)
    parser.add_argument("--sigma", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-slopes", action="store_true")
    parser.add_argument("--failed-by", nargs="*", default=[])
    args = parser.parse_args()

    variant = resolve(args.variant)
    full = np.array(shipped().vectors[args.start], dtype=float)
    index, scale = free(not args.no_slopes), scales()
    evolution = Cmaes(full[index] / scale[index], args.sigma, args.seed)
    first = TRAIN_FROM
    if args.state.exists():
        saved = json.loads(args.state.read_text())
        evolution.restore(saved["evolution"])
        first = saved["next_seed"]

    def vector(x: Vector) -> list[int]:
        out = full.copy()
        out[index] = x * scale[index]
        return [round(v) for v in out]

    while evolution.generation < args.generations:
        deals, first = fresh_deals(variant, first, args)
        samples = evolution.ask()
        results = [search(variant, deals, vector(x), args) for x in samples]
        evolution.tell(samples, np.array([value(variant, r) for r in results]))
        shares = [np.mean([s for s, _, _ in r]) for r in results]
        nodes = np.mean([n for r in results for _, _, n in r])
        print(
            f"{evolution.generation}: solved {np.mean(shares):.3f}, best {np.max(shares):.3f},"
            f" nodes {nodes:.0f}, sigma {evolution.sigma:.3f}",
            flush=True,
        )
        saved = {"next_seed": first, "arguments": vars(args) | {"state": str(args.state)}}
        saved |= {"vector": vector(evolution.mean), "evolution": evolution.state()}
        args.state.write_text(json.dumps(saved))
    held_out = spidervet_deals(variant, HOLD_OUT_FROM, 400)
    for name, candidate in (("start", [int(v) for v in full]), ("tuned", vector(evolution.mean))):
        results = search(variant, held_out, candidate, args)
        share, nodes = np.mean([s for s, _, _ in results]), np.mean([n for _, _, n in results])
        print(f"{name}: held out {share:.3f} solved, {nodes:.0f} nodes; {candidate}")


if __name__ == "__main__":
    main()
