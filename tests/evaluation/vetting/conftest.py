"""A ledger on SQLite with one quick calendar."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.vetting.clock import today
from tests.support.ledgers import migrated
from tests.support.vetting import make_calendar


@pytest.fixture
def lite(settings: Settings) -> Iterator[Database]:
    db = migrated(settings)
    yield db
    db.dispose()


@pytest.fixture
def quick(lite: Database, settings: Settings) -> str:
    return make_calendar(lite, settings)


@pytest.fixture
def now_day(lite: Database) -> date:
    """Today by UTC and the ledger's clock."""
    with lite.read() as conn:
        return today(conn)
