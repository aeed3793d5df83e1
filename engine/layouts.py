"""A layout: which cards lie where when a game starts. No rules, no numbers; see `deals` for those.

The packed form (bytes) is what crosses into the native core; `engine.core` describes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.cards import Card, Suit
from engine.variants import Variant
from engine.words import counted


class LayoutError(ValueError):
    """Cards that are no start position of the variant; says what is wrong."""


@dataclass(frozen=True)
class Layout:
    """The cards of a start position.

    columns: left to right, each deepest card first. face_down: how many cards of each column, deepest
    first, are face down. stock: the first card leaves first, to the leftmost column.
    """

    columns: tuple[tuple[Card, ...], ...]
    face_down: tuple[int, ...]
    stock: tuple[Card, ...]

    def packed(self) -> bytes:
        """The bytes the native core reads, with no sequence off yet."""
        return pack(self.columns, self.face_down, self.stock, off=0)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every card: the columns left to right, then the stock."""
        return tuple(card for column in (*self.columns, self.stock) for card in column)


def pack(
    columns: Sequence[Sequence[Card]], face_down: Sequence[int], stock: Sequence[Card], off: int
) -> bytes:
    """A packed position (`engine.core`). off: sequences already off the table."""
    cards = [card.code for pile in (*columns, stock) for card in pile]
    return bytes([len(columns), off, len(stock), *map(len, columns), *face_down, *cards])


def row_by_row(order: Iterable[Card], variant: Variant) -> Layout:
    """Deal the variant's layout: rows left to right, each row one card to every column that is still
    short of its length; what is left is the stock, first card first [E]."""
    cards = iter(order)
    columns: list[list[Card]] = [[] for _ in variant.columns]
    for row in range(max(variant.columns)):
        for column, length in zip(columns, variant.columns, strict=True):
            if row < length:
                column.append(next(cards))
    return Layout(tuple(map(tuple, columns)), variant.face_down, tuple(cards))


def full_pack(variant: Variant) -> Counter[Card]:
    """How many of each card the variant is played with."""
    copies = variant.decks * 4 // variant.suits
    return Counter(
        {
            Card(rank, suit): copies
            for suit in list(Suit)[: variant.suits]
            for rank in range(1, variant.ranks + 1)
        }
    )


def fitted(variant: Variant, layout: Layout) -> Layout:
    """The layout, if it is a start position of the variant; columns may stand in another order than the
    variant's (some programs deal the longer columns elsewhere).

    Raises LayoutError: number or shape of columns, face-down marks, missing or surplus cards.
    """
    if len(layout.columns) != len(variant.columns):
        raise LayoutError(
            f"{counted(len(layout.columns), 'column')}; {variant.name} has {len(variant.columns)}"
        )
    check_pack(variant, layout.cards)
    shape = sorted(zip(map(len, layout.columns), layout.face_down, strict=True))
    wanted = sorted(zip(variant.columns, variant.face_down, strict=True))
    if [length for length, _ in shape] != [length for length, _ in wanted]:
        raise LayoutError(
            f"columns of {_listed(map(len, layout.columns))} cards; {variant.name} deals"
            f" {_listed(variant.columns)} (in any order)"
        )
    if shape != wanted:
        raise LayoutError(
            f"face-down cards {_listed(layout.face_down)} by column; {variant.name} deals"
            f" {_listed(variant.face_down)} (a custom variant can say otherwise)"
        )
    return layout


def check_pack(variant: Variant, cards: Iterable[Card]) -> None:
    """Raises LayoutError unless the cards are exactly the variant's pack."""
    wanted, held = full_pack(variant), Counter(cards)
    surplus, missing = held - wanted, wanted - held
    faults = [
        f"{what}: {_counted(these)}" for what, these in (("too many", surplus), ("missing", missing)) if these
    ]
    if faults:
        raise LayoutError(f"not the {variant.cards} cards of {variant.name}; " + "; ".join(faults))


def _counted(cards: Counter[Card]) -> str:
    shown = [f"{card}" if n == 1 else f"{n}×{card}" for card, n in sorted(cards.items())]
    return ", ".join(shown[:12]) + (f" and {len(shown) - 12} more" if len(shown) > 12 else "")


def _listed(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
