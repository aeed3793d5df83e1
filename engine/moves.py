"""Moves: as values, as text (``3>7x4``, ``deal``, ``remove 5``, ``undo``, ``resign``), as codes of the core.

Columns are counted from 0 in values and codes, from 1 in text. Whether a move is legal is `game`'s business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from engine.variants import MAX_COLUMNS, Variant

STOCK_DEAL_CODE = 0x8000


class MoveError(ValueError):
    """Text or a code that is no move."""


@dataclass(frozen=True, slots=True)
class Tableau:
    """Lift ``count`` cards off column ``source`` and put them on column ``target``."""

    source: int
    target: int
    count: int = 1

    def __str__(self) -> str:
        many = f"x{self.count}" if self.count != 1 else ""
        return f"{self.source + 1}>{self.target + 1}{many}"


@dataclass(frozen=True, slots=True)
class StockDeal:
    """Bring one row from the stock."""

    def __str__(self) -> str:
        return "deal"


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a complete sequence off a column by hand, where removal is optional."""

    column: int

    def __str__(self) -> str:
        return f"remove {self.column + 1}"


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last action back. No action itself."""

    def __str__(self) -> str:
        return "undo"


@dataclass(frozen=True, slots=True)
class Resign:
    """End a replay; the points so far count."""

    def __str__(self) -> str:
        return "resign"


Action = Tableau | StockDeal | Remove
"""What counts as a move in every figure."""
Entry = Action | Undo | Resign
"""What may stand in a replay."""

_WORDS: dict[str, Entry] = {str(word): word for word in (StockDeal(), Undo(), Resign())}
_TABLEAU = re.compile(r"([0-9]{1,3})>([0-9]{1,3})(?:x([0-9]{1,3}))?")
_REMOVE = re.compile(r"remove +([0-9]{1,3})")


def parse_move(text: str) -> Entry:
    """Read a move. Raises MoveError naming the text; says nothing about legality, but columns and counts
    start at 1."""
    stripped = text.strip()
    if stripped in _WORDS:
        return _WORDS[stripped]
    if match := _TABLEAU.fullmatch(stripped):
        source, target, count = (int(group or 1) for group in match.groups())
        if min(source, target, count) >= 1:
            return Tableau(source - 1, target - 1, count)
    elif (match := _REMOVE.fullmatch(stripped)) and int(match[1]) >= 1:
        return Remove(int(match[1]) - 1)
    shown = repr(text if len(text) <= 40 else text[:37] + "...")
    raise MoveError(
        f"{shown} is no move: expected 3>7, 3>7x4, deal, remove 5, undo or resign, columns from 1"
    )


def code_of(action: Action, variant: Variant) -> int:
    """The native core's 16 bits of an action (`engine.core`)."""
    if isinstance(action, StockDeal):
        return STOCK_DEAL_CODE
    if isinstance(action, Remove):
        return action.column << 11 | action.column << 7 | variant.ranks
    return action.source << 11 | action.target << 7 | action.count


@cache
def action_of(code: int) -> Action:
    """The action of a code, the same object each time. Raises MoveError for a number that is no code."""
    if code == STOCK_DEAL_CODE:
        return StockDeal()
    source, target, count = code >> 11, code >> 7 & 15, code & 127
    if not 0 <= code < STOCK_DEAL_CODE or source >= MAX_COLUMNS or count == 0:
        raise MoveError(f"{code} is no move code")
    return Remove(source) if source == target else Tableau(source, target, count)


def texts_of(codes: list[int] | tuple[int, ...]) -> list[str]:
    """Move codes as text."""
    return [str(action_of(code)) for code in codes]
