"""`evaluate`, `solve`, `play`, and the commands that talk to a service, as a user calls them."""

from __future__ import annotations

import csv
import json
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from cli.common import read_json
from cli.main import app
from cli.single import shorten_nodes
from engine.deals import deal
from engine.formats import Format, write_deal
from engine.formats.games import read_game
from engine.replay import judge_record
from engine.solver import SHORTEN_NODES
from evaluation.versions import engine_version
from tests.support.service import Service, serving


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def spidervet(*words: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "cli.main", *words], capture_output=True, text=True, timeout=120
    )


ARMS = ["--variant", "spider-1", "--variant", "spiderette", "--seeds", "1-12", "--player", "hint"]


def test_evaluate_gives_one_object_in_every_form(tmp_path: Path) -> None:
    files = [tmp_path / f"r.{kind}" for kind in ("json", "csv")]
    outs = [word for file in files for word in ("--out", str(file))]
    done = spidervet("evaluate", *ARMS, "--jobs", "1", "--json", *outs)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert json.loads(files[0].read_text()) == report
    assert [(a["variant"], a["n"]) for a in report["arms"]] == [("spider-1", 12), ("spiderette-4", 12)]
    rows = list(csv.DictReader(files[1].read_text().splitlines()))
    assert len(rows) == 24
    assert sum(r["won"] == "true" for r in rows[:12]) == report["arms"][0]["wins"]


def test_a_json_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "job.json"
    file.write_text('{"name": "week"}', encoding="utf-8-sig")
    assert read_json(file) == {"name": "week"}


def test_a_job_file_is_the_same_job(tmp_path: Path) -> None:
    job = {
        "deals": {"first": 1, "count": 12},
        "variants": ["spider-1", "spiderette"],
        "evaluators": [{"player": "hint"}],
    }
    file = tmp_path / "job.json"
    file.write_text(json.dumps(job))
    one, two = (
        spidervet("evaluate", *words, "--jobs", "1", "--json") for words in (ARMS, ["--job", str(file)])
    )
    assert json.loads(one.stdout)["arms"] == json.loads(two.stdout)["arms"]


def test_a_job_file_runs_over_other_deals_of_its_scheme(tmp_path: Path) -> None:
    job = {"deals": {"scheme": "kpat", "first": 1, "count": 900}, "variants": ["spider-1"],
           "evaluators": [{"player": "hint"}]}  # fmt: skip
    file, out = tmp_path / "job.json", tmp_path / "rows.csv"
    file.write_text(json.dumps(job))
    result = run("evaluate", "--job", str(file), "--seeds", "7,5", "--jobs", "1", "--out", str(out))
    assert result.exit_code == 0, result.output
    rows = csv.DictReader(out.read_text().splitlines())
    assert [r["id"] for r in rows] == ["kpat:spider-1:7", "kpat:spider-1:5"]


def test_what_does_not_go_with_a_job_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "job.json"
    file.write_text(json.dumps({"deals": {"layouts": []}}))
    for words, told in (
        (["--seeds", "1-5"], "has no deals by seeds"),
        (["--player", "hint"], "--job: --player would have no effect beside it"),
        (["--variant", "spider-1", "--rng", "1"], "--job: --variant, --rng would have no effect beside it"),
        (["--scheme", "kpat", "--name", "x"], "--job: --scheme, --name would have no effect beside it"),
    ):
        for command in ("evaluate", "submit"):
            result = run(command, "--job", str(file), *words)
            assert (result.exit_code, told in result.output) == (2, True), result.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--seeds", "1-5", "--player", "hint"], "--variant"),
        (["--variant", "spider-1", "--player", "hint"], "--seeds"),
        (["--variant", "spider-1", "--seeds", "1-5"], "--player"),
        (["--variant", "spider-3", "--seeds", "1-5", "--player", "hint"], "spider-3"),
        (["--variant", "spider-1", "--seeds", "5-1", "--player", "hint"], "ends before it begins"),
        (["--variant", "spider-1", "--seeds", "1,,2", "--player", "hint"], "is not a range"),
        (["--variant", "spider-1", "--seeds", "١-٣", "--player", "hint"], "is not a whole number"),
        (
            ["--variant", "spider-1", "--seeds", f"1-{'9' * 5000}", "--player", "hint"],
            "is not a whole number",
        ),
        (["--variant", "spider-1", "--seeds", "1-5", "--player", "wizard"], "wizard"),
        (["--variant", "spider-1", "--seeds", "1-5", "--solver", "0"], "evaluators.0.solver.nodes"),
        (["--variant", "spider-1", "--seeds", "1-5", "--player", "hint", "--out", "x.docx"], "ends in"),
        (["--job", "pyproject.toml"], "not JSON"),
        (["--job", "nowhere.json"], "nowhere.json"),
    ],
)
def test_bad_usage_is_told_in_a_line(words: list[str], told: str) -> None:
    result = run("evaluate", *words)
    assert told in result.output
    assert result.exit_code == (1 if "nowhere.json" in words else 2)


