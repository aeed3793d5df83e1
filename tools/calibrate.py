"""Finds the noise at which a level wins a given share of a variant's deals.

    python -m tools.calibrate casual spider-2 20 --games 1500

Other options may be laid over the level's: ``--set width=24 --set depth=10``. The share falls as noise grows,
so the interval is halved; every trial plays the same deals (seeds from --first) with its own rng numbers.
"""

from __future__ import annotations

import argparse

from engine import _core
from engine.core import rules_of
from engine.levels import settings_for
from tools.arena import named, packed_deals


def share(name: str, level: str, options: dict[str, object], first: int, games: int) -> float:
    """Per cent of the deals won, one game each."""
    variant = named(name)
    settings = settings_for(variant, level, options)
    settings.judge = False
    deals = packed_deals(variant, range(first, first + games))
    played = _core.play_games(rules_of(variant), deals, list(range(games)), settings)
    return 100 * sum(game is not None and game[0] == 0 for game in played) / games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("level")
    parser.add_argument("variant")
    parser.add_argument("target", type=float)
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--first", type=int, default=5_000_001)
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=7)
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=NUMBER")
    args = parser.parse_args()

    options: dict[str, object] = {k: int(v) for k, v in (pair.split("=") for pair in args.set)}
    low, high = 0, args.most
    for _ in range(args.steps):
        noise = (low + high) // 2
        found = share(args.variant, args.level, {**options, "noise": noise}, args.first, args.games)
        print(f"noise {noise}: {found:.1f} % of {args.games}", flush=True)
        low, high = (noise, high) if found > args.target else (low, noise)
    print(f"noise {(low + high) // 2} for {args.target} %")


if __name__ == "__main__":
    main()
