"""The shipped players: honest, lawful, repeatable, and they end as the rules say."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine import _core
from engine.core import Control, rules_of
from engine.deals import deal
from engine.endings import DEAD_BOUND, Outlook, outlook
from engine.moves import action_of
from engine.players import Ending, Game, Level, PlayerError, PlayerSpec, play_batch
from engine.playing import Game as Referee
from engine.variants import NAMED, Variant

LEVELS = [level.value for level in Level]
FAST: dict[str, int] = {"width": 60, "open_width": 30}
"""The expert's own effort would take minutes here; its width is an option like any other."""


def spec(level: str) -> PlayerSpec:
    return PlayerSpec(level, FAST if level == "expert" else {})


def play(variant: Variant, level: str, seeds: Sequence[int], rng: int = 1) -> list[Game]:
    deals = [deal(variant, seed).packed() for seed in seeds]
    games = play_batch(variant, deals, spec(level), [rng] * len(deals))
    return [game for game in games if game is not None]


class Table:
    """A packed position taken apart, to shuffle what nobody has seen."""

    def __init__(self, packed: bytes) -> None:
        self.head = packed[:3]
        n, self.stock = packed[0], packed[2]
        self.sizes, self.down = packed[3 : 3 + n], packed[3 + n : 3 + 2 * n]
        self.cards = packed[3 + 2 * n :]

    def unseen(self) -> list[int]:
        """Indices into the cards of those that lie face down or in the stock."""
        out, at = [], 0
        for size, down in zip(self.sizes, self.down, strict=True):
            out += range(at, at + down)
            at += size
        return out + list(range(at, len(self.cards)))

    def shuffled(self, seed: int) -> bytes:
        places = self.unseen()
        cards = bytearray(self.cards)
        order = [cards[i] for i in places]
        random.Random(seed).shuffle(order)
        for place, card in zip(places, order, strict=True):
            cards[place] = card
        return self.head + self.sizes + self.down + bytes(cards)


def up_to_reveal(variant: Variant, packed: bytes, moves: Sequence[int]) -> tuple[int, ...]:
    """The moves up to and with the first that shows a card not seen before."""
    position = _core.Position(rules_of(variant), packed)
    unseen = len(Table(packed).unseen())
    for n, move in enumerate(moves, 1):
        position.apply(move)
        if len(Table(position.packed()).unseen()) < unseen:
            return tuple(moves[:n])
    return tuple(moves)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("level", LEVELS)
def test_every_game_replays_on_the_reference_and_ends_as_told(level: str, name: str) -> None:
    variant = NAMED[name]
    for seed, game in enumerate(play(variant, level, range(3))):
        referee = Referee(variant, deal(variant, seed))
        for code in game.moves:
            referee.enter(action_of(code))
        bound = DEAD_BOUND if game.ending is Ending.DEAD else 200
        verdict = outlook(variant, referee.position, bound)
        expected = {Ending.WON: Outlook.WON, Ending.STUCK: Outlook.STUCK, Ending.DEAD: Outlook.DEAD}
        if game.ending in expected:
            assert verdict is expected[game.ending]
        else:
            assert game.ending is Ending.NO_PROGRESS
            assert verdict in (Outlook.ALIVE, Outlook.UNKNOWN)
        assert game.sequences == referee.position.off
        assert game.stock_deals == sum(code == 0x8000 for code in game.moves)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("level", LEVELS)
def test_no_unseen_card_changes_a_decision_before_the_next_reveal(level: str, name: str) -> None:
    variant = NAMED[name]
    start = deal(variant, 11).packed()
    [game] = play(variant, level, [11])
    position = _core.Position(rules_of(variant), start)
    starts = []
    for move in game.moves:
        before = position.packed()
        position.apply(move)
        if move == 0x8000 or Table(before).down != Table(position.packed()).down:
            starts.append(position.packed())
    chosen = [start, *random.Random(5).sample(starts, min(3, len(starts)))]
    for packed in chosen:
        shuffles = [packed, *(Table(packed).shuffled(k) for k in range(3))]
        games = play_batch(variant, shuffles, spec(level), [7] * len(shuffles))
        openings = {
            up_to_reveal(variant, cards, played.moves)
            for cards, played in zip(shuffles, games, strict=True)
            if played is not None
        }
        assert len(openings) == 1


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
