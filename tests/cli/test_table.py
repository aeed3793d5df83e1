"""The table of a job's arms on terminals of every width: figures are left out whole or shown whole."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from cli.jobs import arms_table


def player(variant: str, label: str = "player:club") -> dict[str, Any]:
    return {
        "variant": variant, "label": label, "n": 1000, "failed": 0, "wins": 963, "win_rate": 0.963,
        "win_interval": [0.9355, 0.9794], "moves": {"median": 99.0}, "moves_won": {"median": 126.0},
        "score": {"median": 1172.0}, "positions": {"mean": 681_852.0},
    }  # fmt: skip


SOLVER: dict[str, Any] = {
    "variant": "spider-4", "label": "solver:200000", "n": 1000, "failed": 2, "wins": None, "solved": 737,
    "unsolvable": 1, "unknown": 262, "winnable_interval": [0.684, 1.0], "length": {"median": 179.0},
    "positions": {"mean": 110_693.0},
}  # fmt: skip
NOTHING: dict[str, Any] = {
    **player("spider-2"), "n": 0, "wins": 0, "win_rate": None, "win_interval": [0.0, 1.0],
    "moves_won": {"median": None}, "score": None, "positions": {"mean": None},
}  # fmt: skip
ALL_UNKNOWN = {
    **SOLVER, "solved": 0, "unsolvable": 0, "unknown": 1000, "winnable_interval": [0.0, 1.0],
    "length": {"median": None},
}  # fmt: skip


def printed(arms: list[dict[str, Any]], width: int) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(arms_table(arms, "", width))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    return str(text)


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160])
def test_rates_and_intervals_are_whole_at_every_width(width: int) -> None:
    text = printed([player("spider-1"), SOLVER], width)
    for figure in ("1000", "+2 failed", "96.3 %", "93.5 – 97.9 %", "73.7 %", "68.4 – 100.0 %"):
        assert figure in text, figure
    assert ("262" in text) == (width >= 80)


def test_the_usual_width_keeps_moves_and_verdicts_and_a_wide_one_all() -> None:
    usual = printed([player("spider-1"), {**SOLVER, "failed": 0}], 80)
    assert "unsolvable" in usual
    assert "179" in usual
    assert "positions" not in usual
    wide = printed([player("spider-1"), SOLVER], 120)
    assert "1,172" in wide
    assert " 126 " in wide, "of won games, as on pages"
    assert "110,693" in wide


def test_long_names_fold() -> None:
    text = printed([player("relaxed-very-long-name~7edc7a7d06", "player:expert(samples=16,width=3)")], 80)
    assert "93.5 – 97.9 %" in text
    assert "~" in text
    assert text.count("=") == 2


def test_nothing_done_and_nothing_known_are_said_so() -> None:
    nothing, unknown = printed([NOTHING, ALL_UNKNOWN], 120).rstrip().splitlines()[-2:]
    assert nothing.split() == ["spider-2", "player:club", "0", "–", "0.0", "–", "100.0", "%", "–", "–", "–"]
    assert "0.0 %   0.0 – 100.0 %" in unknown
    assert unknown.split()[-3:] == ["0", "1000", "110,693"]
