"""The position files, each by name: one rule decides, and what must happen is in the file's words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.endings import Outlook
from engine.position import Position
from engine.scoring import windows
from engine.variants import NAMED
from tests.engine.boards import Board, cards, position, run, variant_for

FILES = Path(__file__).parents[1] / "data" / "positions"
TESTED = {
    "black_widow_group",
    "face_down_king_not_a_run",
    "move_to_empty_after_stock_empty",
    "removal_flips_card",
    "run_completed_by_deal",
    "short_last_deal",
    "strict_deal_needs_splitting",
}


def test_every_position_file_is_tested() -> None:
    assert {path.stem for path in FILES.glob("*.json")} == TESTED


def load(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((FILES / f"{name}.json").read_text())
    return record


def where(name: str, extra_columns: int = 0) -> Position:
    record = load(name)
    columns = [" ".join(column) for column in record["columns_bottom_to_top"]] + [""] * extra_columns
    return position(columns, " ".join(record.get("stock_in_deal_order", [])))


def table(name: str, base: str = "spider-4", extra_columns: int = 0, **changed: Any) -> Board:
    fragment = where(name, extra_columns)
    return Board(variant_for(["" for _ in fragment.columns], base, **changed), fragment)


def test_black_widow_group() -> None:
    assert "1>2x3" in table("black_widow_group", "black-widow").moves
    for spider in ("spider-4", "spiderette-4"):
        refusal = table("black_widow_group", spider).refused("1>2x3")
        assert refusal == "9H 8S 7D in column 1 is not a same-suit run"


def test_face_down_king_not_a_run() -> None:
    board = table("face_down_king_not_a_run", extra_columns=1)
    assert board.now.off == 0
    board.play("1>2x12")
    assert board.column(1) == "KS"
    board.play("2>1x12")
    assert (board.now.off, board.column(1)) == (1, "")


def test_move_to_empty_after_stock_empty() -> None:
    board = table("move_to_empty_after_stock_empty")
    assert "1>2" in board.moves
    assert board.play("1>2").column(2) == "9C"


def test_removal_flips_card() -> None:
    board = table("removal_flips_card").play("2>1")
    assert (board.now.off, board.column(1)) == (1, "4D")
    board.play("undo")
    assert (board.now.off, board.column(1)) == (0, f"(4D) {run('H', 'K', '2')}")


def test_run_completed_by_deal() -> None:
    board = table("run_completed_by_deal")
    before = board.now
    board.play("deal")
    assert (board.now.off, board.column(1), board.column(10)) == (1, "", "JC 7C")
    assert windows([p.off for p in board.past]) == 500 - 1 + 100
    assert board.play("undo").now == before
    assert board.now.stock == cards("AS 9H 9D 9C 8H 8D 8C 7H 7D 7C")


def test_short_last_deal() -> None:
    rows = {
        "spiderette-4": [7, 7, 7, 3],
        "will-o-the-wisp-4": [7, 7, 7, 7, 3],
        "spider50-4": [10, 10, 10, 10, 10, 4],
        "spider44-4": [10] * 6,
        "spider-4": [10] * 5,
        "scorpion": [3],
        "double-scorpion": [4],
    }
    for name, wanted in rows.items():
        variant = NAMED[name]
        kings = ["KS"] * len(variant.columns)
        board = Board(variant, position(kings, "AS " * variant.stock))
        dealt = []
        while board.now.stock:
            before = board.now
            board.play("deal")
            dealt.append(len(before.stock) - len(board.now.stock))
            took = [len(a) > len(b) for a, b in zip(board.now.columns, before.columns, strict=True)]
            assert took == [i < dealt[-1] for i in range(len(took))]
        assert dealt == wanted


def test_short_last_deal_asks_that_all_columns_hold_a_card() -> None:
    kings = ["KS"] * 6
    strict = Board(NAMED["spiderette-4"], position([*kings, ""], "AS AH AD"))
    assert strict.refused("deal").startswith("every column needs a card") is True
    piled = Board(NAMED["spiderette-4"], position(["KS QS", *kings[1:], ""], "AS AH AD"))
    assert piled.refused("deal") == "column 7 is empty: fill it before dealing"


def test_strict_deal_needs_splitting() -> None:
    board = table("strict_deal_needs_splitting")
    assert board.outlook() is Outlook.ALIVE
    assert "columns 4, 5, 6, 7, 8, 9, 10 are empty" in board.refused("deal")
    board.play("1>4", "1>5", "1>6", "1>7", "1>8", "1>9", "1>10", "deal")
    assert len(board.now.stock) == 0
    assert "deal" in table("strict_deal_needs_splitting", stock_deal_over_empty="allowed").moves
