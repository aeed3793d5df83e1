"""A Redis of its own for each test that asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.redis import Redis


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Redis]:
    """A server that keeps nothing: whatever it holds is gone when it dies."""
    server = Redis(tmp_path / "redis")
    yield server
    server.close()
