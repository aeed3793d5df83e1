"""report.csv and report.json."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import orjson

from engine.words import counted
from evaluation.reports.document import Cell, Report

ROWS_AT_ONCE = 1_000
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")


def harmless(cell: Cell) -> Cell:
    """A text that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str) and cell.startswith(DANGEROUS):
        return "'" + cell
    return cell


def csv_chunks(report: Report) -> Iterator[bytes]:
    """report.csv in pieces: a header, then rows; UTF-8, lines end with CR LF (RFC 4180).

    A partial report ends in a line of one cell that says so.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(report.columns)
    i = 0
    for i, row in enumerate(report.rows(), 1):
        writer.writerow([harmless(cell) for cell in row])
        if i % ROWS_AT_ONCE == 0:
            yield _drain(buffer)
    if report.partial:
        writer.writerow([f"# partial: {i} of {counted(report.detail.job.counts.total, 'row')}"])
    yield _drain(buffer)


def _drain(buffer: io.StringIO) -> bytes:
    data = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return data


def json_bytes(report: Report) -> bytes:
    """report.json."""
    return orjson.dumps(report.to_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
