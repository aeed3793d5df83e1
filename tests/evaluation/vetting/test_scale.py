"""The scale: difficulties read off games whose odds are known, and labels by cuts."""

from __future__ import annotations

import random

import pytest

from engine.deals import deal
from engine.variants import resolve
from evaluation.vetting.openings import difference, opening_of
from evaluation.vetting.rating import Tally, finished, rating_of
from evaluation.vetting.scale import GRID, STEP, Curve, Difficulty, Rater, Scale, estimate, logistic
from evaluation.vetting.scalefile import NoScaleError, from_json, nearest, shipped, to_json

RATERS = (
    Rater("casual", 16, (1, 4, 8), 1.4, (2.0, 1.0, 0.2)),
    Rater("club", 8, (8,), 1.1, (1.8,), {"noise": 200}),
)
SCALE = Scale("spider-1", "key", "0", (-0.6, 0.0, 0.7), Curve(1.4, 0.2), RATERS, {}, {})


def games(b: float, batches: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Games drawn from the model for a deal of difficulty b."""
    draw = random.Random(seed)
    rows = []
    for rater in RATERS:
        kinds = range(len(rater.categories) + 1)
        drawn = draw.choices(kinds, rater.probabilities(b), k=rater.batch * batches)
        rows.append(tuple(drawn.count(k) for k in kinds))
    return tuple(rows)


def test_probabilities_add_up_and_winning_is_the_last_step() -> None:
    for rater in RATERS:
        odds = rater.probabilities(0.4)
        assert sum(odds) == pytest.approx(1, abs=1e-5)
        assert odds[-1] == pytest.approx(rater.wins.at(0.4), abs=1e-9)


@pytest.mark.parametrize("b", [-1.5, -0.3, 0.0, 0.8, 2.0])
def test_the_interval_covers_the_truth_as_often_as_it_says(b: float) -> None:
    found = [estimate(SCALE, games(b, 20, seed)) for seed in range(200)]
    covered = sum(abs(e.b - b) <= 1.96 * e.error for e in found)
    assert 180 <= covered <= 198  # of 200; 190 are expected


def test_more_games_say_more() -> None:
    errors = [estimate(SCALE, games(0.3, n, 1)).error for n in (2, 8, 32, 128)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] / errors[-1] > 5


def test_the_most_likely_difficulty_is_that_of_every_point_of_the_grid() -> None:
    """It is searched by halving; here every point is looked at, also for games that no model would draw."""
    draw = random.Random(5)
    for scale in shipped().values():
        for _ in range(30):
            rows = [
                draw.choices(range(len(r.categories) + 1), r.probabilities(draw.gauss(0, 1.5)), k=40)
                for r in scale.raters
            ]
            tally = [[row.count(k) for k in range(len(r.categories) + 1)]
                     for row, r in zip(rows, scale.raters, strict=True)]  # fmt: skip

            def posterior(i: int, scale: Scale = scale, tally: list[list[int]] = tally) -> float:
                parts = zip(scale.raters, tally, strict=True)
                return sum(n * r.logs[i][k] for r, t in parts for k, n in enumerate(t)) - GRID[i] ** 2 / 2

            best = max(range(len(GRID)), key=posterior)
            assert abs(estimate(scale, tally).b - GRID[best]) <= STEP


def test_games_all_alike_leave_an_error() -> None:
    lost = ((16, 0, 0, 0), (8, 0))
    found = estimate(SCALE, lost)
    assert found.b > 1
    assert found.error > 0.2


def test_labels_are_where_the_cuts_are() -> None:
    at = [SCALE.label(b) for b in (-2.0, -0.3, 0.3, 0.9)]
    assert at == list(Difficulty)
    for label in Difficulty:
        low, high = SCALE.band(label)
        assert SCALE.label(max(low, -9) / 2 + min(high, 9) / 2) is label


def test_a_rating_goes_on_until_its_label_is_clear() -> None:
    clear = Tally(games(-2.0, 4, 3))
    near = Tally(games(0.0, 4, 3))
    assert finished(SCALE, clear, 4000)
    assert not finished(SCALE, near, 4000)
    assert finished(SCALE, near, near.games)
    assert rating_of(SCALE, near).borderline
    assert not rating_of(SCALE, clear).borderline


def test_a_rating_says_what_people_and_levels_do() -> None:
    rating = rating_of(SCALE, Tally(games(-1.0, 50, 4)))
    low, high = rating.interval
    assert low < rating.win_rate < high
    assert rating.win_rate == pytest.approx(logistic(1.4 * (0.2 - rating.b)))
    assert dict(rating.by_level)["club(noise=200)"] > dict(rating.by_level)["casual"]


def test_scales_survive_their_file() -> None:
    assert from_json(to_json(SCALE)) == SCALE
    with pytest.raises(ValueError, match="spidervet-scale/1"):
        from_json({"format": "other"})


def test_every_shipped_scale_is_whole() -> None:
    assert {"spider-1", "spider-4"} <= {s.variant for s in shipped().values()}
    for scale in shipped().values():
        assert resolve(scale.variant).key == scale.variant_key
        assert list(scale.cuts) == sorted(scale.cuts)
        assert {"novice", "casual", "club"} <= {r.player for r in scale.raters}
        assert all(r.categories[-1] == resolve(scale.variant).sequences for r in scale.raters)
        strongest = max(scale.raters, key=lambda r: r.wins.at(0))
        assert strongest.player == "club"


def test_a_custom_game_borrows_the_nearest_scale_and_says_so() -> None:
    own, is_own = nearest(resolve("spider-1"))
    assert is_own
    relaxed = resolve({"base": "spider-1", "name": "relaxed", "stock_deal_over_empty": "allowed"})
    borrowed, is_own = nearest(relaxed)
    assert not is_own
    assert borrowed == own
    with pytest.raises(NoScaleError, match="calendar scale --variant"):
        nearest(
            resolve(
                {"base": "spider-1", "name": "mini", "ranks": 4, "columns": [2] * 10, "face_down": [0] * 10}
            )
        )


MINI = {"base": "spider-1", "name": "mini", "ranks": 4, "columns": [2] * 10, "face_down": [0] * 10}


def test_openings_are_compared_without_their_order() -> None:
    one, other = deal("spider-4", 1), deal("spider-4", 2)
    assert difference(opening_of(one), opening_of(one)) == 0
    assert difference(opening_of(one), opening_of(other)) > 4
    assert difference(("AS", "KS"), ("KS", "AS")) == 0
    assert difference(("AS", "AS", "KS"), ("AS", "KS", "KS")) == 1
