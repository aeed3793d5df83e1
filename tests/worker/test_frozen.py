"""Which processes a host ends because they neither work nor end."""

import time

import pytest

from worker.frozen import AtWork, Frozen

FIRST, SECOND = AtWork(chunk_id=7, pid=100), AtWork(chunk_id=8, pid=101)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [50.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_process_that_lost_its_lease_long_ago_is_frozen(clock: list[float]) -> None:
    frozen = Frozen(10)
    assert frozen.look({FIRST, SECOND}, {SECOND}) == []
    clock[0] += 10
    assert frozen.look({FIRST, SECOND}, {SECOND}) == [FIRST]


def test_one_that_holds_its_lease_or_goes_on_to_another_chunk_is_not(clock: list[float]) -> None:
    frozen = Frozen(10)
    for at_work, leased in (({FIRST}, set()), ({FIRST}, {FIRST}), ({AtWork(9, 100)}, set())):
        assert frozen.look(at_work, leased) == []
        clock[0] += 9
    assert frozen.look({FIRST}, set()) == []


def test_time_without_a_ledger_does_not_count(clock: list[float]) -> None:
    frozen = Frozen(10)
    frozen.look({FIRST}, set())
    clock[0] += 60
    frozen.forget()
    assert frozen.look({FIRST}, set()) == []
