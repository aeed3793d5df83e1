"""The random number generators of other programs, as endless iterators of their raw outputs."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.cards import Card, Suit


def microsoft(x: int) -> Iterator[int]:
    """The C run-time library's generator: x = 214013 x + 2531011; yields all of x >> 16 below 2^32, of which
    callers keep 15 or 16 bits."""
    while True:
        x = (x * 214013 + 2531011) & 0xFFFFFFFF
        yield x >> 16


def mt19937(seed: int) -> Iterator[int]:
    """32-bit outputs of the Mersenne Twister started by ``init_genrand`` (Matsumoto, Nishimura 2002).

    Python's own generator is the same twister; only its seeding differs, so its state is set by hand.
    """
    words = [seed]
    for i in range(1, 624):
        words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + i) & 0xFFFFFFFF)
    twister = random.Random()  # noqa: S311 - a deal, not a secret
    twister.setstate((3, (*words, 624), None))
    while True:
        yield twister.getrandbits(32)


def deck(suits: str, ranks_first: bool = False) -> list[Card]:
    """Thirteen cards of each suit letter: suit by suit, or rank by rank over the suits."""
    if ranks_first:
        return [Card(rank, Suit("SHDC".index(s))) for rank in range(1, 14) for s in suits]
    return [Card(rank, Suit("SHDC".index(s))) for s in suits for rank in range(1, 14)]
