"""PySolFC's numbers (3.6.1). docs/deals.md describes them; its own layouts are the test vectors."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from engine.cards import Card
from engine.layouts import Layout
from engine.schemes.generators import deck, microsoft
from engine.schemes.tables import SPIDER_TEN, full_rows, laid, variant_rows
from engine.variants import Variant

FIRST, LAST = 1, 10**20
MICROSOFT_LAST = 2**33 - 1
PLAIN_MICROSOFT = range(1, 32000)
"""Numbers that mean the Microsoft generator without the prefix ``ms``."""

VARIANTS = (
    "spider-1",
    "spider-2",
    "spider-4",
    "black-widow",
    "spiderette-4",
    "will-o-the-wisp-4",
    "simple-simon-4",
    "scorpion",
    "scorpion-ii",
    "double-scorpion",
)


def deal(seed: str, variant: Variant) -> Layout:
    """seed: canonical, ``12345`` or ``ms100000``."""
    number = int(seed.removeprefix("ms"))
    by_microsoft = seed.startswith("ms") or number in PLAIN_MICROSOFT
    cards = _deck(variant, by_microsoft)
    _shuffle(cards, _microsoft(number) if by_microsoft else _python(number))
    return laid(cards[::-1], _rows(variant), variant)


def _deck(variant: Variant, by_microsoft: bool) -> list[Card]:
    """Deck by deck C S H D; with fewer suits C C C C or C C H H, whose clubs are our spades. Only the
    Microsoft generator with one deck takes it rank by rank, C D H S."""
    if variant.decks == 1 and by_microsoft:
        return deck("CDHS", ranks_first=True)
    letters = {4: "CSHD", 2: "SSHH", 1: "SSSS"}[variant.suits]
    return deck(letters * variant.decks)


def _shuffle(cards: list[Card], randint: Callable[[int], int]) -> None:
    for n in range(len(cards) - 1, 0, -1):
        j = randint(n)
        cards[n], cards[j] = cards[j], cards[n]


def _microsoft(seed: int) -> Callable[[int], int]:
    """randint(0, n) from the Microsoft generator; larger seeds keep more bits."""
    outputs = microsoft(seed % 2**32)

    def randint(n: int) -> int:
        x = next(outputs)
        if seed >= 2**32:
            return ((x & 0xFFFF) + 1) % (n + 1)
        r = x & 0x7FFF
        return (r | 0x8000 if seed >= 2**31 else r) % (n + 1)

    return randint


def _python(seed: int) -> Callable[[int], int]:
    """randint(0, n) as PySolFC takes it from Python's Mersenne Twister."""
    twister = random.Random(seed)  # noqa: S311 - a deal, not a secret
    return lambda n: int(twister.random() * (n + 1))


def _rows(variant: Variant) -> list[Sequence[int]]:
    if sum(variant.columns) == 54 and len(variant.columns) == 10:
        return [*full_rows(10, 4), SPIDER_TEN, range(10)]
    if variant.columns == tuple(range(1, 8)):
        return [*(range(k, 7) for k in range(1, 7)), range(7)]
    if variant.columns[0] == 8:
        return [*(range(k) for k in range(9, 2, -1)), range(10)]
    return variant_rows(variant)
