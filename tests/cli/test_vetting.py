"""`spidervet vet` and `spidervet calendar …` as a shell sees them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.main import app
from evaluation.vetting import clock, publishing
from evaluation.vetting.keys import candidate_seed, day_key

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command over a fresh data folder; everything in this process but the workers."""
    monkeypatch.setenv("SPIDERVET_DATA", str(tmp_path / "data"))
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


VET = ("vet", "--from", "2031-03-01", "--variant", "spider-1", "--games", "32", "--jobs", "1")


def test_vet_without_a_server_and_its_json(run: Run) -> None:
    key = "11" * 32
    done = run(*VET, "--days", "2", "--difficulty", "any", "--key", key, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert [d["date"] for d in data["days"]] == ["2031-03-01", "2031-03-02"]
    assert data["summary"]["held"] == 2
    assert data["summary"]["games"] == sum(c["games"] for d in data["days"] for c in d["tried"])
    for day in data["days"]:
        assert (day["verdict"], day["fits"]) == ("solved", True)
        assert day["par"] > 50
        assert day["difficulty"] in ("easy", "medium", "hard", "expert")
        from datetime import date

        derived = day_key(bytes.fromhex(key), "vet", date.fromisoformat(day["date"]))
        number = day["candidate"]["number"]
        assert day["id"] == f"spidervet:spider-1:{candidate_seed(derived, number)}"


@pytest.mark.parametrize("quiet", [False, True])
def test_vet_tells_how_far_it_is_where_its_answer_goes_to_a_file(
    run: Run, monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    monkeypatch.setattr("cli.progress.PLAIN_FIRST_S", 0.0)
    monkeypatch.setattr("cli.progress.PLAIN_EVERY_S", 0.0)
    arguments = [*VET, "--difficulty", "any", "--key", "11" * 32, "--json", *(["--quiet"] if quiet else [])]
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["days"][0]["fits"]
    told = [line for line in done.stderr.splitlines() if line.startswith("vetting: ")]
    if quiet:
        assert told == []
    else:
        assert told[0].startswith("vetting: 0 of 1 date, ")
        assert told[-1].startswith("vetting: 1 of 1 date, 1 candidate looked at, ")


def test_vet_says_where_nothing_fits(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(
        "date,id\n2031-03-01,spidervet:spider-1:5\n2031-04-01,spidervet:spider-1:6\n"
    )
    wanted = run(*VET, "--deals", str(tmp_path / "mine.csv"), "--difficulty", "any", "--json")
    assert wanted.exit_code == 0, wanted.output
    assert "1 of 2 deals is of other dates and left out" in wanted.stderr
    label = json.loads(wanted.stdout)["days"][0]["difficulty"]
    other = "expert" if label == "easy" else "easy"
    done = run(*VET, "--deals", str(tmp_path / "mine.csv"), "--difficulty", other)
    assert done.exit_code == 1
    assert "the deal does not fit" in done.stdout
    assert re.search(r"their master key, with which --key finds them again: [0-9a-f]{64}\n", done.stdout)
    assert "dates with a deal: 0 of 1" in done.stdout
    assert "sat: asked" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "2031-03-01"), "either --calendar, or --variant"),
        (("--from", "01.03.2031", "--variant", "spider-1"), "is not a date"),
        (("--from", "2031-03-01", "--variant", "spider-9"), "no variant is named"),
        (("--from", "2031-03-01", "--variant", "spider-1", "--difficulty", "easyish"), "--difficulty"),
        (("--from", "2031-03-01", "--variant", "spider-1", "--key", "12"), "64 hex digits"),
        (("--from", "2031-03-01", "--variant", "spider-1", "--days", "4000"), "4000 is not between"),
        (
            ("--from", "2031-03-01", "--calendar", "c", "--difficulty", "hard", "--games", "64"),
            "--calendar: --difficulty, --games would have no effect beside it",
        ),
        (
            ("--from", "2031-03-01", "--calendar", "c", "--url", "http://127.0.0.1:9", "--jobs", "2"),
            "--url: --jobs would have no effect beside it",
        ),
        (
            ("--from", "2031-03-01", "--variant", "spider-1", "--url", "http://127.0.0.1:9", "--again"),
            "--variant: --again, --url would have no effect beside it",
        ),
    ],
)
def test_vet_asked_wrongly(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run("vet", *arguments)
    assert done.exit_code == 2, done.output
    assert said in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("create", "c", "--spec", "FILE"), "expected a JSON object"),
        (("edit", "c", "FILE"), "expected a JSON object"),
        (("check", "FILE"), "this is no proof of a daily: expected a JSON object"),
        (("create", "c", "--difficulty", "mon=easy,mon=hard"), "--difficulty: mon is there twice"),
        (
            ("create", "c", "--spec", "FILE", "--variant", "spider-4", "--win-rate", "0.2-0.6", "--json"),
            "--spec: --variant, --win-rate would have no effect beside it",
        ),
    ],
)
def test_a_calendar_command_asked_wrongly(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "list.json").write_text("[1]")
    done = run("calendar", *(str(tmp_path / "list.json") if a == "FILE" else a for a in arguments))
    assert done.exit_code == 2, done.output
    assert said in done.stderr


