"""Fixtures that several packages share: settings in a fresh folder, ledgers on both databases."""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from evaluation.db import Database
from evaluation.migrate import upgrade
from evaluation.settings import Settings
from tests.support.ledgers import migrated
from tests.support.postgres import Postgres

for _name in [n for n in os.environ if n.startswith("SPIDERVET_")]:
    del os.environ[_name]  # a developer's settings must not change what the tests see


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """Commands run in this process set variables for their child processes: not for the tests that follow."""
    before = dict(os.environ)
    yield
    for name in [n for n in os.environ if n.startswith("SPIDERVET_") and n not in before]:
        del os.environ[name]


# Folders whose tests start services and measure deadlines: one worker runs them all, in turn.
ONE_AT_A_TIME = ("service", "deploy", "browser")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Group such a test for xdist's loadgroup; xdist itself reads groups too early for `modifyitems`."""
    if item.path.relative_to(Path(__file__).parent).parts[0] in ONE_AT_A_TIME:
        item.add_marker(pytest.mark.xdist_group("processes"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse two tests of one id: the processes that share out the tests would run but one of them."""
    for name, number in Counter(item.nodeid for item in items).items():
        if number > 1:
            raise pytest.UsageError(f"{number} tests are called {name}")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Default settings over an empty folder."""
    return Settings(data=tmp_path / "data")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server with a migrated database ``template`` to copy."""
    server = Postgres()
    db = Database(server.create("template").replace("postgresql://", "postgresql+psycopg://"), Settings())
    upgrade(db)
    db.dispose()
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """A fresh, migrated database on PostgreSQL."""
    name = f"t{uuid.uuid4().hex[:10]}"
    yield postgres.create(name, "template")
    postgres.drop(name)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def ledger_settings(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """Settings of a ledger on each database, migrated."""
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        return settings.model_copy(update={"database_url": SecretStr(url)})
    migrated(settings).dispose()
    return settings


@pytest.fixture
def db(ledger_settings: Settings) -> Iterator[Database]:
    """A ledger on each database."""
    database = Database.from_settings(ledger_settings)
    yield database
    database.dispose()
