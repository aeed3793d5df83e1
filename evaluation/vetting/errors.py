"""What can go wrong for an editor or a player, in words; the API maps them to problems in one place."""

from __future__ import annotations


class VettingError(Exception):
    """Base of the others."""


class NotFoundError(VettingError):
    """No such calendar, day, candidate or run."""


class ChangedError(VettingError):
    """The day or calendar has another revision than the one that was looked at."""

    def __init__(self, what: str, expected: str, found: int) -> None:
        super().__init__(
            f"{what} has changed since you looked: it is at revision {found}, not {expected}; look again"
        )
        self.found = found


class WrongStepError(VettingError):
    """The day's state does not allow it."""


class WithdrawnError(VettingError):
    """The daily was taken back and has not been replaced."""


class ReplayRefusedError(VettingError):
    """A replay that does not count. entry: which one fails, counted from 1; None where it is no entry."""

    def __init__(self, message: str, entry: int | None = None, shown: str = "") -> None:
        super().__init__(message)
        self.entry = entry
        self.shown = shown


class TooManyError(VettingError):
    """More attempts than one player may send for a day."""
