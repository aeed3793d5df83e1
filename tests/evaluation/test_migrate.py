"""Migrations: one line of them, and what they make is what the models say, on both databases."""

import pytest
from alembic import command
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


def test_rows_and_their_indexes_stay_when_the_table_is_made_anew(settings: Settings) -> None:
    """SQLite has no other way to drop a foreign key. Back and forth, with a row in it."""
    db = Database.from_settings(settings)
    upgrade(db, "0005")
    insert = "insert into results (arm_id, ordinal, seed, outcome, seconds) values (7, 0, '1', 'stuck', 0.5)"
    with db.migrating() as conn:
        conn.exec_driver_sql(
            "insert into jobs (id, name, kind, spec, spec_hash, engine, state, queue, revision, total,"
            " leased, done, failed, cancelled, note, created_at) values"
            " ('j', 'n', 'evaluation', '{}', 'h', 'e', 'queued', 'batch', 0, 1, 0, 0, 0, 0, '', 1.0)"
        )
        conn.exec_driver_sql(
            "insert into arms (id, job_id, number, variant, variant_key, variant_record, evaluator,"
            " evaluator_json, total, cut, done, tally, stop_note) values"
            " (7, 'j', 0, 'v', 'k', '{}', 'e', '{}', 1, 1, 1, '', '')"
        )
        conn.exec_driver_sql(insert)
    before = _indexes(db)
    assert any("verdict IS NOT NULL" in sql for sql in before)
    upgrade(db)
    assert _indexes(db) == before
    with db.read() as conn:
        assert conn.exec_driver_sql("select seed from results where arm_id = 7").scalars().all() == ["1"]
        assert conn.exec_driver_sql("PRAGMA foreign_key_list(results)").all() == []
    with db.migrating() as conn:
        command.downgrade(_config(conn), "0005")
    assert _indexes(db) == before
    with db.read() as conn:
        assert [key[2] for key in conn.exec_driver_sql("PRAGMA foreign_key_list(results)")] == ["arms"]
    db.dispose()


def _indexes(db: Database) -> set[str]:
    """The statements that made the indexes of the table of results."""
    with db.read() as conn:
        found = conn.exec_driver_sql(
            "select sql from sqlite_master where tbl_name = 'results' and type = 'index'"
        )
        return {sql.replace('"', "") for sql in found.scalars() if sql}
