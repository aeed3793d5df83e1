"""The typed face of the honest players: levels, options, games.

A player's input carries no face-down card and no stock order. Level, variant, deal and rng number
give the same game on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine import _core, guests
from engine.core import Control, rules_of
from engine.endings import Ending
from engine.levels import LEVELS, OPTIONS, OptionValue, PlayerError, settings_for
from engine.variants import Variant

__all__ = [
    "Ending",
    "Game",
    "Level",
    "PlayerError",
    "PlayerInfo",
    "PlayerSpec",
    "catalog",
    "check_player",
    "play_batch",
]


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
    judge: bool = True,
) -> list[Game | None]:
    """Play packed deals (`engine.core`): a level in one native call that holds no GIL, a guest in Python.

    rng: one number a deal, 0 to 2^64-1. Cancelled through ``control``, games not finished come back as None.
    judge: whether lost games are proved dead. Without, such an ending reads no-progress, and a game that was
    lost may go on with moves that turn up nothing and take nothing off; cards turned up, stock deals and
    sequences are the same, at a small part of the time for `hint`, `novice` and `casual`. Guests' games are
    always judged.

    Raises PlayerError for an unknown level or option and for a guest's illegal action, ValueError for a deal
    that does not fit the variant.
    """
    if spec.level not in LEVELS:
        return _play_guests(variant, deals, spec, rng, control)
    settings = settings_for(variant, spec.level, spec.options)
    settings.judge = judge
    found = _core.play_games(rules_of(variant), deals, rng, settings, control)
    return [None if game is None else _game(*game) for game in found]


def _play_guests(
    variant: Variant, deals: Sequence[bytes], spec: PlayerSpec, rng: Sequence[int], control: Control | None
) -> list[Game | None]:
    make, games = guests.factory(spec.level), list[Game | None]()
    for packed, number in zip(deals, rng, strict=True):
        guest = _made(make, variant, spec, number)
        game = guests.play_guest(variant, packed, guest, spec.level, control)
        if game is not None:
            games.append(Game(game.ending, game.moves, game.stock_deals, game.sequences, 0, game.seconds))
        else:
            games.append(None)
    return games


def _made(make: guests.GuestFactory, variant: Variant, spec: PlayerSpec, rng: int) -> guests.Guest:
    try:
        return make(variant, rng, **spec.options)
    except (TypeError, ValueError) as error:
        raise PlayerError("player", f"{spec.level} does not take these options: {error}") from error


def check_player(variant: Variant, level: str, options: Mapping[str, OptionValue]) -> None:
    """Refuse a level or guest that does not exist, and options that it does not take. Raises PlayerError."""
    if level in LEVELS:
        settings_for(variant, level, options)
    else:
        _made(guests.factory(level), variant, PlayerSpec(level, options), 0)


@dataclass(frozen=True)
class PlayerInfo:
    """A player that jobs may name. origin: "level", or where a guest comes from. options: name and help."""

    name: str
    origin: str
    options: Mapping[str, str]


def catalog() -> tuple[PlayerInfo, ...]:
    """The shipped levels, weakest first after the baseline, then the guests."""
    told = {name: option.help for name, option in OPTIONS.items()}
    levels = [PlayerInfo(name, "level", told if options else {}) for name, options in LEVELS.items()]
    return (*levels, *(PlayerInfo(name, point.value, {}) for name, point in guests.installed().items()))


def _game(ending: int, moves: list[int], deals: int, sequences: int, nodes: int, seconds: float) -> Game:
    return Game(_ENDINGS[ending], tuple(moves), deals, sequences, nodes, seconds)
