"""Learn a vector for short lines from short lines.

    python -m tools.learn_short --deals 172 --with 0 --out short.json

Each deal is solved and its line shortened (`--shorten`). A beam under the vector `--with` (the number of a
shipped one, or ``pooled:FILE``, ``staged:FILE`` of an earlier run) then runs on the deal: at every level that
the line passes, the position on it should be rated above others that the beam kept, and so at the start of
every stage. Weights are fitted as in `tools.learn_solver`, with one feature more: the actions so far, whose
weight is what an action costs. They are drawn to the shipped vector 0, else beams wander. Run again with what
was learned, it sees what its own beams meet. Deals are `spidervet` seeds from 7,100,001 on; lengths are told
of others.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from engine import _core
from engine.core import rules_of
from engine.solver import Solution, SolverSpec, solve_batch
from engine.variants import Variant, resolve
from tools.learn_solver import Groups, Vector, fit
from tools.tune_solver import spidervet_deals

FIRST = 7_100_001
HELD_OUT = 7_200_001
OTHERS = 10  # positions of a level beside the line's
NORM = 900  # of the weights of mixed joins, breaks inverted and empty columns together: sets the scale
SCALED = ("join_mixed", "break", "empty")


class ShortVector(NamedTuple):
    """weights: one row of features after another, by stock rows left, or one row for all; costs likewise."""

    weights: list[int]
    costs: list[int]


def examples(
    variant: Variant, deals: list[bytes], lines: list[Solution], vector: ShortVector, width: int
) -> dict[int, list[Groups]]:
    """By stock rows left: per level of a line, features of the others less those of the position on it; the
    actions so far come last and negative."""
    out: dict[int, list[Groups]] = {}
    for seed, (packed, line) in enumerate(zip(deals, lines, strict=True)):
        if not line.moves:
            continue
        levels: dict[int, list[list[float]]] = {}
        _, found = _core.trace_short(
            rules_of(variant), packed, line.moves, vector.weights, vector.costs, width, seed, OTHERS
        )
        rows_of = {}
        for level, rows, _, actions, features in found:
            levels.setdefault(level, []).append([*(f / 10 for f in features), -actions])
            rows_of[level] = rows
        for level, (on_line, *others) in levels.items():
            if others:
                difference = np.array(others, np.float32) - np.array(on_line, np.float32)
                out.setdefault(rows_of[level], []).append(difference)
    return out


def scaled(groups: list[Groups], vector: Vector) -> Vector:
    """The vector times the factor under which it explains the examples best."""

    def loss(factor: float) -> float:
        return float(np.mean([np.logaddexp.reduce([0.0, *(g @ (vector * factor))]) for g in groups]))

    found = minimize_scalar(loss, bounds=(1e-5, 0.05), method="bounded")
    return vector * float(found.x)


def whole(blocks: list[Vector]) -> ShortVector:
    """Whole-number weights and costs, each block on the scale of the shipped vectors."""
    at = [_core.solver_feature_names().index(name) for name in SCALED]
    rounded = [[round(float(w) * NORM / float(np.linalg.norm(b[at]))) for w in b] for b in blocks]
    return ShortVector([w for row in rounded for w in row[:-1]], [row[-1] for row in rounded])


def learned(
    data: dict[int, list[Groups]], prior: Vector, most_rows: int, pull: float
) -> dict[str, ShortVector]:
    """A vector for all stages, drawn to the prior, and one by stock rows left that is drawn to it as much."""
    everything = [group for rows in sorted(data) for group in data[rows]]
    pooled = fit(everything, scaled(everything, prior), pull)
    blocks = [fit(data.get(rows, everything), pooled, pull) for rows in range(most_rows + 1)]
    return {"pooled": whole([pooled]), "staged": whole(blocks)}


def named(text: str) -> ShortVector:
    """A shipped vector by its number, or ``pooled:FILE`` or ``staged:FILE`` of an earlier run."""
    kind, colon, path = text.partition(":")
    if colon:
        return ShortVector(*json.loads(Path(path).read_text())[kind])
    return ShortVector(*_core.short_vectors()[int(text)])


def lengths(variant: Variant, deals: list[bytes], vector: ShortVector, width: int) -> list[int]:
    """Lengths of the lines that one beam finds; deals without are left out."""
    rules = rules_of(variant)
    found = (_core.trace_short(rules, d, [], vector.weights, vector.costs, width, 0, 0)[0] for d in deals)
    return [n for n in found if n]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default="spider-4")
    parser.add_argument("--with", dest="with_", default="0", help="vector whose beams are looked at")
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--deals", type=int, default=172)
    parser.add_argument("--shorten", type=int, default=10_000_000, help="nodes to shorten a line with")
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--pull", type=float, default=0.01, help="how hard; fewer lines want more")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    variant, vector = resolve(args.variant), named(args.with_)
    deals = spidervet_deals(variant, args.first, args.deals)
    lines = solve_batch(variant, deals, SolverSpec(shorten_nodes=args.shorten))
    data = examples(variant, deals, lines, vector, args.width)
    shipped = named("0")
    prior: Vector = np.array([*shipped.weights, *shipped.costs], float)
    found = learned(data, prior, -(-variant.stock // len(variant.columns)), args.pull)
    args.out.write_text(json.dumps(found | {"arguments": vars(args) | {"out": str(args.out)}}))

    held_out = spidervet_deals(variant, HELD_OUT, 30)
    for name, weights in {"before": vector, **found}.items():
        said = lengths(variant, held_out, weights, args.width)
        print(
            f"{name}: {len(said)} of {len(held_out)} solved, mean {statistics.mean(said or [0]):.1f} actions"
        )


if __name__ == "__main__":
    main()
