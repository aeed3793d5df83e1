"""Ratings by real games: repeatable, and told in words."""

from __future__ import annotations

from dataclasses import replace

from engine.core import Control
from engine.deals import deal
from engine.players import play_batch
from engine.variants import resolve
from evaluation.vetting.features import FEATURES, explained, features_of, reasons
from evaluation.vetting.rating import Tally, chance, play_on, rate
from evaluation.vetting.scale import Feature, Scale
from evaluation.vetting.scalefile import nearest

GAME = resolve("spider-1")


def scale() -> Scale:
    return nearest(GAME)[0]


def test_the_same_rng_numbers_give_the_same_rating() -> None:
    one = rate(scale(), deal(GAME, 5), rng=1, max_games=64)
    assert rate(scale(), deal(GAME, 5), rng=1, max_games=64) == one
    other = rate(scale(), deal(GAME, 5), rng=1_000_000, max_games=64)
    assert other.tally != one.tally


def test_a_batch_counts_the_games_that_the_levels_play_elsewhere() -> None:
    """A rating does not prove lost games dead; what it counts is the same with the proof."""
    dealt = deal(GAME, 6)
    tally = play_on(scale(), dealt, Tally.empty(scale()), 3, Control())
    assert tally is not None
    for rater, row in zip(scale().raters, tally.counts, strict=True):
        numbers = range(3, 3 + rater.batch)
        games = play_batch(GAME, [dealt.packed()] * rater.batch, rater.spec, numbers)
        counted = [rater.category(game.sequences) for game in games if game is not None]
        assert [counted.count(k) for k in range(len(row))] == list(row)


def test_a_cancelled_batch_counts_for_nothing() -> None:
    control = Control()
    control.cancel()
    assert play_on(scale(), deal(GAME, 5), Tally.empty(scale()), 1, control) is None


def test_counts_of_a_deal_by_hand() -> None:
    found = features_of(deal(GAME, 5))
    assert set(found) == set(FEATURES)
    dealt = deal(GAME, 5)
    kings = sum(c.rank == 13 for column in dealt.columns for c in column)
    assert found["hidden_kings"] + found["kings_at_bottom"] == kings
    aces = sum(c.rank == 1 for c in dealt.stock)
    assert found["late_aces"] == aces


def test_what_is_unusual_is_said_the_weightiest_first() -> None:
    kings = features_of(deal(GAME, 5))["hidden_kings"]
    aces = features_of(deal(GAME, 5))["late_aces"]
    told = replace(
        scale(),
        features={
            "hidden_kings": Feature(kings - 3, 1.0, 0.2),
            "late_aces": Feature(aces + 2, 1.0, 0.1),
            "open_aces": Feature(0.0, 0.0, 1.0),
        },
    )
    found = reasons(told, deal(GAME, 5))
    assert [r.harder for r in found] == [True, False]
    lines = explained(told, deal(GAME, 5))
    assert lines[0].startswith("harder: ")
    assert "King" in lines[0]
    assert f"usually {kings - 3:.1f}" in lines[0]
    assert lines[1].startswith("easier: ")


def test_with_one_suit_moves_are_told_once() -> None:
    moves = Feature(features_of(deal(GAME, 5))["first_moves"] + 5, 1.0, -0.2)
    told = replace(scale(), features={"first_moves": moves, "suited_moves": moves})
    assert [r.text.split(" (")[0].endswith("at the start") for r in reasons(told, deal("spider-1", 5))] == [
        True
    ]
    assert not any("in suit" in r.text for r in reasons(told, deal("spider-1", 5)))
    assert any("in suit" in r.text for r in reasons(told, deal("spider-2", 5)))


def test_chances_in_words() -> None:
    assert [chance(x) for x in (0.0, 0.004, 0.374, 1.0)] == ["0 %", "under 1 %", "37 %", "100 %"]
