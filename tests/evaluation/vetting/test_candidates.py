"""When a candidate has been played enough: its label is clear, another one is, or it hardly will be."""

from __future__ import annotations

import math
import random

import pytest

from engine.core import Control
from engine.deals import Deal, deal
from engine.variants import resolve
from evaluation.vetting import candidates
from evaluation.vetting.calendars import Bounds, Effort
from evaluation.vetting.candidates import Candidate, State, Wanted, chance_to_clear, step
from evaluation.vetting.rating import CLEAR_Z, Tally
from evaluation.vetting.scale import Difficulty, Estimate, Scale
from evaluation.vetting.scalefile import nearest

DEALT = deal("spider-1", 5)
SCALE = nearest(resolve("spider-1"))[0]
BATCH = sum(r.batch for r in SCALE.raters)
NEAR, CLEAR = SCALE.cuts[0] - 0.01, (SCALE.cuts[0] + SCALE.cuts[1]) / 2


def rated(b: float, monkeypatch: pytest.MonkeyPatch, **changes: object) -> Candidate:
    """A candidate of difficulty b held against "medium" until its rating is over, by the model's games."""
    draw = random.Random(1)

    def drawn(scale: Scale, dealt: Deal, tally: Tally, rng: int, control: Control) -> Tally:
        rows = []
        for rater, row in zip(scale.raters, tally.counts, strict=True):
            kinds = draw.choices(range(len(row)), rater.probabilities(b), k=rater.batch)
            rows.append(tuple(n + kinds.count(k) for k, n in enumerate(row)))
        return Tally(tuple(rows))

    monkeypatch.setattr(candidates, "play_on", drawn)
    given: dict[str, object] = {"difficulty": Difficulty.MEDIUM, "bounds": Bounds(), "effort": Effort()}
    wanted = Wanted(**{**given, "memory_mb": 256, **changes})  # type: ignore[arg-type]
    candidate = Candidate.fresh(DEALT, SCALE)
    while candidate.state is State.NEW:
        after = step(candidate, SCALE, wanted, Control())
        assert after is not None
        candidate = after
    return candidate


def test_a_deal_within_its_band_is_taken_as_soon_as_that_is_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rated(CLEAR, monkeypatch)
    assert found.state is State.RATED
    assert found.rating is not None
    assert not found.rating.borderline
    assert found.tally.games < Effort().patience


def test_a_deal_of_another_label_is_passed_over_early(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rated(SCALE.cuts[2] + 0.5, monkeypatch)
    assert [r.rule for r in found.refusals] == ["difficulty"]
    assert found.tally.games <= 3 * BATCH


def test_a_deal_near_a_cut_is_not_played_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rated(NEAR, monkeypatch)
    assert found.refusals[0].rule in ("difficulty", "borderline")
    assert found.tally.games < Effort().patience
    monkeypatch.setattr(candidates, "GIVE_UP", 0.0)
    assert rated(NEAR, monkeypatch).tally.games > found.tally.games


def test_where_borderline_deals_are_wanted_it_is_played_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rated(SCALE.cuts[0] + 0.002, monkeypatch, bounds=Bounds(borderline=True))
    assert found.rating is not None
    assert found.rating.borderline
    assert found.tally.games + BATCH > Effort().games


def test_a_sites_own_deal_is_never_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rated(SCALE.cuts[2] + 0.5, monkeypatch, whole=True)
    assert found.state is State.RATED
    assert found.rating is not None
    assert not found.rating.borderline


@pytest.mark.parametrize("b", [-0.2, -0.05, 0.05, 0.2, 0.4])
def test_the_chance_to_become_clear_is_that_of_playing_on(b: float) -> None:
    """Against drawing the deal's true difficulty, and what the games still to come will say of it."""
    played, error, band = 0.2, 0.12, (0.0, 0.5)
    last = error * math.sqrt(played)
    draw, times = random.Random(7), 20_000
    clear = 0
    for _ in range(times):
        rest = draw.gauss(draw.gauss(b, error), error * math.sqrt(played / (1 - played)))
        final = played * b + (1 - played) * rest
        clear += band[0] + CLEAR_Z * last < final < band[1] - CLEAR_Z * last
    assert chance_to_clear(Estimate(b, error), played, band) == pytest.approx(clear / times, abs=0.02)


def test_a_band_too_narrow_for_its_games_is_never_clear() -> None:
    assert chance_to_clear(Estimate(0.1, 0.3), 0.5, (0.0, 0.2)) == 0.0
