"""docs/reports.md names every column, key and format of a report, and none besides."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from engine.variants import Scoring
from evaluation.db import Database
from evaluation.migrate import upgrade
from evaluation.reports.document import Report, load_report
from evaluation.reports.files import WRITERS
from evaluation.settings import Settings
from tests.support.evaluated import evaluate_chunks, submit_two
from tests.support.markdown import DOCS

TEXT = (DOCS / "reports.md").read_text()


@pytest.fixture
def report(settings: Settings) -> Iterator[Report]:
    db = Database.from_settings(settings)
    upgrade(db)
    job = submit_two(db, settings, scoring=[s.value for s in Scoring])
    while evaluate_chunks(db, settings):
        pass
    yield load_report(db, job, settings)
    db.dispose()


def section(heading: str) -> str:
    """The part of the page under a heading."""
    return TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def firsts(part: str) -> list[str]:
    """Names in the first cells of a part's table."""
    cells = re.findall(r"^\| *((?:`\w+`(?:, )?)+) *\|", part, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"\w+", cell)]


def test_every_column_is_documented_in_its_order(report: Report) -> None:
    assert firsts(section("Columns of a row")) == list(report.columns)


def test_every_key_of_the_object_is_documented(report: Report) -> None:
    data = report.to_json()
    part = section("The object of report.json")
    assert set(firsts(part)) == set(data)
    arm_keys = re.findall(r"`(\w+)`", part.partition("is null):")[2].partition(".")[0])
    assert set(arm_keys) == set(data["arms"][0]) == set(data["arms"][1])
    pair_keys = set(re.findall(r"`(\w+)`", part.partition("| `pairs` |")[2].partition("\n")[0]))
    assert pair_keys == set(data["pairs"][0])


def test_every_format_is_documented() -> None:
    assert set(firsts(TEXT.partition("## Columns")[0])) == set(WRITERS)
