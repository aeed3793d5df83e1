"""The typed face of the honest players: levels, options, games.

A player's input carries no face-down card and no stock order. Level, variant, deal and rng number
give the same game on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine import _core
from engine.core import Control, rules_of
from engine.endings import Ending
from engine.levels import PlayerError, settings_for
from engine.variants import Variant

__all__ = ["Ending", "Game", "Level", "PlayerError", "PlayerSpec", "play_batch"]


class Level(StrEnum):
    """The shipped players, weakest first after the baseline."""

    HINT = "hint"
    NOVICE = "novice"
    CASUAL = "casual"
    CLUB = "club"
    EXPERT = "expert"


@dataclass(frozen=True)
class PlayerSpec:
    """A level and the options laid over it, as in a job's ``{"player": "expert", "samples": 16}``."""

    level: str
    options: Mapping[str, int | str | bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Game:
    """One finished game.

    moves: move codes (`engine.core`) in the order played. nodes: positions the player rated.
    """

    ending: Ending
    moves: tuple[int, ...]
    stock_deals: int
    sequences: int
    nodes: int
    seconds: float = 0.0


_ENDINGS = tuple(Ending)


def play_batch(
    variant: Variant,
    deals: Sequence[bytes],
    spec: PlayerSpec,
    rng: Sequence[int],
    control: Control | None = None,
) -> list[Game | None]:
    """Play packed deals (`engine.core`) in one native call that holds no GIL.

    rng: one number a deal, 0 to 2^64-1. Cancelled through ``control``, games not finished come back as None.
    Raises PlayerError for an unknown level or option, ValueError for a deal that does not fit the variant.
    """
    settings = settings_for(variant, spec.level, spec.options)
    found = _core.play_games(rules_of(variant), deals, rng, settings, control)
    return [None if game is None else _game(*game) for game in found]


def _game(ending: int, moves: list[int], deals: int, sequences: int, nodes: int, seconds: float) -> Game:
    return Game(_ENDINGS[ending], tuple(moves), deals, sequences, nodes, seconds)
