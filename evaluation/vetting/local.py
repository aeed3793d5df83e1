"""Vetting without a server: the same run, on this machine's processes.

A run of a calendar works on the ledger itself, so that a service started later goes on from it. A run of a
variant and a difficulty alone uses a ledger that is thrown away.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.db import Database
from evaluation.ledger.control import cancel
from evaluation.ledger.views import JobView
from evaluation.local import work_on
from evaluation.migrate import upgrade
from evaluation.settings import Settings


@contextmanager
def own_ledger(settings: Settings, jobs: int) -> Iterator[tuple[Database, Settings]]:
    """A ledger for one run, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="spidervet-") as folder:
        own = settings.model_copy(
            update={
                "data": Path(folder),
                "database_url": None,
                "broker_url": None,
                "vetting_key": None,
                "workers": jobs,
            }
        )
        db = Database.from_settings(own)
        try:
            upgrade(db)
            yield db, own
        finally:
            db.dispose()


def finish_here(
    db: Database, settings: Settings, job_id: str, jobs: int, progress: Callable[[JobView], None]
) -> None:
    """Run what is left of a submitted run on ``jobs`` processes to its end."""
    try:
        work_on(db, settings, job_id, jobs, progress)
    except KeyboardInterrupt:
        cancel(db, job_id)
