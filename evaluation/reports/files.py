"""Reports as files: the ending of the name chooses the writer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from evaluation.reports.document import Report
from evaluation.reports.html import html_chunks
from evaluation.reports.ndjson import ndjson_chunks
from evaluation.reports.parquet import parquet_chunks
from evaluation.reports.text import csv_chunks, json_bytes
from evaluation.reports.xlsx import xlsx_chunks

Writer = Callable[[Report], Iterator[bytes]]

WRITERS: Mapping[str, Writer] = {
    "csv": csv_chunks,
    "json": lambda report: iter([json_bytes(report)]),
    "ndjson": ndjson_chunks,
    "parquet": parquet_chunks,
    "xlsx": xlsx_chunks,
    "html": html_chunks,
}
"""Formats by the ending of their files; each gives the file's bytes in pieces."""


def write_report(report: Report, path: Path) -> None:
    """Write a report; the file appears whole or not at all. Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            for piece in WRITERS[path.suffix.removeprefix(".")](report):
                file.write(piece)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
