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
from engine.weights import hand_weights, level_adjustments, value_net

OptionValue = int | str | bool
TOLD = 60
"""Characters of a value that an error repeats."""


class PlayerError(ValueError):
    """A player that cannot be made. ``field`` is "player" or the option at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def _told(value: object) -> str:
    """A value as an error repeats it: whoever sends a million characters gets a line."""
    text = repr(value)
    return text if len(text) <= TOLD else text[:TOLD] + "…"


@dataclass(frozen=True)
class Number:
    """An option: a whole number from ``least`` to ``most``."""

    least: int
    most: int
    help: str

    def check(self, name: str, value: object) -> int:
        """The value as the core takes it. Raises PlayerError naming the option."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise PlayerError(
                name, f"expected a whole number from {self.least} to {self.most}, not {_told(value)}"
            )
        if not self.least <= value <= self.most:
            raise PlayerError(name, f"{value} is not between {self.least} and {self.most}")
        return value


@dataclass(frozen=True)
class Choice:
    """An option: one of some words."""

    words: tuple[str, ...]
    help: str

    def check(self, name: str, value: object) -> int:
        """The word's number. Raises PlayerError naming the option."""
        if not isinstance(value, str) or value not in self.words:
            raise PlayerError(name, f"{_told(value)} is not one of {', '.join(self.words)}")
        return self.words.index(value)


@dataclass(frozen=True)
class Switch:
    """An option: true or false."""

    help: str

    def check(self, name: str, value: object) -> int:
        """1 or 0. Raises PlayerError naming the option."""
        if not isinstance(value, bool):
            raise PlayerError(name, f"expected true or false, not {_told(value)}")
        return int(value)


_EFFORT: Mapping[str, Number | Choice | Switch] = {
    "width": Number(1, 20_000, "positions kept at each depth of the look ahead"),
    "depth": Number(1, 100, "actions that the look ahead reaches"),
    "patience": Number(0, 100, "depths without a better line before a look ends; 0 looks to the full depth"),
    "wide": Number(
        1,
        64,
        "factor on width of the second look, when the first found nothing; 1 for no such look; at most 20000",
    ),
    "open_width": Number(1, 20_000, "width once nothing is unseen"),
    "open_depth": Number(1, 250, "depth once nothing is unseen"),
    "ends": Number(1, 20_000, "best-rated ends of lines that the learned value looks at"),
    "trust": Number(0, 1000, "points of the hand rating that one unit of the learned value's logit is worth"),
    "value": Switch("use the learned value where the variant has one"),
    "weigh_deals": Switch(
        "deal from the stock whenever the learned value prefers that to every line in sight"
    ),
    "samples": Number(0, 1000, "sampled worlds in which lines of close value are tried; 0 for never"),
    "candidates": Number(2, 64, "lines that are compared in sampled worlds"),
    "close": Number(0, 1000, "how far behind the best a line's logit may be to be compared, in hundredths"),
    "sample_below": Number(
        -1000, 1000, "lines are compared where the best one's logit is below this, in hundredths"
    ),
    "sample_only_deals": Switch("lines are compared only where the best one ends in a stock deal"),
    "sample_guess": Number(0, 1000, "sampled worlds that a line's own value counts as"),
    "sample_width": Number(1, 1000, "width of the look ahead in sampled worlds"),
    "sample_depth": Number(1, 100, "depth of the look ahead in sampled worlds"),
    "sample_plies": Number(0, 200, "decisions played on in a sampled world before its value is taken"),
    "sample_deals": Number(0, 100, "stock deals made in a sampled world before its value is taken"),
    "sample_budget": Number(
        0, 1_000_000, "sampled worlds played in over a whole game; then lines are chosen without"
    ),
    "tidies": Switch("with nothing else in sight, go where the board looks better than here"),
    "noise": Number(
        0, 100_000, "standard deviation of the error in judging a line, hundredths of the rating"
    ),
    "early_deal": Number(0, 1000, "chance in 1000 of dealing from the stock although there is more to do"),
}

