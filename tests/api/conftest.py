"""An application over an empty ledger, without workers: what it answers, not what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from evaluation.db import Database
from evaluation.settings import Settings
from tests.support.ledgers import migrated


@pytest.fixture
def api_settings(settings: Settings) -> Settings:
    changed = settings.model_copy(update={"max_body_bytes": 20_000, "max_seeds": 5_000})
    migrated(changed).dispose()
    return changed


@pytest.fixture
def client(api_settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(api_settings)) as client:
        yield client


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Database]:
    """An empty ledger of the usual settings."""
    db = migrated(settings)
    yield db
    db.dispose()
