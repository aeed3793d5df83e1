"""Cards: rank, suit, their two-letter names and their one-byte codes.

A card is two small enums. The byte form (`Card.code`) is what crosses into the native core:
``suit << 4 | rank``, so an Ace of spades is 0x01 and a King of clubs 0x3D.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

RANK_LETTERS = "?A23456789TJQK"
SUIT_LETTERS = "SHDC"


class Suit(IntEnum):
    """Suits in the project's order; folding to two suits keeps the first two, to one the first."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def letter(self) -> str:
        return SUIT_LETTERS[self]


class Card(NamedTuple):
    """One card. ``rank`` is 1 (Ace) to 13 (King)."""

    rank: int
    suit: Suit

    @property
    def code(self) -> int:
        """The byte the native core uses: ``suit << 4 | rank``."""
        return self.suit << 4 | self.rank

    def __str__(self) -> str:
        return RANK_LETTERS[self.rank] + SUIT_LETTERS[self.suit]

    @classmethod
    def from_code(cls, code: int) -> Card:
        """The card of a byte. Raises ValueError for a byte that is no card."""
        rank = code & 15
        if not 1 <= rank <= 13 or not 0 <= code < 64:
            raise ValueError(f"{code} is not a card code")
        return cls(rank, Suit(code >> 4))

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read ``TD``, ``10D`` or ``td``. Raises ValueError naming the text."""
        folded = text.upper()
        if folded.startswith("10"):
            folded = "T" + folded[2:]
        if len(folded) == 2:
            rank, suit = RANK_LETTERS.find(folded[0]), SUIT_LETTERS.find(folded[1])
            if rank >= 1 and suit >= 0:
                return cls(rank, Suit(suit))
        raise ValueError(f"{text!r} is not a card: expected a rank A23456789TJQK and a suit S, H, D or C")
