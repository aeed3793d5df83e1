"""A host that is alive and deaf is told by its progress."""

from __future__ import annotations

import pytest

from evaluation.db import Database
from evaluation.ledger import stall as stalls
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import finish
from evaluation.ledger.stall import Stall
from evaluation.ledger.workers import report_alive
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.support.jobs import rows_of, submit_small


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [100.0]
    monkeypatch.setattr(stalls.time, "monotonic", lambda: at[0])
    return at


def test_a_host_that_takes_nothing_while_chunks_wait(
    db: Database, ledger_settings: Settings, clock: list[float]
) -> None:
    report_alive(db, "h", "h", 1, engine_version(), 2, "ready")
    stall = Stall(db, "h", engine_version(), 30)
    stall.look()
    clock[0] += 60
    stall.look()
    assert not stall.is_over, "nothing waits"
    submit_small(db, ledger_settings)
    chunks = [c.chunk_id for c in next_to_send(db, ledger_settings)]
    assert len(chunks) > 1
    stall.look()
    clock[0] += 20
    lease = claim(db, chunks[0], "h/1", engine_version(), 30)
    assert isinstance(lease, Lease)
    stall.look()
    clock[0] += 60
    stall.look()
    assert not stall.is_over, "it is at work"
    finish(db, lease, rows_of(lease), 0.1, "h/1")
    stall.look()
    clock[0] += 29
    stall.look()
    assert not stall.is_over
    clock[0] += 2
    stall.look()
    assert stall.is_over
    other = Stall(db, "h", "another version", 30)
    other.look()
    clock[0] += 60
    other.look()
    assert not other.is_over, "chunks of another version are not its own"
