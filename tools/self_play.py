"""Plays numbered deals and keeps what the player thought of, for tools.fit_value.

    python -m tools.self_play spider-4 --first 3700001 --games 12000 --out games.npz \\
        --options '{"width": 64, "noise": 2000}'

Rows are the inputs of the learned value (engine/native/features.hpp) where each chosen line ends, one a
decision, with the number of the game, whether it was won, and how many sequences came off.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from engine import _core
from engine.core import rules_of
from engine.levels import settings_for
from engine.weights import net_of
from tools.arena import named, packed_deals

BATCH = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--games", type=int, required=True)
    parser.add_argument("--level", default="club")
    parser.add_argument("--options", type=json.loads, default={}, help="laid over the level's, as in a job")
    parser.add_argument("--value", type=Path, help="a value file to play with; else the shipped one")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    variant = named(args.variant)
    settings = settings_for(variant, args.level, args.options)
    settings.judge = False
    if args.value:
        net = net_of(json.loads(args.value.read_text("utf-8")), _core.feature_names())
        settings.set_value(net.first, net.bias, net.last, net.last_bias, net.nets, net.caution)
    rows, games, won, sequences = [], [], [], []
    last = args.first + args.games
    for first in range(args.first, last, BATCH):
        seeds = range(first, min(first + BATCH, last))
        raw, decisions, wins, off = _core.self_play(
            rules_of(variant), packed_deals(variant, seeds), list(seeds), settings
        )
        rows.append(np.frombuffer(raw, np.int16).reshape(-1, len(_core.feature_names())))
        games.append(np.repeat(np.arange(seeds.start, seeds.stop, dtype=np.int32), decisions))
        won.append(np.repeat(np.array(wins, np.int8), decisions))
        sequences.append(np.repeat(np.array(off, np.int8), decisions))
        print(f"{first}: {100 * np.mean(wins):.1f} % won, {time.process_time():.0f} s", flush=True)
    np.savez(
        args.out,
        rows=np.concatenate(rows),
        games=np.concatenate(games),
        won=np.concatenate(won),
        sequences=np.concatenate(sequences),
        of=np.full(sum(map(len, games)), variant.sequences, np.int8),
    )


if __name__ == "__main__":
    main()
