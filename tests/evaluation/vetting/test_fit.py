"""Fitting a scale: what games were drawn from is found again, and who plays a sample."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.variants import resolve
from evaluation.vetting.fit import categories_of, fit_raters, grouped, panel_of
from evaluation.vetting.scale import Rater
from evaluation.vetting.scalefile import shipped

TRUE = (
    Rater("casual", 1, (2, 8), 0.8, (1.0, -0.2)),
    Rater("club", 1, (8,), 1.3, (1.5,)),
)


def test_slopes_and_steps_are_found_again() -> None:
    """Deals of mean 0 and deviation 1, whatever the slopes are."""
    draw = random.Random(2)
    deals = [draw.gauss(0, 1) for _ in range(400)]
    tallies = []
    for rater in TRUE:
        kinds = range(len(rater.categories) + 1)
        rows = [draw.choices(kinds, rater.probabilities(b), k=60) for b in deals]
        tallies.append(np.array([[row.count(k) for k in kinds] for row in rows], dtype=np.int64))
    for found, true in zip(fit_raters(TRUE, tallies), TRUE, strict=True):
        assert found.slope == pytest.approx(true.slope, rel=0.12)
        assert found.steps == pytest.approx(true.steps, abs=0.15)


def test_rare_numbers_of_sequences_are_counted_together() -> None:
    outcomes = np.zeros((2, 9), dtype=np.int64)
    outcomes[0, [0, 1, 2, 7, 8]] = [50, 20, 1, 1, 40]
    outcomes[1, [0, 3, 8]] = [60, 9, 19]
    categories = categories_of(outcomes)
    assert categories == (1, 3, 8)
    assert grouped(outcomes, categories).tolist() == [[50, 21, 1, 40], [60, 0, 9, 19]]


@pytest.mark.parametrize("name", ["spider-1", "spider-2", "spider-4"])
def test_a_sample_is_whole_batches_of_the_shipped_shares(name: str) -> None:
    panels = panel_of(resolve(name), 300)
    batches = {p.games // p.batch for p in panels}
    assert len(batches) == 1
    assert all(p.games % p.batch == 0 for p in panels)
    assert [p.games for p in panel_of(resolve(name), 1)] == [p.batch for p in panels]
    scale = next(s for s in shipped().values() if s.variant == name)
    assert [(r.player, r.batch, dict(r.options)) for r in scale.raters] == [
        (p.player, p.batch, dict(p.options)) for p in panels
    ]
