"""Places in a text, and the error that every reader of this package raises."""

from __future__ import annotations

from typing import NamedTuple

MAX_BYTES = 1_000_000
"""Longer texts, in UTF-8, are refused unread."""


class Spot(NamedTuple):
    """A place in a text, both counted from 1."""

    line: int
    column: int


START = Spot(1, 1)


class FormatError(ValueError):
    """A text that cannot be read as what it should be; ``spot`` says where."""

    def __init__(self, message: str, spot: Spot = START) -> None:
        super().__init__(f"line {spot.line}, column {spot.column}: {message}")
        self.message = message
        self.spot = spot


class UnsayableError(ValueError):
    """A deal that a format has no words for."""


def shown(text: object, most: int = 40) -> str:
    """A value quoted for a message, cut to a sane length."""
    out = repr(text)
    return out if len(out) <= most else out[: most - 3] + "..."


def text_of(data: str | bytes) -> str:
    """Decode a file: UTF-8 with or without a byte order mark, else latin-1 (as PySolFC reads its boards).

    Raises FormatError for more than MAX_BYTES.
    """
    size = len(data.encode("utf-8", "surrogatepass")) if isinstance(data, str) else len(data)
    if size > MAX_BYTES:
        raise FormatError(f"{size:,} bytes; at most {MAX_BYTES:,} are read")
    text = data if isinstance(data, str) else _decoded(data)
    return text.removeprefix("\ufeff")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