def test_solve_proves_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "solution.json"
    result = run("solve", "--variant", "spider-1", "--seed", "5", "--json", "--out", str(file))
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["verdict"] == "solved"
    assert answer["length"] == answer["par"] == len(answer["moves"])
    game = read_game(file.read_text())
    assert list(game.moves) == answer["moves"]
    assert judge_record(game).won
    small = run("solve", "--variant", "spider-4", "--seed", "5", "--nodes", "10", "--json")
    assert (small.exit_code, json.loads(small.stdout)["verdict"]) == (1, "unknown")
    assert json.loads(small.stdout)["reason"] == "nodes"


def test_play_takes_no_number_that_it_would_have_to_cut() -> None:
    result = run("play", "--variant", "spider-1", "--seed", "1", "--player", "hint", "--rng", str(2**64))
    assert (result.exit_code, "--rng" in result.output) == (2, True)


@pytest.mark.parametrize("option", ["--nodes", "--shorten"])
def test_a_budget_beyond_any_counter_is_bad_usage(option: str) -> None:
    result = run("solve", "--variant", "spider-1", "--seed", "1", option, str(10**20))
    assert (result.exit_code, option in result.output) == (2, True)


def test_shorten_takes_a_number_or_the_word_default() -> None:
    lost = ("solve", "--variant", "simple-simon-4", "--scheme", "kpat", "--seed", "18")
    assert run(*lost, "--shorten", "default").exit_code == 1
    for words in ("-1", "1e3", "much"):
        result = run(*lost, "--shorten", words)
        assert (result.exit_code, "--shorten" in result.output) == (2, True)
    solved = ("solve", "--variant", "spider-1", "--seed", "1", "--json")
    raw, short = (json.loads(run(*solved, *more).stdout) for more in ((), ("--shorten", "300000")))
    assert short["shortening_positions"] >= 300_000 > raw["shortening_positions"] == 0
    assert shorten_nodes("default") == SHORTEN_NODES
    assert shorten_nodes(5) == 5


def test_solve_takes_a_seed_or_a_file(tmp_path: Path) -> None:
    layout = tmp_path / "deal.json"
    layout.write_text(run("show", "--variant", "spider-1", "--seed", "5", "--format", "json").stdout)
    by_file = json.loads(run("solve", "--variant", "spider-1", "--layout", str(layout), "--json").stdout)
    by_seed = json.loads(run("solve", "--variant", "spider-1", "--seed", "5", "--json").stdout)
    assert by_file["moves"] == by_seed["moves"]
    assert run("solve", "--variant", "spider-1").exit_code == 2
    assert run("solve", "--seed", "5").exit_code == 2
    assert run("solve", "--variant", "spider-1", "--seed", "-1").exit_code == 2


@pytest.mark.parametrize("form", Format)
def test_solve_knows_every_kind_of_file_by_its_look(form: Format, tmp_path: Path) -> None:
    layout = tmp_path / "deal"
    layout.write_text(write_deal(deal("simple-simon-4", 18, "kpat"), form))
    names_its_game = form in (Format.TEXT, Format.JSON, Format.KPAT)
    words = () if names_its_game else ("--variant", "simple-simon-4")
    answer = json.loads(run("solve", *words, "--layout", str(layout), "--json").stdout)
    assert answer["verdict"] == "unsolvable"
    assert answer["id"].startswith("kpat:simple-simon-4:18" if names_its_game else "layout:simple-simon-4:")
    if not names_its_game:
        refused = run("solve", "--layout", str(layout))
        assert refused.exit_code == 2
        assert "line " in refused.stderr
        assert "say which it is" in refused.stderr.replace("\n", " ")


def test_play_repeats_itself(tmp_path: Path) -> None:
    words = ("play", "--variant", "spider-1", "--seed", "5", "--player", "novice", "--repeat", "3", "--json")
    file = tmp_path / "game.json"
    first = json.loads(run(*words, "--rng", "7", "--out", str(file)).stdout)
    assert [g["rng"] for g in first["games"]] == [7, 8, 9]
    assert json.loads(run(*words, "--rng", "8").stdout)["games"][:2] == first["games"][1:]
    verdict = judge_record(read_game(file.read_text()))
    assert verdict.legal
    assert verdict.won == first["games"][0]["won"]
    assert run("play", "--variant", "spider-1", "--seed", "5", "--player", "wizard").exit_code == 2


def test_version_config_and_players() -> None:
    assert json.loads(run("version", "--json").stdout)["version"]
    values = json.loads(run("config", "--json").stdout)
    assert values["SPIDERVET_PORT"] == 8000
    assert [p["name"] for p in json.loads(run("players", "--json").stdout)["players"]][:2] == [
        "hint",
        "novice",
    ]


