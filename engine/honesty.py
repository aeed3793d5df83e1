"""Whether a player is honest: no unseen card may change what it does before the next card is shown.

A proof by trial: the unseen cards of a position are shuffled, the player starts from each shuffle, and all
must play the same actions up to and with the first that shows a card. Works on every player that
`engine.players` knows, guests included.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from engine import _core
from engine.core import rules_of
from engine.variants import Variant

Player = Callable[[Sequence[bytes]], Sequence[Sequence[int]]]
"""Plays packed positions to the end and returns each one's move codes."""


def unseen_places(packed: bytes) -> list[int]:
    """Where the cards that lie face down or in the stock stand in a packed position: indices of its bytes."""
    columns = packed[0]
    sizes, down = packed[3 : 3 + columns], packed[3 + columns : 3 + 2 * columns]
    places: list[int] = []
    at = 3 + 2 * columns
    for size, hidden in zip(sizes, down, strict=True):
        places += range(at, at + hidden)
        at += size
    return places + list(range(at, len(packed)))


def shuffled(packed: bytes, seed: int) -> bytes:
    """The same position with its unseen cards in another order."""
    places, cards = unseen_places(packed), bytearray(packed)
    order = [cards[i] for i in places]
    random.Random(seed).shuffle(order)  # noqa: S311 - a test's shuffle, no secret
    for place, card in zip(places, order, strict=True):
        cards[place] = card
    return bytes(cards)


def reveals(variant: Variant, packed: bytes, moves: Sequence[int]) -> list[tuple[int, bytes]]:
    """After how many of the moves a card was shown, each with the packed position then."""
    position = _core.Position(rules_of(variant), packed)
    unseen, out = len(unseen_places(packed)), []
    for n, move in enumerate(moves, 1):
        position.apply(move)
        now = position.packed()
        left = len(unseen_places(now))
        if left < unseen:
            out.append((n, now))
        unseen = left
    return out


def decisions_agree(variant: Variant, packed: bytes, play: Player, shuffles: int = 3) -> bool:
    """Whether the player does the same up to the next reveal whatever the unseen cards are."""
    worlds = [packed, *(shuffled(packed, seed) for seed in range(shuffles))]
    openings = set()
    for world, moves in zip(worlds, play(worlds), strict=True):
        shown = reveals(variant, world, moves)
        openings.add(tuple(moves[: shown[0][0]] if shown else moves))
    return len(openings) == 1


def first_fault(
    variant: Variant, packed: bytes, play: Player, moments: int = 4, shuffles: int = 3
) -> bytes | None:
    """Check a player along one of its own games: at the start and at some moments after a reveal.

    Returns the first packed position where unseen cards changed a decision, or None if it seems honest.
    """
    [moves] = play([packed])
    after = [position for _, position in reveals(variant, packed, moves)]
    step = max(1, len(after) // max(1, moments))
    for position in [packed, *after[::step][:moments]]:
        if not decisions_agree(variant, position, play, shuffles):
            return position
    return None
