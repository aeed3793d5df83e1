"""Scores of many games, played fast on the native rules, against the reference's."""

from __future__ import annotations

import pytest

from engine import _core
from engine.core import rules_of
from engine.deals import deal
from engine.endings import outlook
from engine.moves import action_of
from engine.playing import Game
from engine.scoring import scores_of_trail
from engine.trails import fast_outlook, trail_of
from engine.variants import Scoring
from evaluation.scores import scores_of
from tests.engine.families import ALL


@pytest.mark.parametrize("label", ALL)
def test_every_score_is_the_references(label: str) -> None:
    variant = ALL[label]
    made = deal(variant, 2)
    codes = _core.random_playout(rules_of(variant), made.packed(), 2, 150)
    game = Game(variant, made)
    for code in codes:
        game.enter(action_of(code))
    wanted = scores_of_trail(variant, game.trail)
    trail = trail_of(variant, made.packed(), codes)
    assert {s: trail.score(s, variant) for s in Scoring} == wanted
    found = scores_of(variant, made.packed(), codes, game.position.off, list(Scoring))
    assert found == {scoring.value: points for scoring, points in wanted.items()}


def test_a_long_bad_game_is_floored() -> None:
    variant = ALL["spider-1"]
    made = deal(variant, 2)
    codes = _core.random_playout(rules_of(variant), made.packed(), 2, 700)
    found = scores_of(variant, made.packed(), codes, 0, [Scoring.WINDOWS, Scoring.WINDOWS_FLOOR])
    assert found == {"windows": -200, "windows-floor": 0}


@pytest.mark.parametrize("label", ALL)
def test_fast_outlooks_are_the_references(label: str) -> None:
    variant = ALL[label]
    made = deal(variant, 3)
    for length in (0, 60, 200):
        position = trail_of(
            variant, made.packed(), _core.random_playout(rules_of(variant), made.packed(), 3, length)
        ).last
        assert fast_outlook(variant, position, 300) is outlook(variant, position, 300)


def test_an_illegal_move_is_refused() -> None:
    made = deal("spider-4", 5)
    with pytest.raises(ValueError, match="illegal move 1>2"):
        trail_of(made.variant, made.packed(), [0 << 11 | 1 << 7 | 1])
