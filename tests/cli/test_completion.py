"""A shell completes commands, options, and the names that options take."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from cli.main import app


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("spidervet ev", {"evaluate"}),
        ("spidervet evaluate --variant spider-", {"spider-1", "spider-2", "spider-4"}),
        ("spidervet evaluate --player c", {"casual", "club"}),
        ("spidervet solve --scheme k", {"kpat"}),
        ("spidervet submit --scoring windows", {"windows", "windows-floor"}),
        ("spidervet show --variant solitaire-plus-e", {"solitaire-plus-easy"}),
    ],
)
def test_completion(words: str, wanted: set[str]) -> None:
    environment = {
        "_SPIDERVET_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    answer = CliRunner().invoke(app, [], env=environment, prog_name="spidervet")
    assert set(answer.output.split()) == wanted
