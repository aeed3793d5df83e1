"""A line of move codes played fast on the native rules, for scores of many games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine import _core
from engine.core import rules_of
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


def trail_of(variant: Variant, packed: bytes, codes: Iterable[int]) -> Trail:
    """Play move codes (`engine.core`) from a packed deal. Raises ValueError at the first illegal one."""
    native = _core.Position(rules_of(variant), packed)
    off = [native.sequences]
    for code in codes:
        native.apply(code)
        off.append(native.sequences)
    return Trail(tuple(off), Position.unpacked(native.packed()))
