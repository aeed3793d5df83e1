"""Rows and solutions into their tables, by the fastest way that each database has.

The one place where a row costs something for each of its cells: COPY on PostgreSQL, one prepared
statement on SQLite. docs/scale.md has what it costs against SQLAlchemy's own inserts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import orjson
import psycopg
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, OperationalError

from evaluation.rows import Row
from evaluation.schema import Result, Solution

RESULT_COLUMNS = (
    "arm_id", "ordinal", "seed", "outcome", "won", "moves", "stock_deals", "sequences", "scores",
    "verdict", "reason", "length", "nodes", "certificate", "seconds",
)  # fmt: skip
SOLUTION_COLUMNS = ("arm_id", "ordinal", "line")


def store_rows(conn: Connection, arm_id: int, rows: Iterable[Row]) -> None:
    """Insert rows of an arm. Raises sqlalchemy.exc.IntegrityError where one of them is there already."""
    _insert(conn, Result.__tablename__, RESULT_COLUMNS, (_cells(arm_id, row) for row in rows))


def store_lines(conn: Connection, arm_id: int, lines: Iterable[tuple[int, bytes]]) -> None:
    """Insert solutions of an arm: ordinal and packed line."""
    _insert(conn, Solution.__tablename__, SOLUTION_COLUMNS, ((arm_id, *line) for line in lines))


def _cells(arm_id: int, row: Row) -> tuple[Any, ...]:
    return (
        arm_id, row.ordinal, row.seed, row.outcome, row.won, row.moves, row.stock_deals, row.sequences,
        orjson.dumps(dict(row.scores)).decode() if row.scores else None,
        row.verdict, row.reason, row.length, row.nodes, row.certificate, row.seconds,
    )  # fmt: skip


def _insert(conn: Connection, table: str, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    names = ", ".join(columns)
    if conn.dialect.name == "postgresql":
        try:
            cursor = cast(psycopg.Cursor[Any], conn.connection.cursor())
            with cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        except psycopg.IntegrityError as error:
            raise IntegrityError(f"COPY {table}", None, error) from error
        except psycopg.Error as error:
            raise OperationalError(f"COPY {table}", None, error) from error
        return
    marks = ", ".join("?" * len(columns))
    if batch := list(rows):
        conn.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({marks})", batch)  # noqa: S608
