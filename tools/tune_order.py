"""Finds the hand weights that make the look ahead find the best lines, as the learned value judges them.

    python -m tools.tune_order spider-4 --generations 60 --out weights-spider-4.json

Where `tools.tune_weights` plays whole games and counts wins, this takes positions from games, looks ahead in
each with every candidate's weights, and compares how good, by the learned value, the best line in sight is.
The answer has little noise, so it takes minutes where games take hours.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np

from engine import _core
from engine.core import rules_of
from engine.honesty import reveals
from engine.variants import Variant
from engine.weights import hand_weights
from tools.arena import named, packed_deals
from tools.cma import CMAES

NAMES = _core.weight_names()


def settings_of(values: list[float], args: argparse.Namespace) -> _core.PlayerSettings:
    settings = _core.PlayerSettings()
    settings.set_weights([round(v) for v in values])
    settings.width, settings.depth, settings.ends = args.width, args.depth, args.ends
    settings.open_width = args.width
    settings.wide, settings.judge, settings.trust, settings.weigh_deals = 1, False, 1000, True
    net = json.loads(args.value.read_text())
    settings.set_value(net["first"], net["bias"], net["last"], net["last_bias"])
    return settings


def positions(
    variant: Variant, settings: _core.PlayerSettings, first: int, games: int, count: int
) -> list[bytes]:
    """Packed positions after reveals, evenly from games of the seeds."""
    deals = packed_deals(variant, range(first, first + games))
    out = []
    for deal, game in zip(
        deals, _core.play_games(rules_of(variant), deals, [0] * games, settings), strict=True
    ):
        if game is not None:
            out += [deal, *(position for _, position in reveals(variant, deal, game[1]))]
    return random.Random(first).sample(out, min(count, len(out)))  # noqa: S311


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--value", type=Path, required=True, help="the learned value (tools.train_value)")
    parser.add_argument("--generations", type=int, default=60)
    parser.add_argument("--population", type=int, default=14)
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--games", type=int, default=100, help="games that the positions come from")
    parser.add_argument("--width", type=int, default=48)
    parser.add_argument("--depth", type=int, default=14)
    parser.add_argument("--ends", type=int, default=256)
    parser.add_argument("--first", type=int, default=4_000_001)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spread", type=float, default=0.25)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    variant = named(args.variant)
    rules = rules_of(variant)
    start: list[float] = list(hand_weights(variant))
    if args.resume:
        kept = json.loads(args.resume.read_text())["weights"]
        start = [kept[name] for name in NAMES]
    fixed = positions(variant, settings_of(start, args), args.first, args.games, args.positions)
    fresh = positions(variant, settings_of(start, args), args.first + args.games, args.games, args.positions)

    def worth(point: list[float], places: list[bytes]) -> float:
        logits = np.array(_core.values_in_sight(rules, places, settings_of(point, args))) / 100
        return float(np.mean(np.clip(logits, -6, 6)))

    print(f"start: {worth(start, fixed):.4f}; on positions held back {worth(start, fresh):.4f}", flush=True)
    mean = np.array(start, float)
    search = CMAES(mean, np.maximum(np.abs(mean) * args.spread, 25.0), args.population, args.seed)
    for generation in range(args.generations):
        values = [worth(list(point), fixed) for point in search.ask()]
        search.tell(-np.array(values))
        weights = {name: round(float(v)) for name, v in zip(NAMES, search.mean, strict=True)}
        if generation % 5 == 4 or generation + 1 == args.generations:
            held = worth(list(search.mean), fresh)
            print(
                f"{generation}: best {max(values):.4f}, mean {np.mean(values):.4f}, held back {held:.4f}, "
                f"sigma {search.sigma:.2f}",
                flush=True,
            )
        args.out.write_text(
            json.dumps({"variant": args.variant, "how": vars(args), "weights": weights}, default=str)
        )


if __name__ == "__main__":
    main()
