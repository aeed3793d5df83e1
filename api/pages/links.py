"""Games, cards and rules as short text for URLs, so that every view of a deal has a link of its own.

Nothing is stored: a link carries what it shows. Each text starts with its form's version.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Any

import orjson

from engine.layouts import Layout
from engine.moves import Entry, Resign, Undo, action_of, code_of
from engine.position import Position
from engine.variants import Variant, resolve

VERSION = "1"
UNDO_CODE, RESIGN_CODE = 0x8001, 0x8002
MAX_LINK = 6_000
"""Longest text that is put into a link; browsers, proxies and mail programs cut longer ones."""
MAX_PLAIN = 200_000
"""Most bytes that a text may unfold to."""


class LinkError(ValueError):
    """Text in a link that cannot be read."""


def pack_line(entries: Sequence[Entry], variant: Variant) -> str:
    """A game's entries as text. All high bytes first, then all low ones: that packs better."""
    codes = [_code(entry, variant) for entry in entries]
    return _pack(bytes([c >> 8 for c in codes]) + bytes([c & 255 for c in codes]))


def unpack_line(text: str) -> list[str]:
    """The entries in text form. Raises LinkError."""
    data = _unpack(text, "the game")
    half = len(data) // 2
    if len(data) % 2:
        raise LinkError("the game in this link cannot be read: it is cut off; copy the whole address")
    try:
        return [str(_entry(hi << 8 | lo)) for hi, lo in zip(data[:half], data[half:], strict=True)]
    except ValueError as error:
        raise LinkError(f"the game in this link cannot be read: {error}") from error


def pack_cards(layout: Layout) -> str:
    """The cards of a start position as text."""
    return _pack(layout.packed())


def unpack_cards(text: str) -> Layout:
    """The cards of a start position. Raises LinkError."""
    try:
        position = Position.unpacked(_unpack(text, "the deal"))
    except LinkError:
        raise
    except (ValueError, IndexError) as error:
        raise LinkError("the deal in this link cannot be read: its cards are no table of a game") from error
    return Layout(position.columns, position.face_down, position.stock)


def pack_rules(variant: Variant) -> str:
    """A variant's full record as text."""
    return _pack(orjson.dumps(variant.record()))


def unpack_rules(text: str) -> Variant:
    """The variant of a record. Raises LinkError; VariantError for a record that is no game."""
    try:
        record: Any = orjson.loads(_unpack(text, "the set of rules"))
    except orjson.JSONDecodeError as error:
        raise LinkError("the set of rules in this link cannot be read: it is no JSON object") from error
    return resolve(record)


def _code(entry: Entry, variant: Variant) -> int:
    if isinstance(entry, Undo):
        return UNDO_CODE
    if isinstance(entry, Resign):
        return RESIGN_CODE
    return code_of(entry, variant)


def _entry(code: int) -> Entry:
    if code == UNDO_CODE:
        return Undo()
    if code == RESIGN_CODE:
        return Resign()
    return action_of(code)


def _pack(data: bytes) -> str:
    return VERSION + base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


def _unpack(text: str, what: str) -> bytes:
    if not text.startswith(VERSION):
        begins = f"it begins with {text[:1]!r}, links made here with {VERSION!r}" if text else "it is empty"
        raise LinkError(f"{what} in this link cannot be read: {begins}")
    body = text[len(VERSION) :]
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unfold = zlib.decompressobj()
        data = unfold.decompress(packed, MAX_PLAIN)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise LinkError(
            f"{what} in this link cannot be read: it is damaged or cut off; copy the whole address"
        ) from error
    if unfold.unconsumed_tail or not unfold.eof:
        raise LinkError(
            f"{what} in this link cannot be read: it is too long or cut off; copy the whole address"
        )
    return data
