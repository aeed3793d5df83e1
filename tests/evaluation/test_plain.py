"""Faults in plain words."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from evaluation.plain import first_fault
from evaluation.vetting.calendars import CalendarSpec

GOOD: dict[str, Any] = {"name": "daily", "variant": "spider-1"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "Two words"}, "name: 1 to 40 of a-z 0-9 -, the first a letter or a digit"),
        ({"name": "a" * 41}, "name: must have 40 characters or fewer"),
        ({"effort": {"games": 1}}, "effort.games: must be 32 or more"),
        ({"effort": {"candidates": 1001}}, "effort.candidates: must be 1000 or less"),
        ({"effort": {"games": "many"}}, "effort.games: must be a whole number"),
        ({"effort": {"speed": 1}}, "effort.speed: there is no such field"),
        ({"bounds": {"win_rate": [0, "half"]}}, "bounds.win_rate.1: must be a number"),
        ({"bounds": {"par": [1]}}, "bounds.par: must have 2 entries or more"),
    ],
)
def test_the_first_fault_and_its_field(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        CalendarSpec.model_validate(GOOD | changes)
    assert first_fault(caught.value, "calendar") == said


def test_what_is_missing() -> None:
    with pytest.raises(ValidationError) as caught:
        CalendarSpec.model_validate({"name": "daily"})
    assert first_fault(caught.value, "calendar") == "variant: is missing"
