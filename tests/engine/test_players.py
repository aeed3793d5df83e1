"""The shipped players: honest, lawful, repeatable, and they end as the rules say."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from engine import _core
from engine import game as referee
from engine.core import Control, rules_of
from engine.deals import deal
from engine.honesty import first_fault
from engine.layouts import Layout
from engine.moves import action_of
from engine.players import Ending, Game, Level, PlayerError, PlayerSpec, play_batch
from engine.position import Position
from engine.variants import NAMED, Variant

LEVELS = [level.value for level in Level]
FAST: dict[str, int] = {
    "width": 16,
    "open_width": 24,
    "depth": 10,
    "samples": 2,
    "sample_plies": 200,
    "sample_width": 4,
    "sample_depth": 6,
    "sample_budget": 60,
}
"""The expert's own effort would take minutes here; its width is an option like any other. Lines are played to
the end in sampled worlds, so that the checks of honesty cover that too."""


def spec(level: str) -> PlayerSpec:
    return PlayerSpec(level, FAST if level == "expert" else {})


def play(variant: Variant, level: str, seeds: Sequence[int], rng: int = 1) -> list[Game]:
    deals = [deal(variant, seed).packed() for seed in seeds]
    games = play_batch(variant, deals, spec(level), [rng] * len(deals))
    return [game for game in games if game is not None]


def replayed(variant: Variant, start: Layout, moves: Sequence[int]) -> Position:
    """The position that the reference reaches; raises where it finds a move illegal."""
    position = referee.start(variant, start)
    for code in moves:
        position = referee.apply(variant, position, action_of(code))
    return position


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("level", LEVELS)
def test_every_game_replays_on_the_reference_and_ends_as_told(level: str, name: str) -> None:
    variant = NAMED[name]
    for seed, game in enumerate(play(variant, level, range(2))):
        last = replayed(variant, deal(variant, seed), game.moves)
        assert (game.ending is Ending.WON) == referee.won(variant, last)
        assert (game.ending is Ending.STUCK) == referee.stuck(variant, last)
        # The native search for a way out is tested against the reference on its own.
        dead = _core.Position(rules_of(variant), last.packed()).dead()
        assert (game.ending is Ending.DEAD) == (dead is True)
        assert game.ending in (Ending.WON, Ending.STUCK, Ending.DEAD, Ending.NO_PROGRESS)
        assert game.sequences == last.off
        assert game.stock_deals == sum(code == 0x8000 for code in game.moves)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("level", LEVELS)
def test_no_unseen_card_changes_a_decision_before_the_next_reveal(level: str, name: str) -> None:
    variant = NAMED[name]

    def moves(worlds: Sequence[bytes]) -> list[tuple[int, ...]]:
        games = play_batch(variant, worlds, spec(level), [7] * len(worlds))
        return [game.moves for game in games if game is not None]

    assert first_fault(variant, deal(variant, 11).packed(), moves, moments=3, shuffles=2) is None


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_rng_number_gives_the_same_game_in_any_batch(level: str) -> None:
    variant = NAMED["spider-2"]
    together = play(variant, level, range(4), rng=3)
    apart = [play(variant, level, [seed], rng=3)[0] for seed in range(4)]
    assert [g.moves for g in together] == [g.moves for g in apart]
    assert [g.nodes for g in together] == [g.nodes for g in apart]


@pytest.mark.parametrize("level", ["novice", "casual"])
def test_people_play_a_deal_differently_each_time(level: str) -> None:
    variant = NAMED["spider-2"]
    packed = deal(variant, 1).packed()
    games = play_batch(variant, [packed] * 8, PlayerSpec(level), range(8))
    assert len({game.moves for game in games if game is not None}) == 8


@pytest.mark.parametrize("name", ["spider-1", "spider-2", "spider-4", "will-o-the-wisp-4", "scorpion"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_game_whose_end_is_not_proved_is_the_same_game(level: str, name: str) -> None:
    """Ratings play so: moves are the same while anything can still be done, and all that counts stays."""
    variant, seeds = NAMED[name], range(4)
    packed = [deal(variant, seed).packed() for seed in seeds]
    lazy = play_batch(variant, packed, spec(level), [5] * len(seeds), judge=False)
    for game, plain in zip(play(variant, level, seeds, rng=5), lazy, strict=True):
        assert plain is not None
        assert plain.moves[: len(game.moves)] == game.moves
        assert (plain.sequences, plain.stock_deals) == (game.sequences, game.stock_deals)
        if game.ending is Ending.DEAD:
            assert plain.ending in (Ending.DEAD, Ending.NO_PROGRESS, Ending.STUCK)
        else:
            assert plain.moves == game.moves
            assert plain.ending is game.ending


def test_a_move_limit_ends_a_game() -> None:
    variant = replace(NAMED["spider-1"], move_limit=20)
    [game] = play(variant, "club", [1])
    assert game.ending is Ending.MOVE_LIMIT
    assert len(game.moves) == 20


def test_a_batch_cancelled_before_it_starts_plays_nothing() -> None:
    variant, control = NAMED["spider-1"], Control()
    control.cancel()
    deals = [deal(variant, seed).packed() for seed in range(3)]
    assert play_batch(variant, deals, PlayerSpec("club"), [0] * 3, control) == [None] * 3
    assert control.done == 0


def test_a_running_batch_can_be_cancelled_from_another_thread() -> None:
    variant, control = NAMED["spider-2"], Control()
    deals = [deal(variant, 1).packed()] * 2000
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(play_batch, variant, deals, PlayerSpec("club"), [0] * len(deals), control)
        # Were the lock held, this thread would not come to look before the batch is over.
        while control.nodes == 0:
            time.sleep(0.01)
        control.cancel()
        games = running.result()
    done = [game is not None for game in games]
    assert not all(done)
    assert done == sorted(done, reverse=True)
    assert control.done == sum(done)


def test_control_counts_games_and_nodes() -> None:
    variant, control = NAMED["spider-1"], Control()
    deals = [deal(variant, seed).packed() for seed in range(3)]
    games = play_batch(variant, deals, PlayerSpec("casual"), [0] * 3, control)
    assert control.done == 3
    assert control.nodes == sum(game.nodes for game in games if game is not None)


def test_an_unknown_level_is_named() -> None:
    with pytest.raises(PlayerError, match="'grandmaster' is not one of hint, novice"):
        play_batch(NAMED["spider-1"], [], PlayerSpec("grandmaster"), [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"widht": 3}, "widht: is not an option of club"),
        ({"width": 0}, "width: 0 is not between 1 and"),
        ({"width": "wide"}, "width: expected a whole number"),
        ({"width": True}, "width: expected a whole number"),
    ],
)
def test_a_bad_option_is_an_error_that_names_it(options: dict[str, int | str | bool], message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        play_batch(NAMED["spider-1"], [], PlayerSpec("club", options), [])


def test_rng_numbers_must_match_the_deals() -> None:
    with pytest.raises(ValueError, match="rng: 0 numbers for 1 deals"):
        play_batch(NAMED["spider-1"], [deal("spider-1", 1).packed()], PlayerSpec("club"), [])


def test_two_sequences_that_leave_by_one_action_are_foreseen() -> None:
    def run(suit: int, low: int) -> list[int]:
        return [suit << 4 | rank for rank in range(13, low - 1, -1)]

    # Scorpion lets cards cover a complete run: spades leave as soon as the hearts above them do.
    columns = [run(0, 1) + run(1, 2), [0x11], run(2, 2), [0x21], run(3, 2), [0x31], []]
    cards = [card for column in columns for card in column]
    packed = bytes([7, 0, 0, *map(len, columns), *[0] * 7, *cards])
    [game] = play_batch(NAMED["scorpion"], [packed], PlayerSpec("club"), [0])
    assert game is not None
    assert game.ending is Ending.WON
    assert len(game.moves) == 3
