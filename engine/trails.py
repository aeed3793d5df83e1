"""What the native rules do faster than the reference, with the same answers: scores of lines, outlooks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine import _core
from engine.core import rules_of
from engine.endings import DEAD_BOUND, Outlook
from engine.position import Position
from engine.scoring import score
from engine.variants import Scoring, Variant


@dataclass(frozen=True)
class Trail:
    """What scores need to know of a game without undo.

    off: sequences off the table at the start and after every action. last: the position at the end.
    """

    off: tuple[int, ...]
    last: Position

    def score(self, scoring: Scoring, variant: Variant) -> int | None:
        """The points under one scoring; None under ``none``."""
        return score(scoring, variant, self.off, self.last)


def fast_outlook(variant: Variant, position: Position, bound: int = DEAD_BOUND) -> Outlook:
    """The same as `endings.outlook`, some hundred times as fast."""
    native = _core.Position(rules_of(variant), position.packed())
    if native.won:
        return Outlook.WON
    if native.stuck:
        return Outlook.STUCK
    return {True: Outlook.DEAD, False: Outlook.ALIVE, None: Outlook.UNKNOWN}[native.dead(bound)]


def trail_of(variant: Variant, packed: bytes, codes: Iterable[int]) -> Trail:
    """Play move codes (`engine.core`) from a packed deal. Raises ValueError at the first illegal one."""
    native = _core.Position(rules_of(variant), packed)
    off = [native.sequences]
    for code in codes:
        native.apply(code)
        off.append(native.sequences)
    return Trail(tuple(off), Position.unpacked(native.packed()))
