"""Connections to PostgreSQL keep their bounds."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from evaluation.db import Database, trouble
from evaluation.settings import Settings

pytestmark = pytest.mark.postgres


def shown(db: Database, name: str) -> str:
    with db.read() as conn:
        return str(conn.exec_driver_sql(f"SHOW {name}").scalar_one())


def test_a_statement_has_its_time(postgres_url: str) -> None:
    db = Database(postgres_url.replace("postgresql:", "postgresql+psycopg:"), Settings(db_statement_s=0.2))
    try:
        with pytest.raises(OperationalError) as caught, db.read() as conn:
            conn.exec_driver_sql("SELECT pg_sleep(60)")
        assert "SPIDERVET_DB_STATEMENT_S" in trouble(caught.value)
        with db.migrating() as conn:
            assert conn.exec_driver_sql("SHOW statement_timeout").scalar_one() == "0"
        assert shown(db, "statement_timeout") == "200ms"
    finally:
        db.dispose()


def test_no_limit_leaves_the_servers_own(postgres_url: str) -> None:
    db = Database(postgres_url.replace("postgresql:", "postgresql+psycopg:"), Settings(db_statement_s=0))
    try:
        assert shown(db, "statement_timeout") == "0"
    finally:
        db.dispose()


def test_options_of_the_url_are_kept(postgres_url: str) -> None:
    url = postgres_url.replace("postgresql:", "postgresql+psycopg:")
    mark = "&" if "?" in url else "?"
    db = Database(f"{url}{mark}options=-c%20work_mem%3D7MB", Settings(db_statement_s=1))
    try:
        assert (shown(db, "work_mem"), shown(db, "statement_timeout")) == ("7MB", "1s")
    finally:
        db.dispose()
