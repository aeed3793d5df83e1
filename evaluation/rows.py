"""One row of a report: what one evaluator made of one deal. Pure data, no SQL."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

FAILED = "failed"
"""Outcome of a unit whose evaluation crashed its worker; counted apart, never in n."""
NO_SCORES: Mapping[str, int | None] = MappingProxyType({})


class Row(NamedTuple):
    """The outcome of unit ``ordinal`` of an arm. A named tuple, since the making of one counts: a frozen
    dataclass of so many fields takes three times as long, 0.3 % of the cheapest games there are.

    outcome: a player's ending, a solver's verdict, or `failed`. scores: one a scoring of the job, None
    where the scoring gives none. line: move codes of a solved deal. seconds: wall time of this unit.
    """

    ordinal: int
    seed: str
    outcome: str
    won: bool | None = None
    moves: int | None = None
    stock_deals: int | None = None
    sequences: int | None = None
    scores: Mapping[str, int | None] = NO_SCORES
    verdict: str | None = None
    reason: str | None = None
    length: int | None = None
    nodes: int | None = None
    certificate: str | None = None
    seconds: float = 0.0
    line: tuple[int, ...] = ()
