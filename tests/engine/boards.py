"""Positions written out in tests, and a board that plays them on reference and native rules at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from engine import _core
from engine.cards import Card
from engine.core import rules_of
from engine.endings import Outlook, outlook
from engine.game import IllegalMoveError, apply, legal_moves, start, stuck, why_illegal, won
from engine.layouts import Layout
from engine.moves import Action, Resign, Undo, code_of, parse_move
from engine.position import Position
from engine.variants import Variant, resolve


def run(suit: str, first: str = "K", last: str = "A") -> str:
    """A same-suit run as text: ``run("S", "K", "T")`` is ``KS QS JS TS``."""
    ranks = "KQJT98765432A"
    return " ".join(rank + suit for rank in ranks[ranks.index(first) : ranks.index(last) + 1])


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(token.strip("()")) for token in text.split())


def position(columns: Sequence[str], stock: str = "", off: int = 0) -> Position:
    """columns: ``"(KS) QS"``, deepest first, face-down cards in brackets."""
    down = tuple(column.count("(") for column in columns)
    return Position(tuple(cards(column) for column in columns), down, cards(stock), off)


def variant_for(columns: Sequence[str], base: str = "spider-4", **changed: Any) -> Variant:
    """The base game with as many columns as a fragment has."""
    shape = {"columns": [1] * len(columns), "face_down": [0] * len(columns)}
    return resolve({"name": "fragment", "base": base, **shape, **changed})


class Board:
    """A position under test. Every action is played on both implementations, which must agree throughout."""

    def __init__(self, variant: Variant, where: Position) -> None:
        self.variant = variant
        layout = Layout(where.columns, where.face_down, where.stock)
        first = start(variant, layout)
        self.past = [Position(first.columns, first.face_down, first.stock, first.off + where.off)]
        self.native = _core.Position(rules_of(variant), where.packed())
        self.agree()

    @property
    def now(self) -> Position:
        return self.past[-1]

    def agree(self) -> None:
        moves = legal_moves(self.variant, self.now)
        assert [code_of(move, self.variant) for move in moves] == self.native.legal_moves()
        assert self.native.packed() == self.now.packed()
        assert self.native.won == won(self.variant, self.now)
        assert self.native.stuck == stuck(self.variant, self.now)
        assert all(why_illegal(self.variant, self.now, move) is None for move in moves)

    @property
    def moves(self) -> list[str]:
        return [str(move) for move in legal_moves(self.variant, self.now)]

    def play(self, *texts: str) -> Board:
        for text in texts:
            entry = parse_move(text)
            if isinstance(entry, Undo):
                self.past.pop()
                self.native.undo()
            else:
                assert not isinstance(entry, Resign)
                self.past.append(apply(self.variant, self.now, entry))
                self.native.apply(code_of(entry, self.variant))
            self.agree()
        return self

    def refused(self, text: str) -> str:
        """The reason for which a move is refused, after both have refused it."""
        entry = parse_move(text)
        assert isinstance(entry, Action)
        with pytest.raises(IllegalMoveError) as caught:
            apply(self.variant, self.now, entry)
        with pytest.raises(ValueError, match="illegal move"):
            self.native.apply(code_of(entry, self.variant))
        return str(caught.value)

    def outlook(self, bound: int = 2000) -> Outlook:
        verdict = outlook(self.variant, self.now, bound)
        native = self.native.dead(bound)
        assert native == {Outlook.DEAD: True, Outlook.UNKNOWN: None}.get(verdict, False)
        return verdict

    def column(self, number: int) -> str:
        """A column's cards, counted from 1, as in `position`."""
        column, down = self.now.columns[number - 1], self.now.face_down[number - 1]
        return " ".join(f"({card})" if i < down else str(card) for i, card in enumerate(column))


def board(
    columns: Sequence[str],
    stock: str = "",
    off: int = 0,
    base: str = "spider-4",
    **changed: Any,
) -> Board:
    """A fragment of a full deck under a base game with changed rule fields."""
    return Board(variant_for(columns, base, **changed), position(columns, stock, off))
