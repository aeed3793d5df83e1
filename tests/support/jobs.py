"""Small jobs, and rows that need no games."""

from __future__ import annotations

from typing import Any

from evaluation.db import Database
from evaluation.ledger.claim import Lease
from evaluation.ledger.submit import submit
from evaluation.rows import Row
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job

SMALL: dict[str, Any] = {
    "name": "small",
    "deals": {"first": 1, "count": 10},
    "variants": ["spider-1"],
    "evaluators": [{"player": "hint"}],
}


def submit_small(db: Database, settings: Settings, key: str | None = None, **changes: Any) -> str:
    """Submit a job of one arm and ten deals, with changes; gives its id."""
    return submit(db, plan_job(parse_spec({**SMALL, **changes}), settings), settings, key=key).job_id


def rows_of(lease: Lease) -> list[Row | None]:
    """Plausible rows for a whole chunk: every third deal is won."""
    return [
        Row(
            o,
            str(o + 1),
            "won" if o % 3 == 0 else "stuck",
            o % 3 == 0,
            100 + o,
            5,
            8 if o % 3 == 0 else 1,
            {"windows": 400 - o},
            nodes=1000 + o,
            seconds=0.01,
        )
        for o in range(lease.start, lease.start + lease.size)
    ]
