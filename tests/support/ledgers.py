"""Ledgers on SQLite for tests: migrated once a run and copied, as PostgreSQL's come from a template."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.db import Database
from evaluation.migrate import upgrade
from evaluation.settings import Settings


@cache
def _template() -> bytes:
    with TemporaryDirectory() as folder:
        db = Database.from_settings(Settings(data=Path(folder)))
        assert db.sqlite
        upgrade(db)
        db.dispose()
        [file] = Path(folder).iterdir()  # no log left behind: the file is the whole ledger
        return file.read_bytes()


def migrated(settings: Settings) -> Database:
    """An empty, migrated ledger at the settings' place, which must hold none yet."""
    db = Database.from_settings(settings)
    assert db.sqlite
    assert db.url.database is not None
    with Path(db.url.database).open("xb") as file:
        file.write(_template())
    return db
