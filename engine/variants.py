"""A game is one frozen record of rule fields; this module holds the record, the named ones, and `resolve`.

The rule sources disagree in places; every such place is a field with all its values, never a
fork of the code. `docs/rules.md` cites the sources. Nothing here plays: see `game`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from engine.words import counted

MAX_COLUMNS = 16
MAX_RANKS = 13
MAX_LIMIT = 1_000_000
"""Largest ``move_limit`` and ``undo_limit``."""

NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9.+_-]{0,63}")
"""What a variant may be called: it stands in URLs, file names and deal identities."""


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

    @property
    def label(self) -> str:
        """The name, and for a game that is not a named one the key behind it: ``relaxed~1a2b3c4d5e``."""
        return self.name if NAMED.get(self.name) == self else f"{self.name}~{self.key}"


def _validate(v: Variant) -> None:
    if not NAME_PATTERN.fullmatch(v.name):
        raise VariantError(
            "name", f"{v.name!r} is not a name: 1 to 64 of a-z 0-9 . + _ -, the first a letter or a digit"
        )
    if v.decks not in (1, 2):
        raise VariantError("decks", f"{v.decks} is not 1 or 2")
    if v.suits not in (1, 2, 4):
        raise VariantError("suits", f"{v.suits} is not 1, 2 or 4")
    if not 2 <= v.ranks <= MAX_RANKS:
        raise VariantError("ranks", f"{v.ranks} is not between 2 and {MAX_RANKS}")
    _validate_layout(v)
    for field, least in (("move_limit", 1), ("undo_limit", 0)):
        limit = getattr(v, field)
        if limit is not None and not least <= limit <= MAX_LIMIT:
            raise VariantError(field, f"{limit} is not null or between {least} and {MAX_LIMIT}")


def _validate_layout(v: Variant) -> None:
    if not 2 <= len(v.columns) <= MAX_COLUMNS:
        raise VariantError("columns", f"{counted(len(v.columns), 'column')}; a game has 2 to {MAX_COLUMNS}")
    if len(v.face_down) != len(v.columns):
        raise VariantError(
            "face_down", f"{counted(len(v.face_down), 'entry', 'entries')} for {len(v.columns)} columns"
        )
    for i, (n, down) in enumerate(zip(v.columns, v.face_down, strict=True), 1):
        if n < 0:
            raise VariantError("columns", f"column {i} holds {n} cards")
        if not 0 <= down <= max(0, n - 1):
            raise VariantError(
                "face_down",
                f"column {i} has {down} of {counted(n, 'card')} face down; its end must be face up",
            )
    if sum(v.columns) == 0:
        raise VariantError("columns", "no card on the table")
    if v.stock < 0:
        raise VariantError("columns", f"{counted(sum(v.columns), 'card')} dealt, but the game has {v.cards}")
    fault = _stock_fault(v)
    if fault:
        raise VariantError("stock_deal_over_empty", f"the stock could never be dealt: {fault}")


def _stock_fault(v: Variant) -> str | None:
    """Why the strict rule keeps the stock for ever, where the layout alone shows it. Cards never come back to
    the table, and only the stock brings more."""
    if not v.stock or v.stock_deal_over_empty is not DealOverEmpty.FORBIDDEN:
        return None
    table, gaps = sum(v.columns), v.columns.count(0)
    if table < len(v.columns):
        cards = counted(table, "card")
        return f"{cards} on the table for {len(v.columns)} columns, and no deal goes over empty ones"
    if gaps and v.empty_column_accepts is EmptyAccepts.NOTHING:
        first = v.columns.index(0) + 1
        return f"column {first} starts empty, nothing may fill it and no deal goes over an empty column"
    if gaps > v.sequences and v.empty_column_accepts is EmptyAccepts.KINGS:
        return f"{gaps} columns start empty, only kings fill them, and the game has {v.sequences}"
    return None


def _diagonal(n: int) -> tuple[int, ...]:
    return tuple(range(1, n + 1))


def _named() -> dict[str, Variant]:
    """The rows of docs/rules.md's table of games, in its order."""
    spider = {"decks": 2, "columns": (6,) * 4 + (5,) * 6, "face_down": (5,) * 4 + (4,) * 6}
    families: list[tuple[str, dict[str, Any]]] = [
        ("spider", spider),
        ("spider44", {"decks": 2, "columns": (5,) * 4 + (4,) * 6, "face_down": (4,) * 4 + (3,) * 6}),
        ("spider50", {"decks": 2, "columns": (5,) * 10, "face_down": (4,) * 10}),
        ("spiderette", {"decks": 1, "columns": _diagonal(7), "face_down": tuple(range(7))}),
        ("will-o-the-wisp", {"decks": 1, "columns": (3,) * 7, "face_down": (2,) * 7}),
        ("simple-simon", {"decks": 1, "columns": (8, 8, 8, 7, 6, 5, 4, 3, 2, 1), "face_down": (0,) * 10}),
    ]
    scorpion: dict[str, Any] = {
        "suits": 4,
        "build": Build.SAME_SUIT,
        "group_move": GroupMove.ANY_FACE_UP,
        "empty_column_accepts": EmptyAccepts.KINGS,
        "stock_deal_over_empty": DealOverEmpty.ALLOWED,
    }
    sevens: dict[str, Any] = {"decks": 1, "columns": (7,) * 7} | scorpion
    out = [Variant(f"{name}-{suits}", suits=suits, **f) for name, f in families for suits in (1, 2, 4)]
    out.insert(9, Variant("black-widow", suits=4, group_move=GroupMove.ANY_SUIT, **spider))  # type: ignore[arg-type]
    out.append(Variant("scorpion", face_down=(3,) * 4 + (0,) * 3, **sevens))
    out.append(Variant("scorpion-ii", face_down=(3,) * 3 + (0,) * 4, **sevens))
    out.append(
        Variant("double-scorpion", decks=2, columns=(10,) * 10, face_down=(4,) * 5 + (0,) * 5, **scorpion)
    )
    return {v.name: v for v in out}


