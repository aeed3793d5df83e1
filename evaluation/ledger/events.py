"""Lines of a job's event stream that must survive: changes of state, and log lines."""

from __future__ import annotations

from typing import Any

import orjson
from sqlalchemy import Connection, insert

from evaluation.schema import Event


def add_event(conn: Connection, job_id: str, at: float, kind: str, data: dict[str, Any]) -> None:
    """Add one event in the caller's transaction. kind: ``state`` or ``log``."""
    conn.execute(
        insert(Event).values(job_id=job_id, at=at, kind=kind, data=orjson.dumps(data).decode()),
    )


def log(conn: Connection, job_id: str, at: float, message: str, **more: Any) -> None:
    """Add a log line that users see on the job's page."""
    add_event(conn, job_id, at, "log", {"message": message, **more})
