"""report.xlsx: a summary, the arms, and every row. Texts are written as texts, never as formulas.

A sheet holds a little over a million rows; further ones follow on sheets of their own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.reports.document import Cell, Report

SHEET_ROWS = 1_048_576
PIECE_BYTES = 1 << 20


def xlsx_chunks(report: Report) -> Iterator[bytes]:
    """report.xlsx in pieces; it is written to a file first, since a workbook's index comes last."""
    import xlsxwriter  # loaded only here

    with tempfile.TemporaryDirectory(prefix="spidervet-xlsx-") as folder:
        path = Path(folder) / "report.xlsx"
        options = {"constant_memory": True, "tmpdir": folder, "strings_to_formulas": False}
        with xlsxwriter.Workbook(str(path), options) as book:
            bold = book.add_format({"bold": True})
            _summary(book.add_worksheet("Summary"), bold, report)
            _arms(book.add_worksheet("Arms"), bold, report)
            _rows(book, bold, report)
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece


def _put(sheet: Any, row: int, column: int, cell: Cell) -> None:
    if cell is None:
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, str):
        sheet.write_string(row, column, cell)
    else:
        sheet.write_number(row, column, cell)


def _summary(sheet: Any, bold: Any, report: Report) -> None:
    data = report.to_json()
    sheet.set_column(0, 0, 18)
    sheet.set_column(1, 1, 70)
    lines: list[tuple[str, Cell]] = [
        ("job", data["job"]),
        ("id", data["id"]),
        ("state", data["state"]),
        ("partial", "PARTIAL: rows are missing" if report.partial else "no, complete"),
        ("rows", data["counts"]["done"] + data["counts"]["failed"]),
        ("rows in all", data["counts"]["total"]),
        ("engine", data["engine"]),
        ("created", data["created_at"]),
        ("finished", data["finished_at"]),
    ]
    for row, (name, value) in enumerate(lines):
        sheet.write_string(row, 0, name, bold)
        _put(sheet, row, 1, value)


ARM_COLUMNS = (
    "arm", "variant", "evaluator", "n", "failed", "wins", "win_rate", "win_low", "win_high",
    "solved", "unsolvable", "unknown", "winnable_low", "winnable_high",
    "moves_median", "length_median", "positions_mean",
)  # fmt: skip


def _arms(sheet: Any, bold: Any, report: Report) -> None:
    for column, name in enumerate(ARM_COLUMNS):
        sheet.write_string(0, column, name, bold)
    for row, arm in enumerate((a.summary.to_json() for a in report.detail.arms), 1):
        win, able = arm["win_interval"] or (None, None), arm["winnable_interval"] or (None, None)
        cells: list[Cell] = [
            arm["arm"], arm["variant"], arm["label"], arm["n"], arm["failed"], arm["wins"], arm["win_rate"],
            *win, arm["solved"], arm["unsolvable"], arm["unknown"], *able, (arm["moves"] or {}).get("median"),
            (arm["length"] or {}).get("median"), arm["positions"]["mean"],
        ]  # fmt: skip
        for column, cell in enumerate(cells):
            _put(sheet, row, column, cell)


def _rows(book: Any, bold: Any, report: Report) -> None:
    number, at, sheet = 0, SHEET_ROWS, None
    for row in report.rows():
        if at == SHEET_ROWS:
            number += 1
            sheet, at = _new_sheet(book, bold, report, number), 1
        for column, cell in enumerate(row):
            _put(sheet, at, column, cell)
        at += 1
    if sheet is None:
        _new_sheet(book, bold, report, 1)


def _new_sheet(book: Any, bold: Any, report: Report, number: int) -> Any:
    sheet = book.add_worksheet("Rows" if number == 1 else f"Rows {number}")
    sheet.freeze_panes(1, 0)
    for column, name in enumerate(report.columns):
        sheet.write_string(0, column, name, bold)
    return sheet
