"""`spidervet token …` and the refusal to serve strangers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SPIDERVET_DATA", str(tmp_path / "data"))
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, list(arguments))


def test_a_token_is_made_listed_and_revoked(run) -> None:  # type: ignore[no-untyped-def]
    assert "no token yet" in run("token", "list").stdout
    made = run("token", "create", "ann", "--role", "editor", "--seeds", "5", "--json")
    assert made.exit_code == 0, made.output
    text = json.loads(made.stdout)["token"]
    assert text.startswith("svt_")
    listed = run("token", "list", "--json").stdout
    assert text.split("_")[2] not in listed
    (token,) = json.loads(listed)["tokens"]
    assert (token["name"], token["role"], token["state"]) == ("ann", "editor", "active")
    assert token["limits"] == {"open_jobs": None, "seeds": 5, "nodes": None, "rate": None}
    table = run("token", "list").stdout
    assert "seeds 5" in table
    assert "never" in table
    assert run("token", "revoke", "ann").exit_code == 0
    assert json.loads(run("token", "list", "--json").stdout)["tokens"][0]["state"] == "revoked"
    assert run("token", "revoke", "bob").exit_code == 1
    assert run("token", "create", "ann").exit_code == 2, "names are used once"


def test_a_token_goes_to_a_file_that_its_owner_alone_reads(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "admin-token"
    assert run("token", "create", "first", "--role", "admin", "--out", str(file), "--if-none").exit_code == 0
    assert file.stat().st_mode & 0o777 == 0o400
    text = file.read_text()
    assert text.startswith("svt_")
    assert run("token", "create", "other", "--out", str(file), "--if-none").exit_code == 0
    assert file.read_text() == text, "a second start makes no second token"
    failed = run("token", "create", "other", "--out", str(file))
    assert failed.exit_code == 1
    assert [t["name"] for t in json.loads(run("token", "list", "--json").stdout)["tokens"]] == ["first"]


def test_serve_refuses_the_network_without_tokens(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SPIDERVET_HOST", "0.0.0.0")
    monkeypatch.setenv("SPIDERVET_PORT", "0")
    refused = run("serve")
    assert refused.exit_code == 2
    assert "refuses to listen on 0.0.0.0 without tokens" in refused.stderr
