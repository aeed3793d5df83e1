"""`play` and `players` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from engine.formats.games import read_game
from engine.players import Level
from evaluation.stats import wilson


def test_many_games_of_one_deal_end_with_their_rate_and_interval() -> None:
    words = ["play", "--variant", "spiderette-1", "--seed", "3", "--player", "casual", "--repeat", "12"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    data = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert data["wins"] == sum(game["won"] for game in data["games"])
    assert data["win_interval"] == pytest.approx(wilson(data["wins"], 12))
    assert result.stdout.splitlines()[-1].startswith(f"won {data['wins']} of 12: ")
    assert len({tuple(game["moves"]) for game in data["games"]}) > 6


def test_a_level_that_plays_one_game_every_time_gets_no_interval() -> None:
    words = ["play", "--variant", "spiderette-1", "--seed", "3", "--player", "club", "--repeat", "3"]
    data = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert (data["n"], data["distinct"], data["win_interval"]) == (3, 1, None)
    last = CliRunner().invoke(app, words).stdout.splitlines()[-1]
    assert last == "club plays the same game all 3 times, whatever rng: no rate, no interval"


def test_players_are_listed_with_their_options() -> None:
    data = json.loads(CliRunner().invoke(app, ["players", "--json"]).stdout)
    assert [player["name"] for player in data["players"]][:5] == [level.value for level in Level]
    assert "width" in data["players"][3]["options"]


def test_an_identity_is_printed_as_it_is() -> None:
    result = CliRunner().invoke(app, ["play", "--variant", "scorpion", "--seed", "5", "--player", "hint"])
    assert result.stdout.startswith("spidervet:scorpion:5 hint rng 1: ")


def test_every_game_goes_to_a_file_of_its_own(tmp_path: Path) -> None:
    words = ["play", "--variant", "spiderette-1", "--seed", "3", "--player", "casual", "--rng", "7"]
    several = [*words, "--repeat", "3", "--json", "--out", str(tmp_path / "game.json")]
    played = json.loads(CliRunner().invoke(app, several).stdout)["games"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game-8.json", "game-9.json", "game.json"]
    for game, name in zip(played, ("game", "game-8", "game-9"), strict=True):
        assert list(read_game((tmp_path / f"{name}.json").read_bytes()).moves) == game["moves"]


@pytest.mark.parametrize(
    "words",
    [["play", "--player", "expert", "--repeat", "1000"], ["solve"]],
    ids=["play", "solve"],
)
def test_a_folder_that_is_not_there_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr("cli.single.play_batch", None)
    monkeypatch.setattr("cli.single.solve_batch", None)
    file = tmp_path / "none" / "game.json"
    result = CliRunner().invoke(app, [*words, "--variant", "spider-4", "--seed", "3", "--out", str(file)])
    assert result.exit_code == 2
    assert f"there is no folder {tmp_path / 'none'}" in result.stderr


def test_more_games_than_a_setting_allows_are_refused() -> None:
    words = ["play", "--variant", "spider-1", "--seed", "3", "--player", "novice", "--repeat", "1000000000"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "--repeat: 1000000000; SPIDERVET_MAX_REPEATS allows 1000" in result.stderr
