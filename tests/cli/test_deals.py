"""`show`, `verify`, `variants`, `schemes` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from cli.main import app
from engine import _core
from engine.core import rules_of
from engine.deals import SCHEMES, deal
from engine.formats import Format, read_deal, write_deal
from engine.formats.games import game_object, write_game
from engine.formats.prooffiles import ProofRecord, write_proof
from engine.proofs import Certificate
from engine.replay import GameRecord
from engine.variants import NAMED, resolve


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("form", list(Format))
def test_show_writes_every_format(form: Format) -> None:
    result = run(
        "show", "--variant", "simple-simon", "--seed", "24", "--scheme", "pysolfc", "--format", form.value
    )
    assert result.exit_code == 0
    made = deal("simple-simon", 24, "pysolfc")
    assert read_deal(result.stdout, made.variant).packed() == made.packed()


def test_show_json_has_the_deal_and_its_outlook() -> None:
    record = json.loads(run("show", "--variant", "spider", "--seed", "5", "--json").stdout)
    assert (record["format"], record["id"], record["outlook"]) == (
        "spidervet-deal/1",
        "spidervet:spider-4:5",
        "alive",
    )
    assert read_deal(json.dumps(record)) == deal("spider-4", 5)


def test_show_says_that_a_deal_is_lost_from_the_start() -> None:
    result = run("show", "--variant", "simple-simon", "--seed", "46", "--scheme", "pysolfc")
    assert "outlook: stuck" in result.stderr


def test_show_turns_a_file_into_another_format(tmp_path: Path) -> None:
    file = tmp_path / "deal.xml"
    file.write_text(write_deal(deal("spider-2", 7, "kpat"), Format.KPAT))
    result = run("show", "--layout", str(file), "--format", "text")
    assert "id: kpat:spider-2:7" in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--variant", "spider-4"], "say either --seed or --layout"),
        (["--seed", "4"], "--variant is needed with --seed"),
        (["--variant", "spider-9", "--seed", "4"], "no variant is named 'spider-9'"),
        (["--variant", "spider-4", "--seed", "-4"], "is not a whole number from 0"),
        (["--variant", "spider50-4", "--seed", "4", "--scheme", "kpat"], "kpat does not deal spider50-4"),
        (["--variant", "spider-4", "--seed", "4", "--format", "pysolfc"], "no place for the stock"),
    ],
)
def test_show_refuses_bad_usage_and_says_why(words: list[str], said: str) -> None:
    result = run("show", *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_bad_file_is_refused_with_its_name_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text("variant: spider-4\n: 4X\n")
    result = run("show", "--layout", str(file))
    assert result.exit_code == 2
    assert "bad.txt: line 2, column 3: '4X' is not a card" in result.stderr


def test_a_custom_variant_is_a_record_or_a_file_of_one(tmp_path: Path) -> None:
    record = {"base": "spider-4", "name": "relaxed", "stock_deal_over_empty": "allowed"}
    file = tmp_path / "relaxed.json"
    file.write_text(json.dumps(record))
    made = deal(resolve(record), 5)
    for text in (json.dumps(record), f"@{file}"):
        shown = json.loads(run("show", "--variant", text, "--seed", "5", "--json").stdout)
        assert shown["id"] == str(made.identity)
        solved = json.loads(
            run("solve", "--variant", text, "--seed", "5", "--nodes", "300000", "--json").stdout
        )
        assert solved["id"] == str(made.identity)
    for text, said in (
        ("{", "not JSON"),
        ("@/nowhere", "/nowhere: no such file or directory"),
        ('{"base": "spider-4", "sorts": 1}', "sorts"),
    ):
        result = run("show", "--variant", text, "--seed", "5")
        assert result.exit_code in (1, 2)
        assert said in result.stderr


def game_file(folder: Path, *moves: str, by: str = "someone") -> Path:
    file = folder / "game.json"
    file.write_text(write_game(GameRecord(deal("spider-4", 5), moves, by)))
    return file


def test_verify_judges_a_legal_game(tmp_path: Path) -> None:
    result = run("verify", str(game_file(tmp_path, "deal", "undo", "deal")))
    assert result.exit_code == 0
    assert "unfinished after 2 moves, 1 undo, 0 sequences off" in result.stdout
    assert "windows: 497" in result.stdout


def test_verify_tells_the_first_illegal_move_and_ends_with_1(tmp_path: Path) -> None:
    result = run("verify", str(game_file(tmp_path, "deal", "1>1")), "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["legal"] is False
    assert answer["fault"]["number"] == 2
    assert answer["fault"]["reason"] == "column 1 cannot move onto itself"


def test_verify_ends_with_1_for_a_solution_that_does_not_win(tmp_path: Path) -> None:
    assert run("verify", str(game_file(tmp_path, "deal", by="solver"))).exit_code == 1


def test_verify_sends_no_escape_sequence_to_the_terminal(tmp_path: Path) -> None:
    result = run("verify", str(game_file(tmp_path, by="\x1b[31mred")))
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert r"by '\x1b[31mred'" in result.stdout


def test_verify_refuses_what_is_no_game(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    game = game_object(GameRecord(deal("spider-4", 5), ()))
    for text, said in (
        ("{", "not JSON"),
        ("{}", "expected spidervet-game/1 or spidervet-proof/1"),
        (json.dumps({**game, "moves": ["up"]}), "moves[0]: 'up' is no move"),
        (json.dumps({**game, "by": "\ud800"}), "text with half a character"),
        (json.dumps({"format": "x" * 2000}), "x...: expected spidervet-game/1"),
    ):
        file.write_text(text)
        result = run("verify", str(file))
        assert result.exit_code == 2
        assert said in result.stderr.replace("\n", " ")


def test_a_solution_that_solve_wrote_verifies(tmp_path: Path) -> None:
    file = tmp_path / "solution.json"
    solved = run("solve", "--variant", "spider-1", "--seed", "1", "--nodes", "300000", "--out", str(file))
    assert solved.exit_code == 0
    answer = json.loads(run("verify", str(file), "--json").stdout)
    assert (answer["legal"], answer["won"], answer["sequences"]) == (True, True, 8)


def test_a_proof_is_rechecked(tmp_path: Path) -> None:
    made = deal("simple-simon", 18, "pysolfc")
    text = _core.exhaust(rules_of(made.variant), made.packed(), 100_000, 64 << 20)[4]
    file = tmp_path / "proof.json"
    file.write_text(write_proof(ProofRecord(made, Certificate.parse(text))))
    unchecked = run("verify", str(file), "--json")
    assert (unchecked.exit_code, json.loads(unchecked.stdout)["holds"]) == (1, None)
    checked = run("verify", str(file), "--recheck", "--json")
    assert (checked.exit_code, json.loads(checked.stdout)["holds"]) == (0, True)
    wrong = json.loads(file.read_text())
    wrong["certificate"]["positions"] += 1
    file.write_text(json.dumps(wrong))
    refuted = run("verify", str(file), "--recheck", "--json")
    assert (refuted.exit_code, json.loads(refuted.stdout)["holds"]) == (1, False)


def test_variants_and_schemes_are_listed() -> None:
    record = json.loads(run("variants", "--json").stdout)
    assert [v["name"] for v in record["variants"]] == list(NAMED)
    assert record["aliases"]["spider"] == "spider-4"
    assert set(record["presets"]) == {"tavern", "recorded"}
    assert [s["name"] for s in json.loads(run("schemes", "--json").stdout)["schemes"]] == [*SCHEMES, "layout"]
    assert "black-widow" in run("variants").stdout
    assert "kpat" in run("schemes").stdout
