"""Examples for tuning: what a winning beam passed on its way."""

from __future__ import annotations

from collections import Counter

from engine import _core
from engine.core import rules_of
from engine.deals import deal
from engine.schedules import shipped
from engine.variants import NAMED

VARIANT = NAMED["spiderette-1"]
VECTOR = shipped().vectors["b"]


def examples(seed: int) -> list[tuple[int, int, bool, list[int]]]:
    packed = deal(VARIANT, seed).packed()
    return _core.trace_line(rules_of(VARIANT), packed, VECTOR, 30, 8, 1, 5)


def test_a_level_has_one_position_on_the_line_and_others_beside_it() -> None:
    found = examples(1)
    levels = Counter((level, rows) for level, rows, _, _ in found)
    on_line = Counter((level, rows) for level, rows, on, _ in found if on)
    assert len(levels) > 20
    assert set(on_line.values()) == {1}
    assert max(levels.values()) <= 11
    assert {rows for _, rows in levels} == {0, 1, 2, 3, 4}


def test_features_are_ratings_under_unit_vectors() -> None:
    names = _core.solver_feature_names()
    for _, _, _, features in examples(2)[:200]:
        assert len(features) == len(names)
        values = dict(zip(names, features, strict=True))
        assert 0 <= values["off"] <= 10 * VARIANT.sequences
        assert values["empty"] % 10 == 0
        assert values["down"] >= values["down_any"] >= 0


def test_a_deal_that_the_beam_does_not_win_gives_nothing() -> None:
    found = [
        _core.trace_line(rules_of(NAMED["spider-4"]), deal("spider-4", s).packed(), VECTOR, 1, 2, 1, 5)
        for s in (1, 2, 3)
    ]
    assert [] in found
