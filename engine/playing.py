"""A game being played on the reference rules: its history, undo, resignation and end."""

from __future__ import annotations

from engine.endings import Ending, Outlook, outlook
from engine.game import IllegalMoveError, apply, start, won
from engine.layouts import Layout
from engine.moves import Action, Entry, Resign, Undo
from engine.position import Position
from engine.variants import Variant
from engine.words import counted


class Game:
    """One game. ``trail`` holds the position at the start and after every action and undo, the present last.

    moves: actions played, those undone later included. undos: counted apart. length: actions that stand.
    stock_deals: those that stand.
    """

    def __init__(self, variant: Variant, layout: Layout) -> None:
        self.variant = variant
        self.trail: list[Position] = [start(variant, layout)]
        self.moves = 0
        self.undos = 0
        self.resigned = False
        self._past: list[Position] = []  # what undo can bring back, the latest last

    @property
    def position(self) -> Position:
        return self.trail[-1]

    @property
    def won(self) -> bool:
        return won(self.variant, self.position)

    @property
    def length(self) -> int:
        return self.moves - self.undos

    @property
    def stock_deals(self) -> int:
        at_start, now = len(self.trail[0].stock), len(self.position.stock)
        return -(-(at_start - now) // len(self.position.columns))

    @property
    def at_limit(self) -> bool:
        """Whether as many actions as the variant allows have been played."""
        return self.variant.move_limit is not None and self.moves >= self.variant.move_limit

    def enter(self, entry: Entry) -> None:
        """Play an action, undo or resign. Raises IllegalMoveError with the reason and changes nothing."""
        if self.won:
            raise IllegalMoveError("the game is already won")
        if self.resigned:
            raise IllegalMoveError("the game has been resigned")
        if isinstance(entry, Resign):
            self.resigned = True
        elif isinstance(entry, Undo):
            self._undo()
        else:
            self._play(entry)

    def _play(self, action: Action) -> None:
        if self.at_limit:
            limit = counted(self.variant.move_limit or 0, "action")
            raise IllegalMoveError(f"the game is over: its limit of {limit} is reached")
        after = apply(self.variant, self.position, action)
        self._past.append(self.position)
        if self.variant.undo_limit is not None:
            del self._past[: -self.variant.undo_limit or None]
        self.trail.append(after)
        self.moves += 1

    def _undo(self) -> None:
        """One step back. With an undo limit, at most so many steps back from where play had got to."""
        if not self._past:
            limit = self.variant.undo_limit
            if limit == 0:
                raise IllegalMoveError("this game has no undo")
            if limit is not None and self.moves > self.undos:
                raise IllegalMoveError(f"undo goes back {counted(limit, 'action')} at most in this game")
            raise IllegalMoveError("there is nothing to undo")
        self.trail.append(self._past.pop())
        self.undos += 1

    def ending(self, verdict: Outlook | None = None) -> Ending:
        """How the game stands ended: won before anything else, then resigned, stuck, dead (proved within
        the bound), the move limit, and else unfinished. verdict: the present outlook, if it is known."""
        verdict = outlook(self.variant, self.position) if verdict is None else verdict
        if verdict is Outlook.WON:
            return Ending.WON
        if self.resigned:
            return Ending.RESIGNED
        if verdict in (Outlook.STUCK, Outlook.DEAD):
            return Ending(verdict.value)
        return Ending.MOVE_LIMIT if self.at_limit else Ending.UNFINISHED
