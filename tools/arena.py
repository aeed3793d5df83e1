"""Plays numbered deals with given settings of the core and sums up, for tuning. Seeds from 10,000,001 on are
held out: they are for the final tables alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine import _core
from engine.core import rules_of
from engine.variants import NAMED, Variant

HELD_OUT = range(10_000_001, 10_001_001)


@dataclass(frozen=True)
class Result:
    """Of a set of games: wins, the smooth aim (1 for a win, else 0.3 times the share of sequences), nodes."""

    games: int
    wins: int
    smooth: float
    nodes: int

    def __str__(self) -> str:
        share = 100 * self.wins / self.games
        return (
            f"{share:.1f} % of {self.games}, aim {self.smooth:.4f}, {self.nodes // self.games} nodes a game"
        )


def packed_deals(variant: Variant, seeds: Sequence[int]) -> list[bytes]:
    """The spidervet deals of the seeds."""
    if any(seed in HELD_OUT for seed in seeds):
        raise ValueError("these seeds are held out for the final tables")
    v = variant
    return _core.spidervet_deals(v.decks, v.suits, v.ranks, list(v.columns), list(v.face_down), list(seeds))


def named(name: str) -> Variant:
    """A named variant."""
    return NAMED[name]


def evaluate(variant: Variant, settings: _core.PlayerSettings, seeds: Sequence[int], rng: int = 0) -> Result:
    """One game a seed."""
    deals = packed_deals(variant, seeds)
    games = _core.play_games(rules_of(variant), deals, [rng] * len(deals), settings)
    wins, smooth, nodes = 0, 0.0, 0
    for game in games:
        if game is None:
            continue
        won = game[0] == 0
        wins += won
        smooth += 1.0 if won else 0.3 * game[3] / variant.sequences
        nodes += game[4]
    return Result(len(games), wins, smooth / len(games), nodes)