def test_a_misspelt_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIDERVET_PROT", "8001")
    for fine in ("SPIDERVET_URL", "SPIDERVET_API_SERVICE_HOST", "SPIDERVET_API_PORT_80_TCP_ADDR"):
        monkeypatch.setenv(fine, "http://127.0.0.1")
    monkeypatch.setenv("SPIDERVET_API_PORT", "tcp://10.0.0.1:80")
    told = run("config").stderr
    assert told == "spidervet: SPIDERVET_PROT is not a setting; `spidervet config` lists them\n"


def test_a_port_that_is_taken_is_told_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run("serve", "--port", port, "--data", str(tmp_path / "data"))
    assert result.exit_code == 1
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in result.stderr
    assert "--port" in result.stderr
    assert "Errno" not in result.stderr


def test_config_shows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIDERVET_DATABASE_URL", "postgresql://me:sesame@db/x")
    assert "sesame" not in run("config").output
    assert "sesame" not in run("config", "--json").output


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIDERVET_PORT", "eighty")
    result = run("config")
    assert result.exit_code == 2
    assert "port" in result.output


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("cli") / "data", workers="1") as running:
        yield running


def test_submit_watch_and_report(service: Service, tmp_path: Path) -> None:
    at = ("--url", service.url)
    done = run("submit", *at, *ARMS, "--watch", "--json")
    assert done.exit_code == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["state"], report["counts"]["done"]) == ("completed", 24)
    job_id = report["id"]
    file = tmp_path / "r.csv"
    assert run("report", job_id, *at, "--out", str(file)).exit_code == 0
    assert len(file.read_text().splitlines()) == 25
    table = run("report", job_id, *at).stdout
    assert "player:hint" in table
    assert run("watch", job_id, *at).exit_code == 0
    assert run("retry", job_id, *at).stdout.strip() == "no deal had failed"
    assert run("cancel", job_id, *at).stdout.strip() == "completed: there was nothing left to stop"
    again = run("replan", job_id, *at)
    assert again.exit_code == 1
    assert "this version already" in again.stderr
    with closing(sqlite3.connect(service.data / "ledger.sqlite3")) as conn, conn:
        conn.execute("UPDATE jobs SET engine = '0.0.9' WHERE id = ?", (job_id,))
    assert run("replan", job_id, *at).stdout.strip() == f"0.0.9 -> {engine_version()}"
    assert service.finished(job_id)["counts"]["done"] == 24
    assert run("health", *at).stdout.startswith("ok")


def test_cancel_and_keys(service: Service) -> None:
    at = ("--url", service.url)
    long = ["--variant", "spider-4", "--seeds", "1-500", "--solver", "100000000"]
    one, two = (run("submit", *at, *long, "--key", "k").stdout.strip() for _ in range(2))
    assert one == two
    assert run("submit", *at, *ARMS, "--key", "k").exit_code == 1
    assert run("cancel", one, *at).stdout.strip() in ("cancelling", "cancelled")
    assert service.finished(one, 20)["state"] == "cancelled"
    assert run("watch", one, *at).exit_code == 1


def test_a_service_that_is_not_there_or_says_no(service: Service) -> None:
    gone = run("report", "x", "--url", "http://127.0.0.1:1")
    assert (gone.exit_code, "does not answer" in gone.stderr) == (1, True)
    none = run("report", "nope", "--url", service.url)
    assert (none.exit_code, "there is no job 'nope'" in none.stderr) == (1, True)
    broken = run("report", "x", "--url", "http://[::1")
    assert (broken.exit_code, "is not an address" in broken.stderr) == (2, True)
    formless = run("report", "x", "--url", service.url, "--out", "report")
    assert (formless.exit_code, "--out report" in formless.stderr) == (2, True)
    for odd in ("..", "", "../..", "a/b?c#d"):
        refused = run("watch", odd, "--url", service.url)
        assert refused.exit_code in (1, 2), odd
        assert f"{odd}" in refused.stderr
        assert refused.exception is None or isinstance(refused.exception, SystemExit)
    bad = run("submit", "--url", service.url, *ARMS, "--scheme", "bicycle")
    assert (bad.exit_code, "deals.scheme" in bad.stderr) == (2, True)


def test_an_answer_of_something_else_is_told(service: Service) -> None:
    result = run("report", "x", "--url", f"{service.url}/docs?")
    assert (result.exit_code, "not as this service does" in result.stderr) == (1, True)


def test_db_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIDERVET_DATA", str(tmp_path / "data"))
    refused = run("db", "check")
    assert (refused.exit_code, "run spidervet db upgrade" in refused.output) == (1, True)
    assert run("db", "upgrade").exit_code == 0
    assert json.loads(run("db", "check", "--json").stdout) == {"jobs": 0, "rows": 0, "faults": []}
    assert run("db", "prune").exit_code == 1
    assert json.loads(run("db", "prune", "--days", "1", "--json").stdout) == {"removed": []}
