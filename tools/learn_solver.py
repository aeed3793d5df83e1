"""Learn a weight vector of the solver from lines that beams found.

    python -m tools.learn_solver --variant spider-4 --with b --deals 400 --width 60 --out learned.json

One beam runs on each deal; where it wins, every level of its line gives an example: the position on the
line should be rated above others of the level (some that the beam kept, some random children). The
weights minimise the mean negative log-likelihood of the position on the line under a softmax over
ratings; pooled first, then for each number of stock rows left, drawn to the pooled ones. Run again with
what was learned, it sees what its own beams meet. Deals are `spidervet` seeds from 2,000,000 on; results
are stated on held-out seeds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from engine import _core
from engine.core import rules_of
from engine.schedules import shipped
from engine.variants import Variant, resolve
from tools.tune_solver import HOLD_OUT_FROM, search, spidervet_deals

FIRST = 2_000_000
OTHERS = 8  # positions of a level from the beam, and as many random children
NORM = 3000  # of the weights of mixed joins, breaks and empty columns together: sets the scale

Vector = npt.NDArray[np.float64]
Groups = npt.NDArray[np.float32]


def examples(
    variant: Variant, deals: list[bytes], vector: list[int], args: argparse.Namespace
) -> dict[int, list[Groups]]:
    """By stock rows left: per level of a line, features of the others less those of the position on it."""
    out: dict[int, list[Groups]] = {}
    for seed, packed in enumerate(deals):
        levels: dict[tuple[int, int], tuple[list[list[int]], list[list[int]]]] = {}
        for level, rows, on_line, features in _core.trace_line(
            rules_of(variant), packed, vector, args.width, args.patience, seed, OTHERS
        ):
            levels.setdefault((level, rows), ([], []))[on_line].append(features)
        for (_, rows), (others, line) in levels.items():
            if others and line:
                difference = np.array(others, dtype=np.float32) - np.array(line[0], dtype=np.float32)
                out.setdefault(rows, []).append(difference / np.float32(10))
    return out


def fit(groups: list[Groups], prior: Vector, pull: float) -> Vector:
    """Weights of least loss, drawn to the prior with the given strength (on standardised features)."""
    most = 2 * OTHERS
    x = np.zeros((len(groups), most, len(prior)), np.float32)
    absent = np.full((len(groups), most), -1e9, np.float32)
    for i, group in enumerate(groups):
        x[i, : len(group)], absent[i, : len(group)] = group, 0
    spread = np.maximum(x.reshape(-1, len(prior)).std(0), 1e-6)
    x /= spread

    def loss(w: Vector) -> tuple[float, Vector]:
        z = x @ w.astype(np.float32) + absent
        top = np.maximum(z.max(1), 0)
        e = np.exp(z - top[:, None])
        total = e.sum(1) + np.exp(-top)
        pulled = w - prior * spread
        slope = np.einsum("gk,gkf->f", e / total[:, None], x) / len(groups)
        value = float(np.mean(np.log(total) + top) + pull * np.sum(pulled**2))
        return value, slope.astype(float) + 2 * pull * pulled

    start: Vector = (prior * spread).astype(float)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x / spread, dtype=float)


def whole(blocks: list[Vector], scale: float) -> list[int]:
    """Integer weights, one block after another."""
    return [round(float(w) * scale) for block in blocks for w in block]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default="spider-4")
    parser.add_argument(
        "--with", dest="with_", default="b", help="vector whose beams are learned from, or a JSON file"
    )
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--width", type=int, default=60)
    parser.add_argument("--patience", type=int, default=6)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    variant, known = resolve(args.variant), shipped().vectors
    vector = list(known[args.with_]) if args.with_ in known else json.loads(Path(args.with_).read_text())
    data = examples(variant, spidervet_deals(variant, args.first, args.deals), vector, args)
    everything = [group for rows in sorted(data) for group in data[rows]]
    names = _core.solver_feature_names()
    pooled = fit(everything, np.zeros(len(names)), 1e-4)
    scale = NORM / float(np.linalg.norm([pooled[names.index(n)] for n in ("join_mixed", "break", "empty")]))
    most_rows = -(-variant.stock // len(variant.columns))
    blocks = [fit(data.get(rows, everything), pooled, 1e-3) for rows in range(most_rows + 1)]
    learned = {"pooled": whole([pooled], scale), "staged": whole(blocks, scale)}
    args.out.write_text(json.dumps(learned | {"arguments": vars(args) | {"out": str(args.out)}}))

    held_out = spidervet_deals(variant, HOLD_OUT_FROM, 300)
    for name, weights in {"before": vector, **learned}.items():
        results = search(variant, held_out, weights, args)
        share, nodes = np.mean([r[0] for r in results]), np.mean([r[2] for r in results])
        print(f"{name}: {share:.3f} of 300 held-out deals solved, {nodes:.0f} nodes a deal")


if __name__ == "__main__":
    main()
