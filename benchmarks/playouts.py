"""Random playouts a second, native and reference, for every named variant.

A playout is uniformly random legal actions from a deal until the game is won or stuck, 200 actions at most
(random play seldom ends by itself). Times are CPU seconds of one thread, so that other work on the machine
counts little. The signature, the number of native actions over fixed deals, is the same on every machine; it
changes only with the rules or the generator.

Run: ``python -m benchmarks.playouts [variant ...]``.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from engine import _core
from engine.core import rules_of
from engine.deals import deal
from engine.game import legal_moves, played, start
from engine.variants import NAMED, Variant, resolve

MOST = 200
DEALS = 20
NATIVE_S = 0.5
REFERENCE_S = 0.5


@dataclass(frozen=True)
class Speed:
    """Playouts and actions a CPU second."""

    playouts: float
    actions: float


def native(variant: Variant, seed: int, count: int) -> int:
    """Actions of ``count`` native playouts of one deal."""
    packed = deal(variant, seed).packed()
    return _core.random_playouts(rules_of(variant), packed, seed * count, count, MOST)[0]


def reference(variant: Variant, seed: int, count: int) -> int:
    """The same on the reference."""
    actions = 0
    for i in range(count):
        rng = random.Random(seed * count + i)
        position = start(variant, deal(variant, seed))
        for _ in range(MOST):
            moves = legal_moves(variant, position)
            if not moves:
                break
            position = played(variant, position, rng.choice(moves))
            actions += 1
    return actions


def measure(play: Callable[[Variant, int, int], int], variant: Variant, count: int, seconds: float) -> Speed:
    """Play one deal after another until the time is spent."""
    began, playouts, actions = time.process_time(), 0, 0
    while (spent := time.process_time() - began) < seconds:
        actions += play(variant, 1 + playouts // count, count)
        playouts += count
    return Speed(playouts / spent, actions / spent)


def signature(variant: Variant) -> int:
    return sum(native(variant, seed, 20) for seed in range(DEALS))


def main(names: list[str]) -> None:
    print("| variant | native playouts/s | native actions/s | reference playouts/s | ratio | signature |")
    print("|---|---:|---:|---:|---:|---:|")
    total = 0
    for variant in map(resolve, names or NAMED):
        fast = measure(native, variant, 200, NATIVE_S)
        slow = measure(reference, variant, 5, REFERENCE_S)
        total += (mark := signature(variant))
        print(
            f"| {variant.name} | {fast.playouts:,.0f} | {fast.actions:,.0f} | {slow.playouts:.1f} |"
            f" {fast.playouts / slow.playouts:.0f} | {mark:,} |"
        )
    print(f"\nThe sum of signatures is {total:,}.")


if __name__ == "__main__":
    main(sys.argv[1:])
