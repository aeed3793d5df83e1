"""Numbers of things in words: the one place that knows singular from plural."""

from __future__ import annotations


def plural(number: float, what: str, many: str = "") -> str:
    """The word alone: ``card`` for one of them, else ``cards``. many: a plural that is not ``what`` + s."""
    return what if number == 1 else many or f"{what}s"


def counted(number: int, what: str, many: str = "") -> str:
    """``1 card``, ``0 cards``, ``12,000 cards``."""
    return f"{number:,} {plural(number, what, many)}"
