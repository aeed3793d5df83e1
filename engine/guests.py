"""Players from other packages: the entry-point group ``spidervet.players``.

A guest is a factory: called with the variant, the rng number and its options it gives an object whose
``choose`` gets a `View`, what a person at the table sees, and returns a legal action, or None to give up.
Slow is fine. `honesty` checks guests like the shipped levels; docs/player.md has an example.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from engine import _core
from engine.cards import Card
from engine.core import Control, rules_of
from engine.endings import Ending
from engine.levels import LEVELS, OptionValue, PlayerError
from engine.moves import STOCK_DEAL_CODE, Action, action_of, code_of
from engine.position import Position
from engine.variants import DealOverEmpty, Variant

GROUP = "spidervet.players"
IDLE_LIMIT = 1000
"""A guest's game ends as `no-progress` after so many actions that turned up, finished and dealt nothing."""


@dataclass(frozen=True)
class View:
    """What a player sees.

    columns: left to right, deepest card first, None for a face-down card. stock: cards left in it.
    sequences: taken off so far. unseen: how many of each card lie face down or in the stock.
    actions: every legal action, in canonical order.
    """

    variant: Variant
    columns: tuple[tuple[Card | None, ...], ...]
    stock: int
    sequences: int
    unseen: Mapping[Card, int]
    actions: tuple[Action, ...]


class Guest(Protocol):
    """A player of one game."""

    def choose(self, view: View) -> Action | None:
        """An action of ``view.actions``, or None if nothing is worth doing."""
        ...


class GuestFactory(Protocol):
    """What the entry point names: a class or function. Options come as keyword arguments."""

    def __call__(self, variant: Variant, rng: int, **options: OptionValue) -> Guest: ...


@dataclass(frozen=True)
class GuestGame:
    """A finished game of a guest; fields as in `players.Game`."""

    ending: Ending
    moves: tuple[int, ...]
    stock_deals: int
    sequences: int
    seconds: float


@cache
def installed() -> Mapping[str, EntryPoint]:
    """Guests by name, in the order of their names. A name of a shipped level is refused."""
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    for point in found:
        if point.name in LEVELS:
            raise PlayerError("player", f"{point.value} takes the name of the shipped level {point.name!r}")
    return {point.name: point for point in found}


def factory(name: str) -> GuestFactory:
    """The factory behind a name. Raises PlayerError if there is none or it cannot be loaded."""
    known = installed()
    if name not in known:
        raise PlayerError("player", f"{name!r} is not one of {', '.join([*LEVELS, *known])}")
    try:
        loaded: GuestFactory = known[name].load()
    except Exception as error:
        raise PlayerError("player", f"{name!r} ({known[name].value}) cannot be loaded: {error}") from error
    return loaded


def view_of(variant: Variant, position: Position, codes: Sequence[int]) -> View:
    """A position as seen; codes: the legal actions."""
    hidden = [c for column, n in zip(position.columns, position.face_down, strict=True) for c in column[:n]]
    return View(
        variant,
        tuple((None,) * n + c[n:] for c, n in zip(position.columns, position.face_down, strict=True)),
        len(position.stock),
        position.off,
        dict(sorted(Counter([*hidden, *position.stock]).items())),
        tuple(action_of(code) for code in codes),
    )


def play_guest(
    variant: Variant, packed: bytes, guest: Guest, name: str, control: Control | None
) -> GuestGame | None:
    """One game, None if cancelled. Raises PlayerError if the guest wants what is not legal."""
    began = time.perf_counter()
    position = _core.Position(rules_of(variant), packed)
    moves: list[int] = []
    idle = 0
    while (ending := _ending(variant, position, len(moves))) is None:
        if control is not None and control.cancelled:
            return None
        codes = position.legal_moves()
        before = Position.unpacked(position.packed())
        action = guest.choose(view_of(variant, before, codes)) if idle < IDLE_LIMIT else None
        if action is None:
            ending = Ending.DEAD if position.dead() else Ending.NO_PROGRESS
            break
        code = code_of(action, variant)
        if code not in codes:
            raise PlayerError("player", f"{name} wants the illegal action {action} in\n{before.shown()}")
        position.apply(code)
        moves.append(code)
        after = Position.unpacked(position.packed())
        same = (after.hidden, after.off, len(after.stock)) == (before.hidden, before.off, len(before.stock))
        idle = idle + 1 if same else 0
    deals = moves.count(STOCK_DEAL_CODE)
    return GuestGame(ending, tuple(moves), deals, position.sequences, time.perf_counter() - began)


def _ending(variant: Variant, position: _core.Position, moves: int) -> Ending | None:
    if position.won:
        return Ending.WON
    if position.stuck:
        return Ending.STUCK
    table = Position.unpacked(position.packed()).on_table
    strict = variant.stock_deal_over_empty is DealOverEmpty.FORBIDDEN
    if strict and position.stock > 0 and table < len(variant.columns):
        return Ending.DEAD
    if variant.move_limit is not None and moves >= variant.move_limit:
        return Ending.DEAD if position.dead() else Ending.MOVE_LIMIT
    return None
