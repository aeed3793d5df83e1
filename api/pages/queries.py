"""What a page's address says, read so that faults name what is allowed, in words of our own."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from api.pages.render import PageError

Member = TypeVar("Member", bound=StrEnum)
SHOWN = 40
"""Most characters of a faulty value that a page repeats."""


def whole(text: str, name: str, title: str, status: int = 400) -> int:
    """A whole number from 0 in ASCII digits. Raises PageError with that title."""
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise PageError(status, title, f"“{name}” is {text[:SHOWN]!r}: a whole number from 0, please.")
    return int(text)


def one_of(kind: type[Member], text: str, name: str, title: str, status: int = 400) -> Member:
    """A member by its value. Raises PageError with that title, listing the values."""
    try:
        return kind(text)
    except ValueError:
        allowed = ", ".join(member.value for member in kind)
        detail = f"“{name}” is {text[:SHOWN]!r}: one of {allowed}, please."
        raise PageError(status, title, detail) from None
