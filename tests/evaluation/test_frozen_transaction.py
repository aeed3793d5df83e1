"""A session that stops in mid-transaction gives its locks back by itself."""

from __future__ import annotations

import time

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from evaluation import db as database
from evaluation.db import Database
from evaluation.settings import Settings


@pytest.mark.postgres
def test_a_transaction_that_stands_still_holds_no_lock_for_ever(
    postgres_url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "IDLE_LEAST_S", 0.2)
    changed = settings.model_copy(update={"database_url": SecretStr(postgres_url), "lease_s": 0.2})
    frozen, other = Database.from_settings(changed), Database.from_settings(changed)
    lock = text("lock table jobs in access exclusive mode")
    try:
        held = frozen.engine.connect()
        held.execute(lock)
        time.sleep(0.5)
        with other.write() as conn:
            conn.execute(text("set local lock_timeout = '20s'"))
            conn.execute(lock)
        held.invalidate()
        held.close()
    finally:
        frozen.dispose()
        other.dispose()
