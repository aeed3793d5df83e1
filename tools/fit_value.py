"""Fits the learned value to the games of tools.self_play: the mean of some nets with different random starts.

    python -m tools.fit_value spider-4 games.npz more.npz --nets 3 --out value-expert-spider-4.json

A game's target is 1 for a win, else 0.1 times the share of sequences. With --trace L below 1 the nets are
fitted a second time, each decision to a mix of what the first ones say of the next decisions and of the
outcome (weights 1-L, (1-L)L, ...). Files with fewer inputs than the core knows (older ones) count as 0 for
the rest. One unit of each net is constant and stands for the net's own last bias.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine import _core
from tools.value_fit import Array, Net, fit


def load(paths: list[Path], inputs: int, won: int = 1) -> tuple[NDArray[np.int16], Array, NDArray[np.int32]]:
    """Rows of the first so many inputs, targets and game numbers of all files, one after the other. Of the
    games won only one in ``won`` is read."""
    rows, targets, games = [], [], []
    for path in paths:
        kept = np.load(path)
        part = (kept["won"] == 0) | (kept["games"] % won == 0)
        found = kept["rows"][part][:, :inputs]
        rows.append(np.pad(found, ((0, 0), (0, inputs - found.shape[1]))))
        share = kept["sequences"][part] / kept["of"][part]
        targets.append(np.where(kept["won"][part] > 0, 1, 0.1 * share).astype(np.float32))
        games.append(kept["games"][part])
    return np.concatenate(rows), np.concatenate(targets), np.concatenate(games)


def chances(nets: list[Net], rows: NDArray[np.int16]) -> Array:
    """What the mean of the nets says, as chances to win."""
    logits = np.concatenate(
        [
            sum(net.logits(rows[i : i + 100_000].astype(np.float32)) for net in nets) / len(nets)
            for i in range(0, len(rows), 100_000)
        ]
    )
    out: Array = (1 / (1 + np.exp(-logits))).astype(np.float32)
    return out


def traced(targets: Array, games: NDArray[np.int32], said: Array, trace: float) -> Array:
    """Targets that look at the next decisions of the same game as the nets judge them."""
    out = targets.copy()
    for i in range(len(out) - 2, -1, -1):
        if games[i] == games[i + 1]:
            out[i] = (1 - trace) * said[i + 1] + trace * out[i + 1]
    return out


def quality(said: Array, targets: Array, held: NDArray[np.bool_]) -> str:
    """Cross entropy against wins and area under the curve of the games held back."""
    p, won = said[held].astype(np.float64), targets[held] > 0.8
    loss = float(-np.mean(np.where(won, np.log(p), np.log1p(-p))))
    ranks, wins = np.argsort(np.argsort(p)) + 1, int(won.sum())
    area = (ranks[won].sum() - wins * (wins + 1) / 2) / max(1, wins * (len(won) - wins))
    return f"cross entropy {loss:.4f}, area under the curve {area:.4f}"


def joined(nets: list[Net]) -> dict[str, object]:
    """The nets' whole numbers, one net after the other, each with a constant unit for its last bias."""
    first, bias, last = [], [], []
    for net in nets:
        weights = net.first / net.spread[:, None]
        first.append(np.pad(weights, ((0, 0), (0, 1))))
        bias += [*(net.bias - net.shift @ weights), 1]
        last += [*net.last, net.last_bias]
    return {
        "first": np.rint(np.concatenate(first, 1) * 4096).astype(int).ravel().tolist(),
        "bias": np.rint(np.array(bias) * 4096).astype(int).tolist(),
        "last": np.rint(np.array(last) * 1024).astype(int).tolist(),
        "last_bias": 0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--nets", type=int, default=3)
    parser.add_argument("--units", type=int, default=48, help="of each net, the constant one included")
    parser.add_argument("--inputs", type=int, default=len(_core.feature_names()), help="the first so many")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--trace", type=float, default=1)
    parser.add_argument(
        "--thin", type=int, default=1, help="fit to one decision in so many; another for each net"
    )
    parser.add_argument(
        "--won",
        type=int,
        default=1,
        help="of the games won fit to one in so many: all logits shift alike, which of two lines is better "
        "does not (no multiple of 2 or 5: a tenth of the games is held back)",
    )
    parser.add_argument("--decay", type=float, default=1e-4, help="of the first and the last weights")
    parser.add_argument("--caution", type=int, default=0)
    parser.add_argument("--how", default="", help="said of the games in the file's header")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    rows, targets, games = load(args.data, args.inputs, args.won)
    held, aims, log = games % 10 == 9, targets, []
    for _ in range(1 if args.trace == 1 else 2):
        nets = []
        for seed in range(args.nets):
            part = slice(seed % args.thin, None, args.thin)
            net, report = fit(
                rows[part],
                aims[part],
                games[part],
                units=args.units - 1,
                epochs=args.epochs,
                seed=seed,
                decay=args.decay,
            )
            nets.append(net)
            print(report, flush=True)
        said = chances(nets, rows)
        log.append(f"mean of {len(nets)}: {quality(said, targets, held)}")
        print(log[-1], flush=True)
        aims = traced(targets, games, said, args.trace)
    data = f"{len(rows):,} decisions of {len(np.unique(games)):,} games; {args.how}"
    made = {k: v for k, v in vars(args).items() if k not in ("data", "out", "how")} | {
        "data": data,
        "log": log,
    }
    header = {"format": "spidervet-value/1", "made": made, "inputs": _core.feature_names()[: args.inputs]}
    form = {"nets": args.nets, "caution": args.caution, **joined(nets)}
    args.out.write_text(json.dumps(header | form))


if __name__ == "__main__":
    main()
