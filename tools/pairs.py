"""Plays arms on the same deals and tells each one's wins and its difference to the first, in pairs.

    python -m tools.pairs spider-2 --first 2005001 --games 500 club expert
    python -m tools.pairs spider-4 --first 2005001 --games 500 club 'club {"width": 700} value.json'

An arm is a level, options laid over it as in a job, and a value file to play with; the last two may be left
out. The sides of a difference are the deals that only the arm and only the first arm won; its standard error
is that of the mean of paired differences.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine import _core
from engine.core import rules_of
from engine.levels import settings_for
from engine.variants import Variant
from engine.weights import net_of
from tools.arena import named, packed_deals

ARM = re.compile(r"(?P<level>\S+)(?: (?P<options>\{.*\}))?(?: (?P<value>\S+))?")


def settings_of(variant: Variant, arm: str) -> _core.PlayerSettings:
    """Of an arm's words. Raises ValueError where they say nothing, PlayerError for unknown options."""
    found = ARM.fullmatch(arm)
    if found is None:
        raise ValueError(f"{arm!r} is not: level, options, value file")
    settings = settings_for(variant, found["level"], json.loads(found["options"] or "{}"))
    settings.judge = False
    if found["value"]:
        net = net_of(json.loads(Path(found["value"]).read_text("utf-8")), _core.feature_names())
        settings.set_value(net.first, net.bias, net.last, net.last_bias, net.nets, net.caution)
    return settings


def play(
    variant: Variant, settings: _core.PlayerSettings, seeds: range
) -> tuple[NDArray[np.int64], int, float]:
    """1 for each deal won, else 0; nodes and seconds a game."""
    deals = packed_deals(variant, seeds)
    games = _core.play_games(rules_of(variant), deals, list(seeds), settings)
    done = [game for game in games if game is not None]
    won = np.array([game[0] == 0 for game in done], np.int64)
    return won, sum(game[4] for game in done) // len(done), sum(game[5] for game in done) / len(done)


def difference(won: NDArray[np.int64], base: NDArray[np.int64]) -> str:
    """In points, with its standard error and the sides."""
    d = won - base
    error = 100 * float(d.std()) / len(d) ** 0.5
    return f"{100 * float(d.mean()):+.1f} ± {error:.1f} ({int((d > 0).sum())}:{int((d < 0).sum())})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("arms", nargs="+")
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--games", type=int, required=True)
    args = parser.parse_args()
    base = None
    for arm in args.arms:
        seeds = range(args.first, args.first + args.games)
        won, nodes, seconds = play(named(args.variant), settings_of(named(args.variant), arm), seeds)
        base = won if base is None else base
        told = f"{100 * won.mean():.1f} % of {len(won)}, {nodes:,} nodes and {1000 * seconds:.0f} ms a game"
        print(f"{args.variant} {arm}: {told}, {difference(won, base)}", flush=True)


if __name__ == "__main__":
    main()
