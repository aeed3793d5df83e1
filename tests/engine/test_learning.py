"""The fit behind the learned weights, on examples whose answer is known."""

from __future__ import annotations

import numpy as np

from engine.variants import NAMED
from tools.learn_solver import fit, whole
from tools.tune_solver import coordinates, moved


def test_the_fit_finds_what_tells_the_line_from_the_rest() -> None:
    """Positions on the line have more of feature 0 and less of feature 1; feature 2 says nothing."""
    rng = np.random.default_rng(5)
    groups = []
    for _ in range(400):
        all_ = rng.normal(size=(9, 3))
        utility = 2 * all_[:, 0] - all_[:, 1] + rng.gumbel(size=9)
        best = int(np.argmax(utility))
        groups.append((np.delete(all_, best, 0) - all_[best]).astype(np.float32))
    w = fit(groups, np.zeros(3), 1e-6)
    assert abs(w[0] - 2) < 0.3
    assert abs(w[1] + 1) < 0.3
    assert abs(w[2]) < 0.2


def test_a_strong_pull_keeps_the_prior() -> None:
    groups = [np.array([[1.0, -1.0]], dtype=np.float32)] * 50
    prior = np.array([0.7, 0.3])
    assert np.allclose(fit(groups, prior, 1e6), prior, atol=1e-3)


def test_weights_are_scaled_and_rounded_block_after_block() -> None:
    assert whole([np.array([0.1, -0.2]), np.array([0.26, 0.0])], 10) == [1, -2, 3, 0]


def test_slopes_move_a_weight_by_stock_rows() -> None:
    along = coordinates(NAMED["spider-4"], True)
    plain = coordinates(NAMED["simple-simon-4"], True)
    assert len(along) > len(plain)
    start = [0] * len(plain)
    slope = next(k for k, (_, sloped, _) in enumerate(along) if sloped)
    x = np.zeros(len(along))
    x[slope] = 10
    rows = np.array(moved(start, along, x, 5)).reshape(6, -1)
    feature, _, step = along[slope]
    assert rows[:, feature].tolist() == [round(10 * step * r) for r in range(6)]
    assert not np.delete(rows, feature, 1).any()