_ADVICE: Mapping[str, Number | Choice | Switch] = {
    "kings": Choice(
        ("level", "spaces", "with-run", "avoid"),
        "Kings into spaces: as the level judges, gladly, only when they bring a run, or better not",
    ),
    "suit": Choice(
        ("level", "suit", "depletion"),
        "build in suit first, empty short columns first, or as the level judges",
    ),
    "high_first": Switch("among builds of mixed suit, the highest rank first"),
    "tall_first": Switch("take from tall columns first"),
    "least_filler": Switch("fill spaces with the card that is of least use elsewhere"),
}
"""What rule pages advise (docs/rules.md), each piece worth about a suited join in the hand rating."""

OPTIONS: Mapping[str, Number | Choice | Switch] = MappingProxyType({**_EFFORT, **_ADVICE})
"""Every option of the levels that look ahead, that is all but `hint`."""

_COMMON: Mapping[str, OptionValue] = {
    "patience": 0,
    "wide": 8,
    "ends": 256,
    "trust": 100,
    "value": True,
    "weigh_deals": True,
    "samples": 0,
    "candidates": 4,
    "close": 100,
    "sample_below": 1000,
    "sample_only_deals": False,
    "sample_guess": 4,
    "sample_width": 32,
    "sample_depth": 12,
    "sample_plies": 0,
    "sample_deals": 100,
    "sample_budget": 4000,
    "tidies": False,
    "noise": 0,
    "early_deal": 0,
    "kings": "level",
    "suit": "level",
    "high_first": False,
    "tall_first": False,
    "least_filler": False,
}
_PEOPLE: Mapping[str, OptionValue] = {
    **_COMMON,
    "width": 12,
    "depth": 5,
    "open_width": 12,
    "open_depth": 5,
    "wide": 1,
    "value": False,
    "weigh_deals": False,
    "tidies": True,
}

LEVELS: Mapping[str, Mapping[str, OptionValue]] = MappingProxyType(
    {
        "hint": {},
        "novice": {**_PEOPLE, "noise": 600, "early_deal": 100},
        "casual": {**_PEOPLE, "noise": 300, "early_deal": 20},
        "club": {**_COMMON, "width": 64, "depth": 30, "open_width": 128, "open_depth": 200},
        "expert": {
            **_COMMON,
            "width": 300,
            "depth": 30,
            "open_width": 500,
            "open_depth": 200,
        },
    }
)
"""Options of each shipped level, weakest first after the baseline. Some differ by kind of variant
(`engine.weights.level_adjustments`)."""


def level_options(variant: Variant, level: str) -> dict[str, OptionValue]:
    """Every option of a level, as it plays a variant. Raises PlayerError for an unknown level."""
    if level not in LEVELS:
        raise PlayerError("player", f"{level!r} is not one of {', '.join(LEVELS)}")
    return {**LEVELS[level], **level_adjustments(variant, level)}


def settings_for(variant: Variant, level: str, options: Mapping[str, object]) -> _core.PlayerSettings:
    """The native form of a level with options laid over it. Raises PlayerError."""
    chosen: dict[str, object] = dict(level_options(variant, level))
    for name in options:
        if name not in chosen:
            raise PlayerError(
                name, f"is not an option of {level}; its options are: {', '.join(chosen) or 'none'}"
            )
    chosen.update(options)
    values = {name: OPTIONS[name].check(name, value) for name, value in chosen.items()}
    settings = _core.PlayerSettings()
    settings.hint = level == "hint"
    settings.set_weights(hand_weights(variant))
    if not settings.hint:
        _apply(settings, variant, level, values)
    return settings


def _apply(settings: _core.PlayerSettings, variant: Variant, level: str, values: Mapping[str, int]) -> None:
    advice = {name: values[name] for name in _ADVICE}
    settings.set_advice(
        kings=advice["kings"],
        suit=advice["suit"],
        high_first=bool(advice["high_first"]),
        tall_first=bool(advice["tall_first"]),
        least_filler=bool(advice["least_filler"]),
    )
    net = value_net(variant, level) if values["value"] else None
    if net is not None:
        settings.set_value(net.first, net.bias, net.last, net.last_bias, net.nets, net.caution)
    for name in _EFFORT:
        if name != "value":
            kind = type(getattr(settings, name))
            setattr(settings, name, kind(values[name]))
