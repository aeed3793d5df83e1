"""report.html: one file to read, print and keep. It loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.solver import Verdict
from engine.words import counted
from evaluation.ledger.results import Filter, page_rows
from evaluation.ledger.views import iso
from evaluation.reports import words
from evaluation.reports.document import Report
from evaluation.reports.figures import SHARE_SCALE, PairTable, arm_figure, pair_table
from evaluation.summary import ArmSummary

UNDECIDED_SHOWN = 100
LONG_JOB_FILE = 20_000
"""Longest job file that is printed in full, in characters."""


def html_chunks(report: Report) -> Iterator[bytes]:
    """report.html, whole: it grows with arms, not with rows."""
    yield html_text(report).encode()


def html_text(report: Report) -> str:
    """The page."""
    detail = report.detail
    job_file = words.job_file(detail.spec)
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            job=detail.job,
            question=words.question(report),
            method=words.method(report),
            variants=list({a.variant.key: a.variant for a in detail.arms}.values()),
            figures=[arm_figure(a.summary) for a in detail.arms],
            share_scale=SHARE_SCALE,
            pairs=_pairs(report),
            undecided=[(a.summary, _undecided(report, a.id)) for a in detail.arms if _unknown(a.summary)],
            undecided_shown=UNDECIDED_SHOWN,
            job_file=job_file if len(job_file) <= LONG_JOB_FILE else "",
            created=iso(detail.job.created_at),
            finished=iso(detail.job.finished_at),
            read=iso(detail.job.read_at),
            deals=words.deals_in_words(detail.spec),
        )
    )


def _unknown(arm: ArmSummary) -> int:
    return 0 if arm.is_player else arm.verdicts(Verdict.UNKNOWN)


def _undecided(report: Report, arm_id: int) -> list[tuple[str, str]]:
    """Identity and reason of the first undecided deals of an arm."""
    only = Filter(verdicts=(Verdict.UNKNOWN.value,))
    rows = page_rows(report.db, [arm_id], None, UNDECIDED_SHOWN, only)
    identity = report.columns.index("id")
    return [(str(report.cells(r)[identity]), r.row.reason or "") for r in rows]


def _pairs(report: Report) -> PairTable | None:
    arms = [a.summary for a in report.detail.arms]
    found = [(arms[i], arms[k], pairs) for i, k, pairs in report.pairs()]
    return pair_table(found) if found else None


@lru_cache(maxsize=1)
def _environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    env.filters["percent"] = lambda share, digits=1: (
        "–" if share is None else f"{100 * share:.{digits}f}\u202f%"
    )
    env.filters["points"] = lambda share: "–" if share is None else f"{100 * share:+.1f}"
    env.filters["number"] = lambda n, digits=0: (
        "–" if n is None else f"{n:,.{digits}f}".replace(",", "\u202f")
    )
    env.filters["counted"] = lambda n, what, many="": counted(n, what, many).replace(",", "\u202f")
    env.filters["p_value"] = lambda p: f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"
    return env
