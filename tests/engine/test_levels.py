"""Options, advice and the fitted numbers behind the levels."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import pytest

from engine import _core, weights
from engine.core import rules_of
from engine.deals import deal
from engine.levels import OPTIONS, Choice, PlayerError, Switch, level_options, settings_for
from engine.players import PlayerSpec, play_batch
from engine.variants import NAMED
from engine.weights import ValueNet, WeightsError, families, hand_weights, net_of, value_net, version

SMALL = {"width": 12, "depth": 8, "value": False, "weigh_deals": False}


def games(options: dict[str, int | str | bool]) -> list[tuple[int, ...]]:
    variant = NAMED["spider-4"]
    deals = [deal(variant, seed).packed() for seed in range(8)]
    played = play_batch(variant, deals, PlayerSpec("club", {**SMALL, **options}), [0] * len(deals))
    return [game.moves for game in played if game is not None]


@pytest.mark.parametrize(
    "options",
    [
        {"kings": "spaces"},
        {"kings": "with-run"},
        {"kings": "avoid"},
        {"suit": "suit"},
        {"suit": "depletion"},
        {"high_first": True},
        {"tall_first": True},
        {"least_filler": True},
    ],
    ids=str,
)
def test_every_piece_of_advice_changes_how_deals_are_played(options: dict[str, int | str | bool]) -> None:
    assert games(options) != games({})


def test_advice_left_to_the_level_changes_nothing() -> None:
    assert games({"kings": "level", "suit": "level", "high_first": False}) == games({})


@pytest.mark.parametrize("name", ["width", "depth", "samples", "noise", "early_deal", "trust"])
def test_more_effort_or_error_is_another_game(name: str) -> None:
    values = {"width": 40, "depth": 20, "samples": 2, "noise": 3000, "early_deal": 500, "trust": 1}
    base = {"value": True} if name in ("samples", "trust") else {}
    assert games({**base, name: values[name]}) != games(dict(base))


def test_words_and_switches_are_checked() -> None:
    with pytest.raises(PlayerError, match="kings: 'queens' is not one of level, spaces, with-run, avoid"):
        settings_for(NAMED["spider-4"], "club", {"kings": "queens"})
    with pytest.raises(PlayerError, match="tall_first: expected true or false, not 1"):
        settings_for(NAMED["spider-4"], "club", {"tall_first": 1})


@pytest.mark.parametrize("level", ["novice", "casual", "club", "expert"])
@pytest.mark.parametrize("name", NAMED)
def test_every_level_has_valid_values_for_every_option_and_variant(level: str, name: str) -> None:
    options = level_options(NAMED[name], level)
    assert set(options) == set(OPTIONS)
    for option, value in options.items():
        assert isinstance(value, str) == isinstance(OPTIONS[option], Choice)
        assert isinstance(value, bool) == isinstance(OPTIONS[option], Switch)
        OPTIONS[option].check(option, value)


@pytest.mark.parametrize("name", NAMED)
def test_every_variant_has_hand_weights(name: str) -> None:
    assert families(NAMED[name])[-1] == "spider-4"
    assert len(hand_weights(NAMED[name])) == len(_core.weight_names())


def test_a_level_may_have_changed_for_some_variants_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = {"expert": {"spider-2": {}, "spiderette-2": {}}}
    since = {"expert": 5, "expert spider-2": 8, "club": 4}
    monkeypatch.setattr(weights, "_file", lambda _: {"version": 9, "since": since, "levels": levels})
    for name, first in {"spider-2": 8, "spider44-2": 8, "spiderette-2": 5, "spider-4": 5}.items():
        assert weights.since("expert", NAMED[name]) == first
    assert weights.since("expert") == 8
    assert weights.since("club", NAMED["spider-2"]) == weights.since("club") == 4
    assert weights.since("guest", NAMED["spider-2"]) == weights.since("guest") == 9


def test_data_files_say_how_they_were_made_and_fit_the_core() -> None:
    found = sorted(p.name for p in files("engine").joinpath("data").iterdir() if p.name.startswith("value-"))
    assert found
    for name in found:
        data = json.loads(files("engine").joinpath("data", name).read_text("utf-8"))
        assert data["format"] == "spidervet-value/1"
        for made in data["made"].get("mean of", [data["made"]]):
            assert made["variant"] in NAMED  # whose games it was fitted on; it may serve others
            assert made["data"]
        assert all(isinstance(n, int) for n in (*data["first"], *data["bias"], *data["last"]))
        kind = name.removeprefix("value-").removesuffix(".json")
        level = "expert" if kind.startswith("expert-") else "club"
        net = value_net(NAMED[kind.removeprefix("expert-")], level)
        assert net is not None
        assert net == net_of(data, _core.feature_names())
        _core.PlayerSettings().set_value(net.first, net.bias, net.last, net.last_bias, net.nets, net.caution)
    assert version().isdigit()


def test_a_value_is_used_only_for_the_games_it_was_learned_on() -> None:
    assert value_net(NAMED["spider44-4"]) is value_net(NAMED["spider-4"])
    assert value_net(NAMED["spiderette-4"]) is None
    assert value_net(NAMED["black-widow"]) is None
    assert value_net(replace(NAMED["spider-4"], ranks=8, columns=(4,) * 10, face_down=(3,) * 10)) is None


def test_a_value_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match="value net: sizes do not fit"):
        _core.PlayerSettings().set_value([1, 2, 3], [0] * 8, [0] * 8, 0)
    with pytest.raises(ValueError, match="weights: 3 values, expected"):
        _core.PlayerSettings().set_weights([1, 2, 3])


def test_a_net_goes_by_the_inputs_it_names_in_the_order_of_the_core() -> None:
    data = {"inputs": ["b", "a"], "first": [1, 2, 3, 4], "bias": [5, 6], "last": [7, 8], "last_bias": 9}
    assert net_of(data, ["a", "new", "b"]) == ValueNet((3, 4, 0, 0, 1, 2), (5, 6), (7, 8), 9)
    with pytest.raises(WeightsError, match="not those of the core"):
        net_of(data, ["a", "new"])
    with pytest.raises(WeightsError, match="not those of the core"):
        net_of(data | {"inputs": ["a", "a"]}, ["a", "b"])
    with pytest.raises(WeightsError, match="2 first weights for each of 2 inputs"):
        net_of(data | {"first": [1, 2, 3]}, ["a", "b"])


@pytest.mark.parametrize(("caution", "logit"), [(0, 50), (50, -25), (100, -100)])
def test_a_value_is_the_mean_of_its_nets_less_a_share_of_the_way_to_the_least(
    caution: int, logit: int
) -> None:
    """Two nets of eight units that say 2 and -1 whatever they are told."""
    variant, units = NAMED["spider-4"], 16
    settings = settings_for(variant, "club", {"width": 4, "depth": 3})
    last = [2 * 1024, *[0] * 7, -1024, *[0] * 7]
    first = [0] * (units * len(_core.feature_names()))
    settings.set_value(first, [4096] * units, last, 0, nets=2, caution=caution)
    assert _core.values_in_sight(rules_of(variant), [deal(variant, 1).packed()], settings) == [logit]


def test_nets_that_do_not_share_the_units_evenly_are_refused() -> None:
    first = [0] * (8 * len(_core.feature_names()))
    for nets, caution in [(3, 0), (0, 0), (1, 101)]:
        with pytest.raises(ValueError, match="value net: nets or caution out of range"):
            _core.PlayerSettings().set_value(first, [0] * 8, [0] * 8, 0, nets=nets, caution=caution)


SAMPLED: dict[str, int | str | bool] = {"value": True, "samples": 2, "sample_width": 4, "sample_depth": 6}


@pytest.mark.parametrize(("option", "value"), [("sample_plies", 3), ("sample_plies", 200)])
def test_playing_on_in_sampled_worlds_is_another_game(option: str, value: int) -> None:
    assert games(SAMPLED) != games({**SAMPLED, option: value})


def test_how_far_sampled_worlds_are_played_is_bounded_by_stock_deals() -> None:
    far = {**SAMPLED, "sample_plies": 200}
    assert games({**far, "sample_deals": 0}) != games(far)
    assert games({**far, "sample_deals": 100}) == games(far)


def test_once_its_sampled_worlds_are_used_up_a_player_chooses_without() -> None:
    plain, sampled = games({"value": True}), games({**SAMPLED, "sample_budget": 40})
    assert games({**SAMPLED, "sample_budget": 0}) == plain
    assert sampled not in (plain, games(SAMPLED))


def test_lines_can_be_compared_where_the_stock_is_dealt_alone() -> None:
    weighs = {"value": True, "weigh_deals": True}
    plain, everywhere = games(weighs), games({**SAMPLED, **weighs})
    assert games({**SAMPLED, **weighs, "sample_only_deals": True}) not in (plain, everywhere)