def test_an_edited_calendar_file_with_a_misspelt_field_changes_nothing(run: Run, tmp_path: Path) -> None:
    assert run("calendar", "create", "c").exit_code == 0
    shown = json.loads(run("calendar", "show", "c", "--json").stdout)
    file = tmp_path / "c.json"
    file.write_text(json.dumps({**shown, "dificulty": "hard"}))
    done = run("calendar", "edit", "c", str(file))
    assert (done.exit_code, "dificulty: there is no such field" in done.stderr) == (2, True), done.stderr
    file.write_text(json.dumps({**shown, "difficulty": "hard"}))
    assert run("calendar", "edit", "c", str(file)).stdout == "c is at revision 2\n"


def test_a_game_without_a_scale_gets_a_small_one(run: Run) -> None:
    mini = {"base": "spider-1", "name": "mini", "ranks": 4, "columns": [2] * 10, "face_down": [1] * 10}
    arguments = ["--from", "2031-03-01", "--variant", json.dumps(mini), "--games", "32", "--jobs", "1"]
    done = run("vet", *arguments, "--json")
    assert "making a small one" in done.stderr
    assert json.loads(done.stdout)["days"][0]["verdict"] == "solved"


def test_a_calendar_from_its_making_to_its_export(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = tmp_path / "spec.json"
    effort = {"games": 32, "shorten_nodes": 0, "candidates": 4}
    spec.write_text(json.dumps({"variant": "spider-1", "difficulty": "any", "effort": effort}))
    assert "no calendar yet" in run("calendar", "list").stdout
    assert run("calendar", "create", "quick", "--spec", str(spec)).exit_code == 0
    assert run("calendar", "create", "quick").exit_code == 1
    shown = run("calendar", "show", "quick").stdout
    assert '"build":"any-suit"' in shown, "values as the calendar file writes them"
    assert "active: true" in shown
    day = datetime.now(UTC).date().isoformat()
    assert run("calendar", "days", "quick", "--from", day, "--days", "1").exit_code == 1, "a gap is a no"
    assert run("vet", "--calendar", "quick", "--from", day, "--jobs", "1").exit_code == 0
    totals = json.loads(run("calendar", "summary", "quick", "--from", day, "--days", "1", "--json").stdout)
    assert (totals["dates"], totals["held"], totals["missing"]) == (1, 1, 0)
    told = run("calendar", "summary", "quick", "--from", day, "--days", "2").stdout
    assert "dates with a deal: 1 of 2" in told
    assert f"{totals['games']} rated games" in told
    assert f"par: {totals['par']['least']}" in told
    assert run("calendar", "publish", "quick", day).exit_code == 1
    assert "is approved" in run("calendar", "approve", "quick", day, "--note", "fine").stdout
    assert "is published" in run("calendar", "publish", "quick", day).stdout
    assert run("calendar", "days", "quick", "--from", day, "--days", "1").exit_code == 0
    target = tmp_path / "out.ics"
    assert run("calendar", "export", "quick", "--from", day, "--out", str(target)).exit_code == 0
    assert target.read_text().count("BEGIN:VEVENT") == 1
    listed = json.loads(run("calendar", "list", "--json").stdout)["calendars"][0]
    assert day not in listed["unpublished"]
    audit = json.loads(run("calendar", "audit", "quick", "--json").stdout)["entries"]
    assert [e["action"] for e in audit][:2] == ["published", "approved"]
    assert "withdrawn" in run("calendar", "withdraw", "quick", day, "--reason", "a fault").stdout
    assert run("calendar", "refit", "quick").exit_code == 1


def test_a_run_whose_workers_have_just_died_is_finished_here(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.db import Database
    from evaluation.ledger.workers import report_alive
    from evaluation.migrate import upgrade
    from evaluation.settings import Settings

    monkeypatch.setenv("SPIDERVET_WORKER_STALE_S", "2")
    db = Database.from_settings(Settings(data=tmp_path / "data"))
    upgrade(db)
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"variant": "spider-1", "difficulty": "any", "effort": {"games": 32}}))
    made = run("calendar", "create", "quick", "--spec", str(spec))
    assert made.exit_code == 0, made.output
    report_alive(db, "gone", "gone", 1, "0", 2, "ready")
    db.dispose()
    done = run("vet", "--calendar", "quick", "--from", "2031-03-01", "--jobs", "1", "--json")
    assert json.loads(done.stdout)["summary"]["candidates"] > 0, done.output


def test_a_proof_is_checked_from_its_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluation.db import Database
    from evaluation.migrate import upgrade
    from evaluation.settings import Settings
    from tests.support.vetting import make_calendar, published

    settings = Settings(data=tmp_path / "other")
    db = Database.from_settings(settings)
    upgrade(db)
    make_calendar(db, settings)
    with db.read() as conn:
        day = clock.today(conn)
    published(db, settings, "quick", day)
    monkeypatch.setattr(publishing, "now", lambda conn: clock.ends(day))
    with db.read() as conn:
        proof = publishing.proof(conn, settings, publishing.served(conn, "quick", day))
    db.dispose()
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(proof))
    good = run("calendar", "check", str(file))
    assert good.exit_code == 0, good.output
    assert "FAIL" not in good.stdout
    proof["daily"]["par"] += 1
    file.write_text(json.dumps(proof))
    bad = run("calendar", "check", str(file), "--json")
    assert bad.exit_code == 1
    assert not json.loads(bad.stdout)["holds"]
    file.write_text("{}")
    assert run("calendar", "check", str(file)).exit_code == 2
