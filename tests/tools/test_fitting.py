"""The programs behind the players' numbers: the optimiser, the fit, its rounding, the seeds set aside."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import _core
from engine.levels import PlayerError, settings_for
from engine.solver import SolverSpec, solve_batch
from engine.variants import NAMED
from tools import learn_short
from tools.arena import HELD_OUT, packed_deals
from tools.cma import CMAES
from tools.fit_value import joined, load, traced
from tools.join_values import joined as joined_files
from tools.pairs import difference, settings_of
from tools.tune_solver import spidervet_deals
from tools.value_fit import ACTIVE_SCALE, FIRST_SCALE, LAST_SCALE, fit


def test_cma_es_finds_the_bottom_of_a_narrow_valley() -> None:
    target, steepness = np.array([3.0, -2.0, 1.0, 0.5]), np.array([1.0, 100.0, 10.0, 1000.0])
    search = CMAES(np.zeros(4), np.ones(4), size=12, seed=1)
    for _ in range(150):
        search.tell(np.array([float((steepness * (point - target) ** 2).sum()) for point in search.ask()]))
    assert search.mean == pytest.approx(target, abs=1e-3)


def test_the_fit_learns_and_survives_its_rounding() -> None:
    rng = np.random.default_rng(3)
    inputs = rng.integers(-20, 60, (6000, 5)).astype(np.int16)
    truth = 1 / (1 + np.exp(-(0.1 * inputs[:, 0] - 0.05 * np.abs(inputs[:, 1] - 20))))
    targets = (rng.random(6000) < truth).astype(np.float32)
    games = np.arange(6000, dtype=np.int32)
    net, report = fit(inputs, targets, games, units=16, epochs=120, seed=0)
    assert float(report.rsplit(" ", 1)[1]) > 0.75

    first, bias, last, last_bias = (np.array(x) for x in net.whole_numbers())
    hidden = np.maximum(inputs.astype(int) @ first.reshape(5, 16) + bias, 0) * ACTIVE_SCALE // FIRST_SCALE
    rounded = (hidden @ last + last_bias) / (ACTIVE_SCALE * LAST_SCALE)
    assert np.abs(rounded - net.logits(inputs)).max() < 0.1


def test_joined_nets_say_their_mean_in_whole_numbers() -> None:
    rng = np.random.default_rng(4)
    inputs = rng.integers(-20, 60, (2000, 5)).astype(np.int16)
    targets = (inputs[:, 0] > inputs[:, 1]).astype(np.float32)
    games = np.arange(2000, dtype=np.int32)
    nets = [fit(inputs, targets, games, units=7, epochs=4, seed=seed)[0] for seed in range(2)]

    form = joined(nets)
    first, bias, last = (np.array(form[name]) for name in ("first", "bias", "last"))
    hidden = np.maximum(inputs.astype(int) @ first.reshape(5, 16) + bias, 0) * ACTIVE_SCALE // FIRST_SCALE
    rounded = (hidden @ last) / (ACTIVE_SCALE * LAST_SCALE) / len(nets)
    assert np.abs(rounded - (nets[0].logits(inputs) + nets[1].logits(inputs)) / 2).max() < 0.05


def value_file(inputs: list[str], weight: int, nets: int = 1) -> dict[str, Any]:
    units = 8 * nets
    numbers = {"first": [weight] * (units * len(inputs)), "bias": [weight] * units, "last": [1] * units}
    return {"made": f"of {weight}", "inputs": inputs, "nets": nets, "caution": 0, "last_bias": 0, **numbers}


def test_value_files_are_joined_net_by_net_whatever_inputs_they_name() -> None:
    names = _core.feature_names()
    file = joined_files([value_file(names[:2], 3), value_file(names[:3], 5, nets=2)])
    assert (file["nets"], file["inputs"], file["made"]) == (3, names[:3], {"mean of": ["of 3", "of 5"]})
    assert np.reshape(file["first"], (3, 24)).tolist() == [*[[3] * 8 + [5] * 16] * 2, [0] * 8 + [5] * 16]
    assert file["bias"] == [3] * 8 + [5] * 16


def test_nets_of_unlike_sizes_are_not_joined() -> None:
    names = _core.feature_names()
    small = value_file(names[:2], 3)
    with pytest.raises(ValueError, match="differ in units"):
        joined_files([small, {**value_file(names[:2], 3, nets=2), "nets": 1}])
    with pytest.raises(ValueError, match="last bias of its own"):
        joined_files([small, {**small, "last_bias": 7}])


def test_of_the_games_won_one_in_so_many_is_read(tmp_path: Path) -> None:
    games, won = np.array([1, 1, 2, 3, 3, 4], np.int32), np.array([1, 1, 0, 1, 1, 1], np.int8)
    rows = np.arange(6, dtype=np.int16).reshape(6, 1)
    off, of = np.full(6, 4, np.int8), np.full(6, 8, np.int8)
    np.savez(tmp_path / "games.npz", rows=rows, games=games, won=won, sequences=off, of=of)
    found, targets, numbers = load([tmp_path / "games.npz"], inputs=2, won=3)
    assert found.tolist() == [[2, 0], [3, 0], [4, 0]]
    assert targets.tolist() == pytest.approx([0.05, 1, 1])
    assert numbers.tolist() == [2, 3, 3]


def test_traced_targets_look_ahead_in_the_same_game_alone() -> None:
    targets = np.array([1, 1, 1, 0, 0], np.float32)
    said = np.array([0.5, 0.6, 0.8, 0.3, 0.1], np.float32)
    games = np.array([7, 7, 7, 8, 8], np.int32)
    found = traced(targets, games, said, 0.5)
    assert found == pytest.approx([0.5 * 0.6 + 0.5 * (0.5 * 0.8 + 0.5), 0.5 * 0.8 + 0.5, 1, 0.5 * 0.1, 0])
    assert traced(targets, games, said, 1) == pytest.approx(targets)


def test_the_held_out_deals_are_refused_in_tuning() -> None:
    with pytest.raises(ValueError, match="held out"):
        packed_deals(NAMED["spider-4"], HELD_OUT[-2:])


def test_a_difference_in_pairs_counts_both_sides() -> None:
    base, won = np.array([1, 0, 0, 1, 0]), np.array([1, 1, 1, 0, 0])
    assert difference(won, base) == "+20.0 ± 33.5 (2:1)"
    assert difference(base, base) == "+0.0 ± 0.0 (0:0)"


def test_an_arm_is_a_level_with_options_and_a_value_file() -> None:
    variant = NAMED["spider-2"]
    assert settings_of(variant, "club").width == settings_for(variant, "club", {}).width
    value = files("engine").joinpath("data", "value-spider-4.json")
    assert settings_of(variant, f'club {{"width": 9, "ends": 7}} {value}').width == 9
    with pytest.raises(PlayerError, match="breadth: is not an option"):
        settings_of(variant, 'club {"breadth": 9}')
    with pytest.raises(ValueError, match="is not: level, options, value file"):
        settings_of(variant, "club with width")


def test_a_vector_for_short_lines_is_learned_and_read_back(tmp_path: Path) -> None:
    variant = NAMED["spiderette-1"]
    deals, shipped = spidervet_deals(variant, 1, 8), learn_short.named("0")
    lines = solve_batch(variant, deals, SolverSpec(shorten_nodes=100_000))
    data = learn_short.examples(variant, deals, lines, shipped, 60)
    assert set(data) == {0, 1, 2, 3, 4}
    width = len(_core.solver_feature_names())
    assert {group.shape[1] for groups in data.values() for group in groups} == {width + 1}

    prior = np.array([*shipped.weights, *shipped.costs], float)
    found = learn_short.learned(data, prior, 4, pull=0.01)
    file = tmp_path / "short.json"
    file.write_text(json.dumps(found))
    pooled, staged = (learn_short.named(f"{kind}:{file}") for kind in ("pooled", "staged"))
    assert (len(pooled.weights), len(pooled.costs)) == (width, 1)
    assert (len(staged.weights), len(staged.costs)) == (5 * width, 5)
    everything = [group for groups in data.values() for group in groups]
    first = [
        np.mean([(group @ vector < 0).all() for group in everything])
        for vector in (prior, np.array([*pooled.weights, *pooled.costs], float))
    ]
    assert first[1] > first[0] + 0.05


def test_a_beam_under_a_shipped_vector_for_short_lines_finds_them() -> None:
    found = learn_short.lengths(
        NAMED["spider-4"], spidervet_deals(NAMED["spider-4"], 1, 3), learn_short.named("0"), 200
    )
    assert found
    assert max(found) < 180
