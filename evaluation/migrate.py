"""Bringing the ledger's schema up to date, and telling whether it is.

Add a migration with ``python -m evaluation.migrate "what changes"`` against an up-to-date ledger,
and read what it wrote.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from evaluation.db import Database
from evaluation.settings import get_settings


class SchemaOutOfDateError(RuntimeError):
    """The ledger is not at the version this program was built for."""


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """The newest revision that this program knows."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None
    return revision


def current(db: Database) -> str | None:
    """The ledger's revision; None for an empty database."""
    with db.read() as conn:
        return MigrationContext.configure(conn).get_current_revision()


def upgrade(db: Database, to: str = "head") -> str:
    """Bring the ledger to a revision, by default the newest; does nothing where it is there already.
    Returns the newest revision."""
    if current(db) != (head() if to == "head" else to):
        with db.migrating() as conn:
            if not db.sqlite:  # one migrator at a time; SQLite's write lock is already that
                conn.exec_driver_sql("select pg_advisory_xact_lock(7205759)")
            command.upgrade(_config(conn), to)
    return head()


def require_head(db: Database) -> None:
    """Raises SchemaOutOfDateError saying what to run."""
    found = current(db)
    if found != head():
        raise SchemaOutOfDateError(
            f"the ledger is at {found or 'no version'}, this program wants {head()}: run spidervet db upgrade"
        )


def _write_revision(message: str) -> None:
    db = Database.from_settings(get_settings())
    with db.write() as conn:
        options: dict[str, Any] = {"autogenerate": True, "message": message}
        command.revision(_config(conn), **options)


if __name__ == "__main__":
    _write_revision(sys.argv[1])
