"""Scores of hand-worked histories, with undo."""

from __future__ import annotations

import pytest

from engine.deals import deal
from engine.game import legal_moves
from engine.moves import Remove, StockDeal, Tableau, Undo
from engine.playing import Game
from engine.scoring import Tally, score, scores_of_trail, solitaire_plus, tally, windows
from engine.variants import NAMED, Scoring, resolve
from tests.engine.boards import position, run

SPIDER = NAMED["spider-4"]

HISTORIES = [  # sequences off at the start and after every action or undo: the score, the score never below 0
    ([0], 500, 500),
    ([0, 0, 0, 0], 497, 497),
    ([0, 0, 0, 1], 597, 597),
    ([0, 0, 1, 0], 497, 497),  # the action that completed a sequence undone
    ([0, 1, 0, 1], 597, 597),  # and done again: 500 - 3 + 100
    ([0, 2], 699, 699),  # a stock deal that completes two
    ([1], 600, 600),  # complete as it was dealt
    ([0] * 501, 0, 0),
    ([0] * 601, -100, 0),
    ([0] * 601 + [1], -1, 99),  # a long bad start is forgiven
    ([0] * 601 + [1, 0], -102, 0),
    ([0] * 100 + [8], 500 + 800 - 100, 500 + 800 - 100),
]


@pytest.mark.parametrize(("off", "plain", "floored"), HISTORIES)
def test_windows_scores_of_hand_worked_histories(off: list[int], plain: int, floored: int) -> None:
    assert windows(off) == plain
    assert windows(off, floor=0) == floored


def test_without_undo_windows_is_500_plus_100_a_sequence_less_the_actions() -> None:
    off = [0] * 40 + [1] * 60 + [3] * 20 + [8]
    assert windows(off) == 500 + 800 - (len(off) - 1)


def test_the_most_is_1300_less_the_moves_with_two_decks_and_900_with_one() -> None:
    assert windows([0, 8]) == 1300 - 1
    assert windows([0, 4]) == 900 - 1


def test_solitaire_plus_counts_cards_in_same_suit_runs_of_two_or_more_anywhere() -> None:
    assert solitaire_plus(SPIDER, position(["9S 8S 7S", "5H", ""])) == 3
    assert solitaire_plus(SPIDER, position(["9S 8S KD 4C 3C 2H"])) == 4
    assert solitaire_plus(SPIDER, position(["(9S) 8S 7H 6S"])) == 0
    assert solitaire_plus(SPIDER, position(["(9S) (8S) 7S 6S"])) == 2
    assert solitaire_plus(SPIDER, position(["9S 8H 7S", "AS"])) == 0
    assert solitaire_plus(SPIDER, position([""], off=8)) == 104
    assert solitaire_plus(NAMED["spiderette-4"], position([run("S"), ""], off=3)) == 52


def test_a_game_without_points_is_tallied() -> None:
    assert tally(SPIDER, position(["KS QS"] * 10, "AS " * 23, off=2)) == Tally(43, 2, 3)
    assert score(Scoring.NONE, SPIDER, [0, 0], position(["KS"])) is None


def test_scores_come_from_the_history_alone() -> None:
    made = deal("spider-1", 4)
    game = Game(made.variant, made)
    played = Game(made.variant, made)
    for _ in range(30):
        move = legal_moves(made.variant, played.position)[0]
        game.enter(move)
        game.enter(Undo())
        game.enter(move)
        played.enter(move)
    assert game.position == played.position
    plain, with_undo = (scores_of_trail(g.variant, g.trail) for g in (played, game))
    assert with_undo[Scoring.SOLITAIRE_PLUS] == plain[Scoring.SOLITAIRE_PLUS]
    assert plain[Scoring.WINDOWS] == 500 - 30
    assert with_undo[Scoring.WINDOWS] == 500 - 90


def test_completing_undoing_and_completing_again_pays_once() -> None:
    mini = resolve(
        {"name": "mini", "decks": 1, "suits": 1, "ranks": 2, "columns": [1, 1], "face_down": [0, 0],
         "sequence_removal": "optional"}
    )  # fmt: skip
    seed = next(s for s in range(50) if [c.rank for c in deal(mini, s).cards[:2]] == [2, 1])
    game = Game(mini, deal(mini, seed))
    for entry in (Tableau(1, 0), Remove(0), Undo(), Remove(0)):
        game.enter(entry)
    scores = scores_of_trail(mini, game.trail)
    assert scores[Scoring.WINDOWS] == scores[Scoring.WINDOWS_FLOOR] == 500 - 4 + 100
    assert scores[Scoring.SOLITAIRE_PLUS] == 2
    assert game.moves == 3
    assert game.undos == 1
    assert StockDeal() not in legal_moves(mini, game.position)
