"""Examples for tuning: what a winning beam passed on its way."""

from __future__ import annotations

from collections import Counter

import pytest

from engine import _core
from engine.core import rules_of
from engine.deals import deal
from engine.moves import STOCK_DEAL_CODE
from engine.schedules import shipped
from engine.solver import SolverSpec, solve_batch
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


def short_line(seed: int) -> tuple[bytes, tuple[int, ...]]:
    packed = deal(VARIANT, seed).packed()
    [found] = solve_batch(VARIANT, [packed], SolverSpec(shorten_nodes=200_000))
    return packed, found.moves


def test_a_short_lines_levels_have_its_position_first_and_others_of_the_beam_beside_it() -> None:
    packed, line = short_line(1)
    weights, costs = _core.short_vectors()[0]
    length, found = _core.trace_short(rules_of(VARIANT), packed, line, weights, costs, 100, 1, 5)
    assert 0 < length < len(line) + 20
    levels: dict[int, list[tuple[int, bool, int]]] = {}
    for level, rows, on_line, actions, features in found:
        levels.setdefault(level, []).append((rows, on_line, actions))
        assert len(features) == len(_core.solver_feature_names())
    assert list(levels) == list(range(len(levels)))
    for (rows, on_line, actions), *others in levels.values():
        assert on_line
        assert actions <= len(line)
        assert len(others) <= 5
        assert all(not on and r == rows for r, on, _ in others)
    deals = [i for i, code in enumerate(line) if code == STOCK_DEAL_CODE]
    starts = Counter(actions for (rows, _, actions), *_ in levels.values() if actions - 1 in deals)
    assert set(starts.values()) == {3}
    assert len(starts) >= len(deals) - 1  # the first deal's few positions are no choice


def test_an_illegal_line_is_refused() -> None:
    packed, line = short_line(1)
    weights, costs = _core.short_vectors()[0]
    with pytest.raises(ValueError, match="illegal"):
        _core.trace_short(rules_of(VARIANT), packed, line[::-1], weights, costs, 10, 1, 5)


def test_shipped_vectors_have_a_row_and_a_cost_for_all_stages_or_for_each() -> None:
    width = len(_core.solver_feature_names())
    rows = [(len(weights) / width, len(costs)) for weights, costs in _core.short_vectors()]
    assert rows == [(1, 1), (1, 1), (1, 1), (6, 6)]
