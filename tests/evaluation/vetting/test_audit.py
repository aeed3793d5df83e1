"""The audit log: a calendar's own lines, and those that are of every calendar."""

from __future__ import annotations

from datetime import date

from evaluation.db import Database
from evaluation.vetting import audit

DAY = date(2031, 3, 1)


def test_what_is_done_to_signing_keys_is_among_every_calendars_lines(lite: Database) -> None:
    with lite.write() as conn:
        audit.add(conn, 1.0, "eve", "one", "approved", DAY)
        audit.add(conn, 2.0, "ada", audit.EVERY, "signing-key", key="k")
        audit.add(conn, 3.0, "eve", "two", "approved", DAY)
    found = {name: [e.action for e in audit.entries(lite, name)] for name in ("one", "two")}
    assert found == {"one": ["signing-key", "approved"], "two": ["approved", "signing-key"]}
    assert [e.action for e in audit.entries(lite, "one", DAY)] == ["approved"]
