"""Names of files that browsers save."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from api.downloads import disposition, job_file
from evaluation.db import Database
from evaluation.ledger.submit import submit
from evaluation.reports.files import WRITERS
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from tests.support.jobs import SMALL

ID = "01a22c2d-9aec-718d-af64-783dfa31cdc4"


@pytest.mark.parametrize(
    ("name", "partial", "file"),
    [
        ("sample: three games", False, "spidervet-sample-three-games-783dfa31cdc4.csv"),
        ("sample", True, "spidervet-sample-783dfa31cdc4-partial.csv"),
        ("../../etc/passwd", False, "spidervet-etc-passwd-783dfa31cdc4.csv"),
        ('=1+1 "x"; y', False, "spidervet-1-1-x-y-783dfa31cdc4.csv"),
        ("Fünf Spiele 五", True, "spidervet-Fünf-Spiele-五-783dfa31cdc4-partial.csv"),
        ("w" * 300, False, f"spidervet-{'w' * 40}-783dfa31cdc4.csv"),
        ("***", False, "spidervet-783dfa31cdc4.csv"),
    ],
)
def test_a_report_is_named_by_its_job(name: str, partial: bool, file: str) -> None:
    assert job_file(name, ID, "csv", partial) == file


def test_names_beyond_ascii_are_told_twice() -> None:
    assert disposition("Fünf.csv", inline=True) == {
        "Content-Disposition": "inline; filename=\"F_nf.csv\"; filename*=UTF-8''F%C3%BCnf.csv"
    }


def test_every_report_carries_its_name_also_the_one_that_is_looked_at(
    api_settings: Settings, client: TestClient
) -> None:
    db = Database.from_settings(api_settings)
    job = submit(db, plan_job(parse_spec({**SMALL, "name": "My job"}), api_settings), api_settings).job_id
    db.dispose()
    for kind in WRITERS:
        header = client.get(f"/v1/jobs/{job}/report.{kind}").headers["content-disposition"]
        name = f"spidervet-My-job-{job[-12:]}-partial.{kind}"
        how = "inline" if kind == "html" else "attachment"
        assert header == f"{how}; filename=\"{name}\"; filename*=UTF-8''{name}"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/deals/spidervet/spider-4/7/layout.json", "spidervet-spider-4-7.json"),
        ("/deals/pysolfc/spider-4/12345/layout.kpat", "pysolfc-spider-4-12345.xml"),
    ],
)
def test_deals_are_named_by_their_identity(client: TestClient, path: str, name: str) -> None:
    header = client.get(path).headers["content-disposition"]
    assert header.startswith(f'attachment; filename="{name}"')
