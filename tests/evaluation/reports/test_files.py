"""Reports as files: the same rows in every format, partial ones say so inside, nothing runs when opened."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest

from evaluation.db import Database
from evaluation.ledger.control import cancel
from evaluation.reports.document import Report, load_report
from evaluation.reports.files import WRITERS
from evaluation.schema import JobState
from evaluation.settings import Settings
from tests.support.evaluated import evaluate_chunks, submit_two
from tests.support.ledgers import migrated


@pytest.fixture
def ledger(settings: Settings) -> Iterator[tuple[Database, Settings]]:
    own = settings.model_copy(update={"chunk_max_units": 4, "chunks_ahead": 50})
    db = migrated(own)
    yield db, own
    db.dispose()


@pytest.fixture
def whole(ledger: tuple[Database, Settings]) -> Report:
    db, settings = ledger
    job = submit_two(db, settings)
    while evaluate_chunks(db, settings):
        pass
    return load_report(db, job, settings)


@pytest.fixture
def partial(ledger: tuple[Database, Settings]) -> Report:
    db, settings = ledger
    job = submit_two(db, settings)
    assert evaluate_chunks(db, settings, most=2) == 2
    return load_report(db, job, settings)


def written(report: Report, kind: str) -> bytes:
    return b"".join(WRITERS[kind](report))


def rows_of(report: Report) -> list[dict[str, object]]:
    return [dict(zip(report.columns, row, strict=True)) for row in report.rows()]


def test_every_format_has_the_same_rows(whole: Report) -> None:
    wanted = rows_of(whole)
    assert len(wanted) == 24
    lines = written(whole, "ndjson").splitlines()
    assert [json.loads(line) for line in lines] == wanted
    table = pq.read_table(io.BytesIO(written(whole, "parquet")))
    assert table.to_pylist() == wanted
    assert table.schema.metadata[b"spidervet.partial"] == b"false"
    rows = list(csv.DictReader(io.StringIO(written(whole, "csv").decode())))
    assert [r["seed"] for r in rows] == [r["seed"] for r in wanted]
    sheets = zipfile.ZipFile(io.BytesIO(written(whole, "xlsx")))
    assert sheets.read("xl/worksheets/sheet3.xml").count(b"<row ") == 25


def test_files_of_a_cancelled_job_say_that_rows_are_missing(ledger: tuple[Database, Settings]) -> None:
    db, settings = ledger
    job = submit_two(db, settings)
    assert evaluate_chunks(db, settings, most=2) == 2
    assert cancel(db, job) is JobState.CANCELLED
    report = load_report(db, job, settings)
    assert written(report, "csv").splitlines()[-1] == b"# partial: 8 of 24 rows"
    assert json.loads(written(report, "ndjson").splitlines()[-1])["partial"] is True
    assert json.loads(written(report, "json"))["partial"] is True
    schema = pq.read_schema(io.BytesIO(written(report, "parquet")))
    assert schema.metadata[b"spidervet.partial"] == b"true"
    book = zipfile.ZipFile(io.BytesIO(written(report, "xlsx")))
    assert b"PARTIAL" in b"".join(book.read(n) for n in book.namelist() if n.endswith(".xml"))
    assert "The job ended as “cancelled”: 8 of 24 rows" in written(report, "html").decode()


def test_partial_files_say_so_inside(partial: Report) -> None:
    assert partial.partial
    assert json.loads(written(partial, "ndjson").splitlines()[-1]) == {
        "partial": True,
        "rows": 8,
        "rows_in_all": 24,
    }
    assert written(partial, "csv").splitlines()[-1] == b"# partial: 8 of 24 rows"
    schema = pq.read_schema(io.BytesIO(written(partial, "parquet")))
    assert schema.metadata[b"spidervet.partial"] == b"true"
    book = zipfile.ZipFile(io.BytesIO(written(partial, "xlsx")))
    assert b"PARTIAL" in b"".join(book.read(n) for n in book.namelist() if n.endswith(".xml"))
    assert "Partial report: 8 of 24 rows" in written(partial, "html").decode()
    assert json.loads(written(partial, "json"))["partial"] is True


def test_no_cell_is_a_formula(whole: Report) -> None:
    assert all(line.startswith(b"'=two arms,") for line in written(whole, "csv").splitlines()[1:])
    book = zipfile.ZipFile(io.BytesIO(written(whole, "xlsx")))
    assert not any(b"<f>" in book.read(name) for name in book.namelist())


def test_the_page_is_one_file_that_loads_and_runs_nothing(whole: Report) -> None:
    page = written(whole, "html").decode()
    assert not re.search(r"<script|\ssrc=|\shref=|url\(|@import|\son[a-z]+=", page)
    assert "<title>=two arms" in page


def test_the_page_says_what_was_asked_how_and_how_to_repeat_it(whole: Report) -> None:
    page = written(whole, "html").decode()
    for words in (
        "spiderette-1: how often the player hint wins and how many of the deals can be won at all, on 12"
        " deals, spidervet seeds 101 to 112.",
        "Wilson",
        "replayed to the win by the reference rules",
        "spidervet:spiderette-1:106",  # the undecided deal
        "stock_deal_over_empty: <strong>forbidden</strong>",
        whole.detail.job.engine,
        "spidervet evaluate --job job.json",
    ):
        assert words in page
    job_file = re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert job_file is not None
    body = json.loads(job_file[1].replace("&#34;", '"'))
    assert body["deals"] == {"scheme": "spidervet", "first": 101, "count": 12}


def test_a_report_without_rows_is_written_in_every_format(ledger: tuple[Database, Settings]) -> None:
    db, settings = ledger
    report = load_report(db, submit_two(db, settings), settings)
    for kind in WRITERS:
        assert written(report, kind)
    assert pq.read_table(io.BytesIO(written(report, "parquet"))).num_rows == 0
