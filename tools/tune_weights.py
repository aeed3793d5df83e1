"""Finds the hand rating's weights of one variant by CMA-ES at playing depth.

    python -m tools.tune_weights spider-4 --generations 40 --games 200 --out weights-spider-4.json

Every candidate of a generation plays the same deals; each generation fresh ones (seeds from --first on).
Writes the distribution's mean after every generation; ``--resume`` starts from such a file or from the
shipped weights.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from engine import _core
from engine.weights import hand_weights
from tools.arena import evaluate, named
from tools.cma import CMAES

NAMES = _core.weight_names()


def settings_of(values: np.ndarray, args: argparse.Namespace) -> _core.PlayerSettings:
    settings = _core.PlayerSettings()
    settings.set_weights([round(float(v)) for v in values])
    settings.width, settings.depth, settings.patience = args.width, args.depth, args.patience
    settings.open_width = args.width
    settings.wide, settings.judge = 1, False
    return settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--population", type=int, default=14)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--width", type=int, default=48)
    parser.add_argument("--depth", type=int, default=14)
    parser.add_argument("--patience", type=int, default=0)
    parser.add_argument("--first", type=int, default=1_000_001)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spread", type=float, default=0.3)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    variant = named(args.variant)
    start = hand_weights(variant)
    if args.resume:
        kept = json.loads(args.resume.read_text())["weights"]
        start = [kept[name] for name in NAMES]
    mean = np.array(start, float)
    search = CMAES(mean, np.maximum(np.abs(mean) * args.spread, 25.0), args.population, args.seed)
    for generation in range(args.generations):
        first = args.first + generation * args.games
        seeds = range(first, first + args.games)
        results = [evaluate(variant, settings_of(point, args), seeds) for point in search.ask()]
        search.tell(np.array([-r.smooth for r in results]))
        best = max(results, key=lambda r: r.smooth)
        average = sum(r.smooth for r in results) / len(results)
        print(f"{generation}: mean aim {average:.4f}, best {best}, sigma {search.sigma:.2f}", flush=True)
        weights = {name: round(float(v)) for name, v in zip(NAMES, search.mean, strict=True)}
        args.out.write_text(
            json.dumps({"variant": args.variant, "how": vars(args), "weights": weights}, default=str)
        )


if __name__ == "__main__":
    main()
