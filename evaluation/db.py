"""Connections to the ledger: SQLite and PostgreSQL behind one small face.

Reads and writes are separate on purpose. A SQLite transaction that starts as a read and then
writes fails under load whatever the busy timeout, so writers begin with BEGIN IMMEDIATE; on
PostgreSQL readers take a repeatable snapshot, so that a job and its arms agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Double, Engine, create_engine, event, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.functions import FunctionElement

from evaluation.settings import Settings


class DbNow(FunctionElement[float]):
    """Seconds since 1970 UTC by the database's clock: hosts' clocks may differ, leases must not."""

    type = Double()
    inherit_cache = True
    name = "db_now"


@compiles(DbNow, "sqlite")
def _sqlite_now(element: DbNow, compiler: Any, **kw: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(DbNow, "postgresql")
def _postgres_now(element: DbNow, compiler: Any, **kw: Any) -> str:
    return "cast(extract(epoch from clock_timestamp()) as double precision)"


def now(conn: Connection) -> float:
    """The database's time."""
    value: float = conn.execute(select(DbNow())).scalar_one()
    return value


class Database:
    """One process's way to the ledger. Not to be shared over fork: call `dispose` in the child."""

    def __init__(
        self, url: str | URL, settings: Settings, pooled: bool = True, most: int | None = None
    ) -> None:
        self.url = make_url(url)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        maker = _sqlite_engine if self.sqlite else _postgres_engine
        self.engine = maker(self.url, settings, pooled, most)
        self._readers = self.engine.execution_options(
            **({} if self.sqlite else {"isolation_level": "REPEATABLE READ"})
        )
        self._writers = self.engine.execution_options(spidervet_write=True)

    @classmethod
    def from_settings(cls, settings: Settings, pooled: bool = True, most: int | None = None) -> Database:
        """The ledger of the settings; makes the data folder where SQLite needs it.

        pooled: False opens a connection for each transaction and keeps none. most: connections to PostgreSQL,
        where the setting for API processes is too many (docs/operations.md has the budget).
        """
        url = make_url(settings.sql_url())
        if url.get_backend_name() == "sqlite":
            settings.data.mkdir(parents=True, exist_ok=True)
        return cls(url, settings, pooled, most)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent snapshot. Keep it short: an open one keeps SQLite's log from shrinking."""
        with self._readers.connect() as conn, conn.begin():
            yield conn

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that holds SQLite's write lock from its start."""
        with self._writers.connect() as conn, conn.begin():
            yield conn

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """A write transaction for changes of the schema. SQLite changes a table by making it anew and
        dropping the old one, which must not count as deleting the rows that others refer to; references are
        checked before the end instead. Raises IntegrityError where one points nowhere."""
        if not self.sqlite:
            with self.write() as conn:
                conn.exec_driver_sql("SET LOCAL statement_timeout = 0")  # an index may take long
                yield conn
            return
        with self._writers.connect() as conn:
            dbapi: Any = conn.connection.dbapi_connection
            dbapi.execute("PRAGMA foreign_keys = OFF")  # only possible outside a transaction
            try:
                with conn.begin():
                    yield conn
                    lost = conn.exec_driver_sql("PRAGMA foreign_key_check").all()
                    if lost:
                        raise IntegrityError("foreign_key_check", None, ValueError(f"{lost[:5]}"))
            finally:
                dbapi.execute("PRAGMA foreign_keys = ON")

    def dispose(self, close: bool = True) -> None:
        """Drop pooled connections; with ``close`` False leave the parent's sockets alone (after fork)."""
        self.engine.dispose(close=close)


def _sqlite_engine(url: URL, settings: Settings, pooled: bool, most: int | None) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": settings.sqlite_busy_s, "check_same_thread": False},
        poolclass=None if pooled else NullPool,
    )

    @event.listens_for(engine, "connect")
    def _on_connect(dbapi: Any, _record: Any) -> None:
        dbapi.isolation_level = None
        cursor = dbapi.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {int(settings.sqlite_busy_s * 1000)}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _on_begin(conn: Connection) -> None:
        write = conn.get_execution_options().get("spidervet_write", False)
        conn.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


IDLE_LEAST_S = 10.0
"""A transaction may always be idle for this long; beyond it, for no longer than a lease lasts."""


def _postgres_engine(url: URL, settings: Settings, pooled: bool, most: int | None) -> Engine:
    connect_args: dict[str, Any] = {
        "connect_timeout": 5,
        "application_name": "spidervet",
        # a cut network is noticed in seconds instead of by the kernel's quarter of an hour
        "keepalives_idle": 5,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
    if settings.db_statement_s:
        given = url.query.get("options", "")
        # a process that is frozen in mid-transaction must not hold its rows' locks, which all others wait for
        idle_s = min(settings.db_statement_s, max(IDLE_LEAST_S, settings.lease_s))
        limits = {"statement_timeout": settings.db_statement_s, "idle_in_transaction_session_timeout": idle_s}
        limit = " ".join(f"-c {name}={max(1, round(1000 * s))}" for name, s in limits.items())
        connect_args["options"] = f"{limit} {given if isinstance(given, str) else ' '.join(given)}".strip()
    if not pooled:
        return create_engine(url, poolclass=NullPool, connect_args=connect_args)
    return create_engine(
        url,
        pool_size=most or settings.db_pool_size,
        max_overflow=0 if most else settings.db_pool_size,
        pool_pre_ping=True,
        pool_recycle=1800,
        connect_args=connect_args,
    )


def trouble(error: Exception) -> str:
    """What is wrong with the ledger, for people: one line, without statements or data."""
    text = str(error).lower()
    if "disk is full" in text or "no space left" in text:
        return "the ledger's disk is full: free some space, work goes on by itself"
    if "locked" in text:
        return "the ledger is locked by another process for longer than the service waits"
    if "statement timeout" in text:
        return "the ledger took longer over a statement than SPIDERVET_DB_STATEMENT_S allows"
    return "the ledger does not answer"
