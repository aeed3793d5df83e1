"""A game is one frozen record of rule fields; this module holds the record and the named ones.

The rule sources disagree in places; every such place is a field with all its values, never a
fork of the code. `docs/rules.md` cites the sources. Nothing here plays: see `game`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

MAX_COLUMNS = 16
MAX_RANKS = 13


class Build(StrEnum):
    """What may be placed on a card one rank higher."""

    ANY_SUIT = "any-suit"
    SAME_SUIT = "same-suit"


class GroupMove(StrEnum):
    """Which cards at a column's end lift together."""

    SAME_SUIT = "same-suit"
    ANY_SUIT = "any-suit"
    ANY_FACE_UP = "any-face-up"


class DealOverEmpty(StrEnum):
    """Whether the stock may be dealt while a column is empty."""

    FORBIDDEN = "forbidden"
    ALLOWED = "allowed"
    WHEN_SHORT = "allowed-when-short"


class Removal(StrEnum):
    """Whether a complete sequence leaves by itself or by the action ``remove``."""

    AUTOMATIC = "automatic"
    OPTIONAL = "optional"


class EmptyAccepts(StrEnum):
    """What may be placed into an empty column."""

    ANY = "any"
    KINGS = "kings"
    NOTHING = "nothing"


class WholeColumn(StrEnum):
    """Whether a column without face-down cards may move whole into an empty column."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"


class Scoring(StrEnum):
    """Score rules; `scoring` computes them."""

    WINDOWS = "windows"
    WINDOWS_FLOOR = "windows-floor"
    SOLITAIRE_PLUS = "solitaire-plus"
    NONE = "none"


class VariantError(ValueError):
    """A variant record that is not playable. ``field`` names the rule field at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True)
class Variant:
    """One game.

    columns: cards dealt to each column at the start, left to right.
    face_down: how many of each column's cards, deepest first, start face down.
    The stock is what is left of ``decks * 4 * ranks`` cards.
    """

    name: str
    decks: int
    suits: int
    columns: tuple[int, ...]
    face_down: tuple[int, ...]
    ranks: int = MAX_RANKS
    build: Build = Build.ANY_SUIT
    group_move: GroupMove = GroupMove.SAME_SUIT
    stock_deal_over_empty: DealOverEmpty = DealOverEmpty.FORBIDDEN
    sequence_removal: Removal = Removal.AUTOMATIC
    empty_column_accepts: EmptyAccepts = EmptyAccepts.ANY
    whole_column_to_empty: WholeColumn = WholeColumn.ALLOWED
    move_limit: int | None = None
    undo_limit: int | None = None
    scoring: Scoring = Scoring.WINDOWS

    def __post_init__(self) -> None:
        _validate(self)

    @property
    def cards(self) -> int:
        """Number of cards in the game."""
        return self.decks * 4 * self.ranks

    @property
    def stock(self) -> int:
        """Number of cards in the stock at the start."""
        return self.cards - sum(self.columns)

    @property
    def sequences(self) -> int:
        """Number of complete sequences that make a win."""
        return self.decks * 4

    def record(self) -> dict[str, Any]:
        """Every field, in JSON spelling and in the order of the class."""
        out: dict[str, Any] = {}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            out[f.name] = list(value) if isinstance(value, tuple) else value
        return out

    @cached_property
    def key(self) -> str:
        """Short identity of the rules: 10 hex digits over every field but the name."""
        rules = {k: v for k, v in self.record().items() if k != "name"}
        text = json.dumps(rules, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:10]


def _validate(v: Variant) -> None:
    if v.decks not in (1, 2):
        raise VariantError("decks", f"{v.decks} is not 1 or 2")
    if v.suits not in (1, 2, 4):
        raise VariantError("suits", f"{v.suits} is not 1, 2 or 4")
    if not 2 <= v.ranks <= MAX_RANKS:
        raise VariantError("ranks", f"{v.ranks} is not between 2 and {MAX_RANKS}")
    if not 2 <= len(v.columns) <= MAX_COLUMNS:
        raise VariantError("columns", f"{len(v.columns)} columns; a game has 2 to {MAX_COLUMNS}")
    if len(v.face_down) != len(v.columns):
        raise VariantError("face_down", f"{len(v.face_down)} entries for {len(v.columns)} columns")
    for i, (n, down) in enumerate(zip(v.columns, v.face_down, strict=True), 1):
        if n < 0:
            raise VariantError("columns", f"column {i} holds {n} cards")
        if not 0 <= down <= max(0, n - 1):
            raise VariantError(
                "face_down", f"column {i} has {down} of {n} cards face down; its end must be face up"
            )
    if v.stock < 0:
        raise VariantError("columns", f"{sum(v.columns)} cards dealt, but the game has {v.cards}")
    for field in ("move_limit", "undo_limit"):
        limit = getattr(v, field)
        if limit is not None and limit < (1 if field == "move_limit" else 0):
            raise VariantError(field, f"{limit} is too small")
