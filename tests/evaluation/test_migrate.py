"""Migrations: one line of them, and what they make is what the models say, on both databases."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from evaluation.db import Database
from evaluation.migrate import SchemaOutOfDateError, _config, current, head, require_head, upgrade
from evaluation.schema import Base
from evaluation.settings import Settings


def test_there_is_one_line_of_migrations() -> None:
    assert ScriptDirectory.from_config(_config()).get_heads() == [head()]


def test_the_migrated_schema_is_the_models(db: Database) -> None:
    with db.read() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    assert current(db) == head()
    assert upgrade(db) == head()


def test_an_empty_ledger_is_refused_with_the_cure(settings: Settings) -> None:
    db = Database.from_settings(settings)
    with pytest.raises(SchemaOutOfDateError, match="run spidervet db upgrade"):
        require_head(db)
    db.dispose()


def test_a_ledger_with_rows_is_brought_up_to_date(settings: Settings) -> None:
    """Every row stays; SQLite makes tables anew that other tables refer to."""
    db = Database.from_settings(settings)
    upgrade(db, "0003")
    with db.write() as conn:
        conn.exec_driver_sql(
            "insert into jobs (id, name, kind, spec, spec_hash, engine, state, queue, revision, total,"
            " leased, done, failed, cancelled, note, created_at) values"
            " ('j', 'n', 'evaluation', '{}', 'h', 'e', 'queued', 'batch', 0, 1, 0, 0, 0, 0, '', 1.0)"
        )
        conn.exec_driver_sql("insert into events (job_id, at, kind, data) values ('j', 1.0, 'state', '{}')")
    upgrade(db)
    assert current(db) == head()
    with db.read() as conn:
        assert conn.exec_driver_sql("select job_id from events").scalars().all() == ["j"]
        assert conn.exec_driver_sql("PRAGMA foreign_keys").scalar_one() == 1
    db.dispose()