NAMED: Mapping[str, Variant] = MappingProxyType(_named())
"""Every named variant by its own name."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {name.removesuffix("-4"): name for name in NAMED if name.endswith("-4")}
    | {
        "solitaire-plus-easy": "spider44-1",
        "solitaire-plus-medium": "spider44-2",
        "solitaire-plus-challenging": "spider44-4",
    }
)
"""Other names of named variants; a name without a number is the four-suit game."""

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "tavern": MappingProxyType(
            {
                "whole_column_to_empty": WholeColumn.FORBIDDEN,
                "scoring": Scoring.WINDOWS_FLOOR,
                "undo_limit": 200,
            }
        ),
        "recorded": MappingProxyType(
            {
                "stock_deal_over_empty": DealOverEmpty.WHEN_SHORT,
                "move_limit": 3000,
                "scoring": Scoring.NONE,
            }
        ),
    }
)
"""Table games of the sources [D] and [E], as fields to lay over any variant."""

_ENUMS: Mapping[str, type[StrEnum]] = MappingProxyType(
    {
        "build": Build,
        "group_move": GroupMove,
        "stock_deal_over_empty": DealOverEmpty,
        "sequence_removal": Removal,
        "empty_column_accepts": EmptyAccepts,
        "whole_column_to_empty": WholeColumn,
        "scoring": Scoring,
    }
)
_FIELDS = tuple(f.name for f in dataclasses.fields(Variant))
_REQUIRED = tuple(f.name for f in dataclasses.fields(Variant) if f.default is dataclasses.MISSING)


def resolve(spec: Variant | str | Mapping[str, Any]) -> Variant:
    """The variant that a name, a custom record or a full record asks for.

    A name is one of `NAMED` or `ALIASES`, optionally with presets behind it (``spider-4+tavern``) and the key
    behind that, which must then fit (`Variant.label`). A custom record is ``{"base": name, "name": ...,
    "presets": [...], changed fields ...}``: the base, then the presets in order, then the changed fields. A
    record without ``base`` carries at least name, decks, suits, columns and face_down, as `Variant.record`
    writes it. The result is validated as a whole.

    Raises VariantError, whose ``field`` is the key at fault ("variant" for the value itself).
    """
    if isinstance(spec, Variant):
        return spec
    if isinstance(spec, str):
        return _by_label(spec)
    if not isinstance(spec, Mapping):
        raise VariantError("variant", f"expected a name or a record, not {_shown(spec)}")
    for key in spec:
        if key not in (*_FIELDS, "base", "presets"):
            raise VariantError(str(key), f"no such rule field; there are {', '.join(_FIELDS)}, base, presets")
    return _custom(spec)


def _custom(spec: Mapping[str, Any]) -> Variant:
    changed = {key: _typed(key, value) for key, value in spec.items() if key in _FIELDS}
    presets = _presets(spec.get("presets", []))
    if "base" in spec:
        base = _by_name(spec["base"], "base")
        fields = {f: getattr(base, f) for f in _FIELDS}
        fields["name"] = "+".join([base.name, *presets])
        if any(key != "name" for key in changed):
            fields["name"] += "+custom"
    else:
        fields = {}
        for key in _REQUIRED:
            if key not in spec:
                raise VariantError(
                    key, "missing: a record without base gives name, decks, suits, columns, face_down"
                )
    for preset in presets:
        fields |= PRESETS[preset]
    variant = Variant(**(fields | changed))
    named = NAMED.get(ALIASES.get(variant.name, variant.name))
    if named is not None and dataclasses.replace(named, name=variant.name) != variant:
        raise VariantError("name", f"{variant.name!r} is a named game with other rules; choose another name")
    return named or variant


def _by_label(text: str) -> Variant:
    label, has_key, key = text.partition("~")
    name, *presets = label.split("+")
    variant = resolve({"base": name, "presets": presets}) if presets else _by_name(name, "variant")
    if has_key and key != variant.key:
        raise VariantError("variant", f"{_shown(label)} has the key {variant.key}, not {_shown(key)}")
    return variant


def _by_name(name: Any, field: str) -> Variant:
    if not isinstance(name, str):
        raise VariantError(field, f"expected the name of a variant, not {_shown(name)}")
    variant = NAMED.get(ALIASES.get(name, name))
    if variant is None:
        raise VariantError(field, f"no variant is named {_shown(name)}; there are {', '.join(NAMED)}")
    return variant


def _presets(value: Any) -> list[str]:
    if not isinstance(value, list | tuple):
        raise VariantError("presets", f"expected a list of names, not {_shown(value)}")
    said: dict[str, tuple[str, Any]] = {}
    for name in value:
        if not isinstance(name, str) or name not in PRESETS:
            raise VariantError("presets", f"{_shown(name)} is not one of {', '.join(PRESETS)}")
        for field, setting in PRESETS[name].items():
            other, before = said.setdefault(field, (name, setting))
            if before != setting:
                raise VariantError(
                    "presets", f"{other} and {name} disagree on {field}: {before} and {setting}"
                )
    if len(set(value)) != len(value):
        raise VariantError("presets", "a preset is named twice")
    return list(value)


def _typed(field: str, value: Any) -> Any:
    """A JSON value as the type of a field; ``false`` is no number. Raises VariantError."""
    if field in _ENUMS:
        choices = [str(c) for c in _ENUMS[field]]
        if not isinstance(value, str) or value not in choices:
            raise VariantError(field, f"{_shown(value)} is not one of {', '.join(choices)}")
        return _ENUMS[field](value)
    if field == "name":
        if not isinstance(value, str):
            raise VariantError(field, f"expected text, not {_shown(value)}")
        return value
    if field in ("columns", "face_down"):
        if not isinstance(value, list | tuple) or not all(_is_int(n) for n in value):
            raise VariantError(field, f"expected a list of whole numbers, one a column, not {_shown(value)}")
        return tuple(value)
    if not _is_int(value) and not (value is None and field in ("move_limit", "undo_limit")):
        raise VariantError(field, f"expected a whole number, not {_shown(value)}")
    return value


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
