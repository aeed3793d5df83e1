"""Every command explains itself, and shows a value's type only where an option takes a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from cli.main import app


def commands(command: Any, *words: str) -> Iterator[tuple[str, ...]]:
    yield words
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, *words, name)


@pytest.mark.parametrize("words", list(commands(get_command(app))), ids=" ".join)
def test_help_shows_no_type_beside_a_flag(words: tuple[str, ...]) -> None:
    answer = CliRunner().invoke(app, [*words, "--help"])
    assert answer.exit_code == 0
    assert "--help" in answer.output
    assert "<bool>" not in answer.output


def test_help_keeps_the_types_of_values() -> None:
    answer = CliRunner().invoke(app, ["evaluate", "--help"])
    assert "<list[int]>" in answer.output
