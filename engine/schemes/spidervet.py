"""The project's own numbering, fixed for ever under its name; docs/deals.md gives it to the bit.

One seed is one order of the full 52 or 104 cards, whatever the variant: suits fold and ranks drop
afterwards, and each variant's layout slices the same order. That makes comparisons between variants paired.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import Card, Suit
from engine.layouts import Layout, row_by_row
from engine.variants import Variant

MASK = 2**64 - 1


def splitmix64(state: int) -> Iterator[int]:
    """SplitMix64 (Steele, Lea, Flood 2014; Vigna's constants): endless 64-bit outputs."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def xoshiro256ss(seed: int) -> Iterator[int]:
    """xoshiro256** 1.0 (Blackman, Vigna 2018); its words are the seed's first four SplitMix64 outputs."""
    return xoshiro256ss_from(splitmix64(seed))


def xoshiro256ss_from(words: Iterator[int]) -> Iterator[int]:
    """Endless 64-bit outputs from the state that the first four words make."""
    a, b, c, d = (next(words) for _ in range(4))
    while True:
        yield _rotl(b * 5 & MASK, 7) * 9 & MASK
        t = b << 17 & MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= t
        d = _rotl(d, 45)


def _rotl(x: int, k: int) -> int:
    return (x << k | x >> (64 - k)) & MASK


def bounded(outputs: Iterator[int], n: int) -> int:
    """A number from 0 to n-1, each equally likely: outputs at or above the last multiple of n are skipped."""
    limit = 2**64 - 2**64 % n
    return next(x for x in outputs if x < limit) % n


def permutation(seed: int, decks: int) -> list[Card]:
    """The order of all 52 × decks cards for a seed (0 to 2^64-1); index 0 is dealt first."""
    outputs = xoshiro256ss(seed)
    cards = [Card(rank, suit) for _ in range(decks) for suit in Suit for rank in range(1, 14)]
    for i in range(len(cards) - 1, 0, -1):
        j = bounded(outputs, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def deal(seed: int, variant: Variant) -> Layout:
    """The layout of a seed under any variant, named or custom."""
    order = permutation(seed, variant.decks)
    folded = (Card(c.rank, Suit(c.suit % variant.suits)) for c in order if c.rank <= variant.ranks)
    return row_by_row(folded, variant)
