"""How games end, and which positions are dead: functions of the position alone.

A position is dead if actions are legal, but no line of actions can ever again turn up a card, finish a
sequence or deal from the stock; also, under the strict deal rule, if stock is left and fewer cards than
columns.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

from engine.cards import Card
from engine.game import legal_moves, played, stuck, won
from engine.moves import Tableau
from engine.position import Position
from engine.variants import DealOverEmpty, EmptyAccepts, Variant

DEAD_BOUND = 10_000
"""Positions that the search for a way out looks at before it says that it does not know."""


class Ending(StrEnum):
    """How a game ends (docs/rules.md)."""

    WON = "won"
    STUCK = "stuck"
    DEAD = "dead"
    NO_PROGRESS = "no-progress"
    MOVE_LIMIT = "move-limit"
    RESIGNED = "resigned"
    UNFINISHED = "unfinished"


class Outlook(StrEnum):
    """What the rules say of a position. UNKNOWN: the bounded search for progress hit its bound."""

    WON = "won"
    STUCK = "stuck"
    DEAD = "dead"
    ALIVE = "alive"
    UNKNOWN = "unknown"


def outlook(variant: Variant, position: Position, bound: int = DEAD_BOUND) -> Outlook:
    """Won, stuck, dead, alive or not known within ``bound`` positions; won is tested first.

    Breadth first over the positions that moves without progress reach, up to the order of columns: no stock
    deal lies between them, so the order cannot matter. Stops at the first progress.
    """
    if won(variant, position):
        return Outlook.WON
    if stuck(variant, position):
        return Outlook.STUCK
    if _row_out_of_reach(variant, position):
        return Outlook.DEAD
    if _row_in_reach(variant, position):
        return Outlook.ALIVE
    queue, seen = deque([position]), {_unordered(position)}
    while queue:
        current = queue.popleft()
        for action in legal_moves(variant, current):
            if not isinstance(action, Tableau):
                return Outlook.ALIVE
            after = played(variant, current, action)
            if after.hidden < current.hidden or after.off > current.off:
                return Outlook.ALIVE
            key = _unordered(after)
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > bound:
                return Outlook.UNKNOWN
            queue.append(after)
    return Outlook.DEAD


def _row_out_of_reach(variant: Variant, position: Position) -> bool:
    """Strict rule, stock left, fewer cards than columns: cards never come back to the table, so no row can
    ever be dealt, and a game whose stock stays is not won."""
    strict = variant.stock_deal_over_empty is DealOverEmpty.FORBIDDEN
    return strict and bool(position.stock) and position.on_table < len(position.columns)


def _row_in_reach(variant: Variant, position: Position) -> bool:
    """Stock left, at least as many cards as columns, and any card may go into an empty column: while a column
    is empty, some other holds two cards or more, and its end may always move there. So the gaps can be filled
    one by one and the row dealt, unless something better happens on the way."""
    fillable = variant.empty_column_accepts is EmptyAccepts.ANY
    return fillable and bool(position.stock) and position.on_table >= len(position.columns)


def _unordered(position: Position) -> tuple[tuple[tuple[Card, ...], int], ...]:
    return tuple(sorted(zip(position.columns, position.face_down, strict=True)))
