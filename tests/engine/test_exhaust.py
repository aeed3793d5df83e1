"""The exhaustive search: against the reference on many small games, and each pruning against its absence."""

from __future__ import annotations

import random

import pytest

from engine import _core, deals, game
from engine.core import rules_of
from engine.layouts import Layout
from engine.moves import action_of
from engine.proofs import PRUNINGS, search_plainly
from engine.variants import (
    Build,
    DealOverEmpty,
    EmptyAccepts,
    GroupMove,
    Removal,
    Variant,
    WholeColumn,
)

ALL = (1 << len(PRUNINGS)) - 1
SOLVED, UNSOLVABLE, UNKNOWN = 0, 1, 2
NODES, MEMORY = 0, 1


def mini(rng: random.Random) -> Variant:
    """A small game with random rule fields: 3 to 5 columns, 2 to 5 ranks, at most 20 cards on the table."""
    ranks, columns = rng.randint(2, 5), rng.randint(3, 5)
    cards = 4 * ranks
    stock = min(rng.choice((0, 0, 0, columns, 2 * columns, 3)), cards - columns)
    lengths = [0] * columns
    for _ in range(cards - stock):
        lengths[rng.randrange(columns)] += 1
    down = [rng.randint(0, max(0, n - 1)) if rng.random() < 0.4 else 0 for n in lengths]
    if stock:
        lengths.sort(reverse=True)
        down = [min(d, max(0, n - 1)) for d, n in zip(down, lengths, strict=True)]
    build = rng.choice((Build.ANY_SUIT, Build.ANY_SUIT, Build.SAME_SUIT))
    return Variant(
        name="mini",
        decks=1,
        suits=rng.choice((1, 2, 4, 4)),
        columns=tuple(lengths),
        face_down=tuple(down),
        ranks=ranks,
        build=build,
        group_move=rng.choice(list(GroupMove)),
        stock_deal_over_empty=rng.choice(list(DealOverEmpty)),
        sequence_removal=rng.choice(list(Removal)),
        empty_column_accepts=rng.choice((EmptyAccepts.ANY, EmptyAccepts.ANY, EmptyAccepts.KINGS)),
        whole_column_to_empty=rng.choice(list(WholeColumn)),
    )


def exhaust(
    variant: Variant, layout: Layout, mask: int = ALL, nodes: int = 50_000_000, memory: int = 512 << 20
):
    return _core.exhaust(rules_of(variant), layout.packed(), nodes, memory, mask)


def assert_wins(variant: Variant, layout: Layout, line: list[int]) -> None:
    position = game.start(variant, layout)
    for code in line:
        position = game.apply(variant, position, action_of(code))
    assert game.won(variant, position)


def sample(first: int, count: int, bound: int):
    """Small deals that the reference decides within the bound, with its word."""
    for seed in range(first, first + count):
        rng = random.Random(seed)
        variant = mini(rng)
        layout = deals.deal(variant, seed)
        plain = search_plainly(variant, layout, bound)
        if plain.winnable is not None:
            yield variant, layout, plain


def check(first: int, count: int, bound: int) -> tuple[int, int]:
    winnable = lost = 0
    for variant, layout, plain in sample(first, count, bound):
        want = SOLVED if plain.winnable else UNSOLVABLE
        winnable += want == SOLVED
        lost += want == UNSOLVABLE
        for mask in (ALL, 0, *(ALL & ~(1 << bit) for bit in range(len(PRUNINGS)))):
            verdict, _, line, _, _ = exhaust(variant, layout, mask)
            assert verdict == want, (variant, layout, mask)
            if verdict == SOLVED:
                assert_wins(variant, layout, line)
    return winnable, lost


def test_small_games_of_every_rule_field_give_the_references_verdict_with_each_pruning_off() -> None:
    winnable, lost = check(0, 400, 1_500)
    assert winnable > 60
    assert lost > 100


@pytest.mark.slow
def test_thousands_of_small_games_give_the_references_verdict_with_each_pruning_off() -> None:
    winnable, lost = check(1_000, 6_000, 20_000)
    assert winnable > 1_500
    assert lost > 1_000
