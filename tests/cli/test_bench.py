"""`spidervet bench`: exit codes, resuming, the signature's shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from engine.variants import NAMED
from evaluation import signature

RUN = CliRunner()


def record(path: Path, *more: str) -> tuple[int, str]:
    """A small record run over one-suit Simple Simon."""
    fixed = ["--variant", "simple-simon-1", "--scheme", "spidervet", "--nodes", "50000", "--file", str(path)]
    result = RUN.invoke(app, ["bench", "record", *fixed, *more])
    return result.exit_code, result.output


def test_a_range_that_is_decided_exits_0_and_is_not_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    code, text = record(path, "--from", "1", "--to", "4", "--json")
    summary = json.loads(text)
    assert (code, summary["deals"], summary["open"]) == (0, 4, [])
    before = path.read_text()
    assert record(path, "--from", "1", "--to", "4", "--json") == (0, text)
    assert path.read_text() == before


def test_an_open_deal_exits_1_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    fixed = ["--variant", "spider-4", "--scheme", "pysolfc", "--nodes", "2000", "--file", str(path)]
    result = RUN.invoke(app, ["bench", "record", *fixed, "--from", "3", "--to", "3"])
    assert result.exit_code == 1
    assert "open: 3" in result.output


def test_bad_usage_exits_2(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    assert record(path, "--from", "5", "--to", "4")[0] == 2
    path.write_text("something else\n")
    assert record(path, "--from", "1", "--to", "1")[0] == 2


def test_the_signature_covers_every_named_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one deal of a small budget each; the recorded one is tests/evaluation/test_signature.py's."""
    monkeypatch.setattr(signature, "SEEDS", range(1, 2))
    monkeypatch.setattr(signature, "NODES", 2_000)
    result = RUN.invoke(app, ["bench", "signature"])
    assert result.exit_code == 0
    assert set(json.loads(result.output)) == {*NAMED, "total"}
