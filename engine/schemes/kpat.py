"""KPatience's numbers (22.12): Spider's own; Simple Simon's are PySolFC's Microsoft numbers."""

from __future__ import annotations

from engine.cards import Card
from engine.layouts import Layout
from engine.schemes import pysolfc
from engine.schemes.generators import deck, microsoft
from engine.schemes.tables import full_rows, laid
from engine.variants import Variant

FIRST, LAST = 1, 2**31 - 1
"""What its dialog for numbered deals takes."""

VARIANTS = ("spider-1", "spider-2", "spider-4", "simple-simon-4")


def deck_in_order(suits: int) -> list[Card]:
    """Its two packs before the shuffle: pack by pack, rank by rank. A card's place here is part of the number
    that its saved games give the card."""
    return deck({4: "CDHS", 2: "HSHS", 1: "SSSS"}[suits], ranks_first=True) * 2


def deal(seed: str, variant: Variant) -> Layout:
    if variant.decks == 1:
        return pysolfc.deal(f"ms{seed}", variant)
    cards = deck_in_order(variant.suits)
    outputs = microsoft(int(seed))
    for i in range(len(cards), 1, -1):
        j = (next(outputs) & 0x7FFF) % i
        cards[i - 1], cards[j] = cards[j], cards[i - 1]
    layout = laid(cards[::-1], [*full_rows(10, 5), range(4)], variant)
    piles = [layout.stock[i : i + 10] for i in range(0, 50, 10)]
    stock = tuple(card for pile in piles for card in reversed(pile))
    return Layout(layout.columns, layout.face_down, stock)
