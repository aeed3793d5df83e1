"""A position of the reference game: what lies where, and nothing about how it came about.

Positions are values: equal cards in equal places are the same position, whatever was played or undone before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.cards import Card
from engine.layouts import Layout, pack


@dataclass(frozen=True, slots=True)
class Position:
    """Where every card lies.

    columns, face_down, stock: as in `layouts.Layout`. off: sequences that have left the table. The end of a
    column is never face down.
    """

    columns: tuple[tuple[Card, ...], ...]
    face_down: tuple[int, ...]
    stock: tuple[Card, ...] = ()
    off: int = 0

    @classmethod
    def of(cls, layout: Layout) -> Position:
        """The cards of a layout as they were dealt, complete sequences still lying."""
        return cls(layout.columns, layout.face_down, layout.stock)

    @property
    def on_table(self) -> int:
        """Number of cards in the columns."""
        return sum(map(len, self.columns))

    @property
    def hidden(self) -> int:
        """Number of face-down cards in the columns."""
        return sum(self.face_down)

    def packed(self) -> bytes:
        """The bytes the native core reads (`engine.core`)."""
        return pack(self.columns, self.face_down, self.stock, self.off)

    @classmethod
    def unpacked(cls, packed: Sequence[int]) -> Position:
        """The position of a packed one. Raises ValueError for bytes that are none."""
        try:
            count, off, stock = packed[:3]
            lengths, down = packed[3 : 3 + count], packed[3 + count : 3 + 2 * count]
            cards = [Card.from_code(code) for code in packed[3 + 2 * count :]]
        except ValueError as error:
            raise ValueError(f"no packed position: {error}") from error
        if len(down) != count or len(cards) != sum(lengths) + stock:
            raise ValueError(f"no packed position: {len(packed)} bytes do not fit its counts")
        columns, at = [], 0
        for length in lengths:
            columns.append(tuple(cards[at : at + length]))
            at += length
        return cls(tuple(columns), tuple(down), tuple(cards[at:]), off)

    def shown(self) -> str:
        """One line a column, deepest card first, face-down cards as ``??``; then stock and sequences off.
        Says nothing that a player could not see."""
        lines = []
        for i, (column, down) in enumerate(zip(self.columns, self.face_down, strict=True), 1):
            cards = ["??"] * down + [str(card) for card in column[down:]]
            lines.append(f"{i:>2}: {' '.join(cards)}".rstrip())
        return "\n".join([*lines, f"stock {len(self.stock)}, sequences off {self.off}"])
