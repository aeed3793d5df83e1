"""Learns the value of where lines end from self-play, by rounds of playing and fitting.

    python -m tools.train_value spider-4 --rounds 5 --games 8000 --out value-spider-4.json

Every round plays with the last round's net, with noise on what lines are worth and early deals now and then
for variety, adds its games to all before, and fits anew. A game's target is 1 for a win, else 0.1 times the
share of sequences.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from engine import _core
from engine.core import rules_of
from engine.weights import hand_weights
from tools.arena import evaluate, named, packed_deals
from tools.value_fit import Net, fit


def settings_of(args: argparse.Namespace, net: Net | None, explore: bool) -> _core.PlayerSettings:
    settings = _core.PlayerSettings()
    values = hand_weights(named(args.variant))
    if args.weights:
        kept = json.loads(args.weights.read_text())["weights"]
        values = [kept[name] for name in _core.weight_names()]
    settings.set_weights(values)
    settings.width, settings.depth, settings.open_width = args.width, args.depth, args.width * 2
    settings.wide, settings.judge = 4, False
    settings.ends, settings.trust = args.ends, args.trust
    if net is not None:
        settings.set_value(*net.whole_numbers())
        settings.weigh_deals = args.weigh_deals
    if explore:
        settings.noise, settings.early_deal = args.noise, args.early_deal
    return settings


def play(args: argparse.Namespace, net: Net | None, first: int, count: int) -> tuple[np.ndarray, ...]:
    """Rows, targets and game numbers of `count` games."""
    variant = named(args.variant)
    seeds = range(first, first + count)
    raw, decisions, won, sequences = _core.self_play(
        rules_of(variant), packed_deals(variant, seeds), list(seeds), settings_of(args, net, True)
    )
    rows = np.frombuffer(raw, np.int16).reshape(-1, len(_core.feature_names()))
    worth = np.array(won) + (1 - np.array(won)) * 0.1 * np.array(sequences) / variant.sequences
    games = np.repeat(np.arange(first, first + count, dtype=np.int32), decisions)
    print(f"played {count}: {100 * np.mean(won):.1f} % won", flush=True)
    return rows, np.repeat(worth, decisions).astype(np.float32), games


def write(args: argparse.Namespace, net: Net, how: list[str], out: Path) -> None:
    first, bias, last, last_bias = net.whole_numbers()
    out.write_text(
        json.dumps(
            {
                "format": "spidervet-value/1",
                "made": {k: v for k, v in vars(args).items() if k not in ("data", "out", "weights")}
                | {"data": how[-1], "log": how},
                "inputs": _core.feature_names(),
                "first": first,
                "bias": bias,
                "last": last,
                "last_bias": last_bias,
            },
            default=str,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=8000)
    parser.add_argument("--width", type=int, default=48)
    parser.add_argument("--depth", type=int, default=14)
    parser.add_argument("--ends", type=int, default=128)
    parser.add_argument("--trust", type=int, default=5)
    parser.add_argument("--weigh-deals", action="store_true")
    parser.add_argument("--noise", type=int, default=150)
    parser.add_argument("--early-deal", type=int, default=30)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--first", type=int, default=3_000_001)
    parser.add_argument("--keep", type=int, default=400_000, help="the latest rows kept of earlier rounds")
    parser.add_argument(
        "--weights", type=Path, help="hand weights of tools.tune_weights; else the shipped ones"
    )
    parser.add_argument("--data", type=Path, help="rows of earlier runs, read and written (.npz)")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    net: Net | None = None
    rows = targets = games = None
    if args.data and args.data.exists():
        kept = np.load(args.data)
        rows, targets, games = kept["rows"], kept["targets"], kept["games"]
        net, report = fit(rows, targets, games, units=args.units, epochs=args.epochs, seed=0)
        print(report, flush=True)
    how: list[str] = []
    for number in range(args.rounds):
        began = time.process_time()
        fresh = play(args, net, args.first + number * args.games, args.games)
        if rows is None:
            rows, targets, games = fresh
        else:
            rows, targets, games = (
                np.concatenate([old[-args.keep :], new])
                for old, new in zip((rows, targets, games), fresh, strict=True)
            )
        played = time.process_time() - began
        net, report = fit(rows, targets, games, units=args.units, epochs=args.epochs, seed=number)
        how.append(f"round {number + 1}: {report}")
        print(how[-1], f"({played:.0f} s play, {time.process_time() - began - played:.0f} s fit)", flush=True)
        write(args, net, how, args.out)
        result = evaluate(named(args.variant), settings_of(args, net, False), range(2_000_001, 2_000_401))
        print(f"   plays {result}", flush=True)
        if args.data:
            np.savez(args.data, rows=rows, targets=targets, games=games)


if __name__ == "__main__":
    main()
