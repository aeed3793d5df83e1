"""The packed form of the search against the plain core: every child, its rating and its hash."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator

import pytest

from engine import _core
from engine.core import rules_of
from engine.deals import deal
from engine.variants import (
    NAMED,
    Build,
    DealOverEmpty,
    EmptyAccepts,
    GroupMove,
    Removal,
    Variant,
    WholeColumn,
)

MINI = Variant("mini", 1, 2, (3, 3, 2, 2), (2, 1, 0, 1), ranks=3)
LONG = Variant("long", 2, 4, (60, 1, 1), (10, 0, 0))

RULES = [
    *NAMED.values(),
    *(
        dataclasses.replace(v, name=f"{v.name}-{i}", **fields)
        for v in (MINI, LONG, NAMED["spider-2"])
        for i, fields in enumerate(
            [
                {},
                {"sequence_removal": Removal.OPTIONAL},
                {"group_move": GroupMove.ANY_SUIT},
                {
                    "group_move": GroupMove.ANY_FACE_UP,
                    "build": Build.SAME_SUIT,
                    "empty_column_accepts": EmptyAccepts.KINGS,
                },
                {"group_move": GroupMove.ANY_FACE_UP},
                {
                    "empty_column_accepts": EmptyAccepts.NOTHING,
                    "stock_deal_over_empty": DealOverEmpty.ALLOWED,
                },
                {"whole_column_to_empty": WholeColumn.FORBIDDEN},
                {"stock_deal_over_empty": DealOverEmpty.WHEN_SHORT, "build": Build.SAME_SUIT},
            ]
        )
    ),
]


def some_weights(rng: random.Random) -> list[int]:
    return [rng.randint(-500, 500) for _ in range(3 * _core.solver_features)]


def walk(variant: Variant, seed: int, rng: random.Random, most: int = 120) -> Iterator[_core.Position]:
    """Positions of one random game."""
    position = _core.Position(rules_of(variant), deal(variant, seed).packed())
    for _ in range(most):
        yield position
        moves = position.legal_moves()
        if not moves:
            return
        position.apply(rng.choice(moves))


@pytest.mark.parametrize("variant", RULES, ids=lambda v: v.name)
def test_children_are_those_of_the_plain_core(variant: Variant) -> None:
    rng = random.Random(7)
    rules = rules_of(variant)
    for seed in range(3):
        weights = some_weights(rng)
        for position in walk(variant, seed, rng):
            if position.won:
                continue
            children = _core.packed_children(rules, position.packed(), weights, True)
            assert sorted(c[0] for c in children) == sorted(position.legal_moves())
            for move, packed, rating, hashed, full_rating, full_hash in children:
                position.apply(move)
                assert packed == position.packed()
                position.undo()
                assert (rating, hashed) == (full_rating, full_hash)


@pytest.mark.parametrize("name", ["spiderette-1", "simple-simon-2"])
def test_pruned_children_leave_out_further_empty_columns_and_whole_columns_only(name: str) -> None:
    variant, rng, left_out = NAMED[name], random.Random(3), 0
    rules = rules_of(variant)
    for seed in range(20):
        for position in walk(variant, seed, rng):
            packed = position.packed()
            columns = packed[0]
            empty = [i for i in range(columns) if packed[3 + i] == 0]
            kept = {c[0] for c in _core.packed_children(rules, packed, some_weights(rng), False)}
            for move in set(position.legal_moves()) - kept:
                source, target, count = move >> 11 & 15, move >> 7 & 15, move & 127
                assert target in empty
                assert target != empty[0] or count == packed[3 + source]
                left_out += 1
    assert left_out > 0
