"""report.ndjson: one JSON object a row; the last line of a partial report says that it is one."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from evaluation.reports.document import Report

ROWS_AT_ONCE = 1_000


def ndjson_chunks(report: Report) -> Iterator[bytes]:
    """report.ndjson in pieces; keys are the report's columns in their order."""
    columns, lines, count = report.columns, [], 0
    for row in report.rows():
        lines.append(orjson.dumps(dict(zip(columns, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE))
        count += 1
        if len(lines) == ROWS_AT_ONCE:
            yield b"".join(lines)
            lines = []
    if report.partial:
        lines.append(orjson.dumps(report.partial_mark(count), option=orjson.OPT_APPEND_NEWLINE))
    yield b"".join(lines)
