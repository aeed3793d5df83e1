"""The rules against an outside search: how many positions some unwinnable Simple Simon deals have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.deals import deal
from engine.proofs import search_plainly

FILE = Path(__file__).parents[1] / "data" / "vectors" / "simplesimon_ms_proven_unsolvable_1-400.json"
PROVED = [(p["deal"], p["states"]) for p in json.loads(FILE.read_text())["proven_unsolvable"]]


@pytest.mark.parametrize(("number", "states"), PROVED)
def test_a_deal_proved_unwinnable_has_as_many_positions_here(number: int, states: int) -> None:
    made = deal("simple-simon", number, "pysolfc")
    found = search_plainly(made.variant, made)
    assert (found.winnable, found.positions) == (False, states)
