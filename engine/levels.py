"""What a level is made of: options with their ranges, and the values each level gives them.

A job lays its own options over a level's: ``{"player": "club", "width": 200}``. An option that does not
exist, or a value out of range, is an error that names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine import _core
from engine.variants import Variant
from engine.weights import hand_weights


class PlayerError(ValueError):
    """A player that cannot be made. ``field`` is "player" or the option at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True)
class Option:
    """A whole number from ``least`` to ``most``."""

    least: int
    most: int
    help: str

    def check(self, name: str, value: object) -> int:
        """The value as a number. Raises PlayerError naming the option."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise PlayerError(
                name, f"expected a whole number from {self.least} to {self.most}, not {value!r}"
            )
        if not self.least <= value <= self.most:
            raise PlayerError(name, f"{value} is not between {self.least} and {self.most}")
        return value


OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        "width": Option(1, 20_000, "positions kept at each depth of the look ahead"),
        "depth": Option(1, 100, "actions that the look ahead reaches"),
        "patience": Option(
            0, 100, "depths without a better line before a look ends; 0 looks to the full depth"
        ),
        "wide": Option(
            1, 64, "factor on width of the second look, when the first found nothing; 1 for no such look"
        ),
        "open_width": Option(1, 20_000, "width once nothing is unseen"),
        "open_depth": Option(1, 250, "depth once nothing is unseen"),
        "noise": Option(
            0, 100_000, "standard deviation of the error in judging a line, in hundredths of the rating"
        ),
        "early_deal": Option(
            0, 1000, "chance in 1000 of dealing from the stock although there is more to do"
        ),
    }
)

_CLUB = {"width": 64, "depth": 14, "patience": 0, "wide": 8, "open_width": 128, "open_depth": 200}
_EXPERT = _CLUB | {"width": 1000, "depth": 20}
_PEOPLE = {"width": 8, "depth": 4, "patience": 0, "wide": 8, "open_width": 8, "open_depth": 60}

LEVELS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "hint": {},
        "novice": _PEOPLE | {"noise": 600, "early_deal": 100},
        "casual": _PEOPLE | {"noise": 300, "early_deal": 20},
        "club": _CLUB,
        "expert": _EXPERT,
    }
)
"""Options of each shipped level, weakest first after the baseline."""


def settings_for(variant: Variant, level: str, options: Mapping[str, object]) -> _core.PlayerSettings:
    """The native form of a level with options laid over it. Raises PlayerError."""
    if level not in LEVELS:
        raise PlayerError("player", f"{level!r} is not one of {', '.join(LEVELS)}")
    settings = _core.PlayerSettings()
    settings.hint = level == "hint"
    settings.set_weights(hand_weights(variant))
    known = {} if settings.hint else OPTIONS
    for name in options:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise PlayerError(name, f"is not an option of {level}; its options are: {allowed}")
    for name, value in {**LEVELS[level], **options}.items():
        setattr(settings, name, OPTIONS[name].check(name, value))
    return settings
