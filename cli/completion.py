"""What a shell may complete after an option: names of games, numberings, players and scorings."""

from __future__ import annotations

from collections.abc import Iterable

from engine.deals import SCHEMES
from engine.players import Level
from engine.variants import ALIASES, NAMED, Scoring


def _beginning(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]


def variants(incomplete: str) -> list[str]:
    """Named games; their other names once one is begun."""
    return _beginning([*NAMED, *(ALIASES if incomplete else ())], incomplete)


def schemes(incomplete: str) -> list[str]:
    return _beginning(SCHEMES, incomplete)


def players(incomplete: str) -> list[str]:
    return _beginning([level.value for level in Level], incomplete)


def scorings(incomplete: str) -> list[str]:
    return _beginning([s.value for s in Scoring], incomplete)
