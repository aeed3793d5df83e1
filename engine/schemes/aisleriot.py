"""AisleRiot's numbers: the 32-bit seed of GLib's generator.

The program deals again, going on in the stream, until its hints find something to do. In the games dealt here
a hint always exists at the start (the stock can be dealt), so the first shuffle stands.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import Card
from engine.layouts import Layout
from engine.schemes.generators import deck, mt19937
from engine.schemes.tables import SPIDER_TEN, full_rows, laid, variant_rows
from engine.variants import Variant

FIRST, LAST = 0, 2**32 - 1
VARIANTS = ("spider-1", "spider-2", "spider-4", "spiderette-4", "will-o-the-wisp-4", "scorpion")


def deal(seed: str, variant: Variant) -> Layout:
    suits = {4: "CDHS", 2: "HSHS", 1: "SSSS"}[variant.suits]
    picks = _picked(deck(suits * variant.decks), mt19937(int(seed)))
    spider = [*full_rows(10, 5), SPIDER_TEN]
    return laid(picks[::-1], spider if variant.decks == 2 else variant_rows(variant), variant)


def _picked(cards: list[Card], outputs: Iterator[int]) -> list[Card]:
    """The program's forward shuffle: pick one of the rest, fill its place with the first of the rest."""
    out = []
    for i in range(len(cards)):
        j = i + _below(outputs, len(cards) - i)
        out.append(cards[j])
        cards[j] = cards[i]
    return out


def _below(outputs: Iterator[int], d: int) -> int:
    """GLib's g_rand_int_range(0, d): outputs past the last whole multiple of d are skipped."""
    left = 2**31 % d * 2
    left -= d if left >= d else 0
    return next(r for r in outputs if r <= 2**32 - 1 - left) % d
