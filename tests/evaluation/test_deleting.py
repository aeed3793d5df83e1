"""Deleting jobs, also while others work on them, on SQLite and PostgreSQL by the same tests."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import update

from evaluation.db import Database
from evaluation.ledger import control
from evaluation.ledger.check import check_ledger
from evaluation.ledger.control import NoSuchJobError, WrongStateError, cancel, delete_job, retry
from evaluation.ledger.finish import LostLeaseError, finish
from evaluation.ledger.reap import Lost, take_back
from evaluation.ledger.replan import replan
from evaluation.ledger.results import iter_rows
from evaluation.ledger.store import store_rows
from evaluation.ledger.views import get_detail, get_job
from evaluation.rows import Row
from evaluation.schema import Job, Result
from evaluation.settings import Settings
from tests.support.jobs import rows_of, submit_small
from tests.support.ledger import ME, assert_sound, run_all, take


def test_delete_removes_a_finished_job_only(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own, key="k")
    with pytest.raises(WrongStateError):
        delete_job(db, job_id)
    run_all(db, own)
    arm = get_detail(db, job_id, own).arms[0].id
    delete_job(db, job_id)
    with pytest.raises(NoSuchJobError):
        get_job(db, job_id, own)
    assert list(iter_rows(db, [arm])) == []
    with pytest.raises(NoSuchJobError):
        delete_job(db, job_id)
    assert submit_small(db, own, key="k") != job_id


@pytest.mark.parametrize("meanwhile", [retry, cancel])
def test_nothing_brings_a_job_back_that_is_being_deleted(
    db: Database, own: Settings, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Database, str], Any]
) -> None:
    """Results have no foreign key: a chunk tried again between two batches would leave rows of no arm."""
    once = own.model_copy(update={"max_attempts": 1, "chunk_max_units": 1})
    job_id = submit_small(db, once)
    lease = take(db, once)
    take_back(db, Lost(lease.chunk_id, lease.number), "crash", "died", once)
    run_all(db, own)
    assert get_job(db, job_id, own).counts.failed == 1
    delete_some = control._delete_some

    def slow(db: Database, table: Any, arm_id: int) -> bool:
        more = delete_some(db, table, arm_id)
        if table is Result:
            meanwhile(db, job_id)
            run_all(db, own)
        return more

    monkeypatch.setattr(control, "_delete_some", slow)
    delete_job(db, job_id)
    with pytest.raises(NoSuchJobError):
        get_job(db, job_id, own)
    assert list(iter_rows(db, [lease.arm_id])) == []
    assert check_ledger(db).faults == ()


def test_a_job_planned_anew_while_it_is_deleted_stays(
    db: Database, own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = submit_small(db, own)
    run_all(db, own)
    with db.write() as conn:
        conn.execute(update(Job).values(engine="0.0.9"))
    delete_some = control._delete_some

    def slow(db: Database, table: Any, arm_id: int) -> bool:
        if get_job(db, job_id, own).engine == "0.0.9":
            replan(db, job_id)
        return delete_some(db, table, arm_id)

    monkeypatch.setattr(control, "_delete_some", slow)
    with pytest.raises(WrongStateError):
        delete_job(db, job_id)
    run_all(db, own)
    assert_sound(db, job_id)
    assert get_job(db, job_id, own).counts.done == 10


def test_no_row_is_stored_for_a_job_that_is_gone(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    lease = take(db, own)
    cancel(db, job_id)
    take_back(db, Lost(lease.chunk_id, lease.number), "lease", "gone", own)
    delete_job(db, job_id)
    with pytest.raises(LostLeaseError):
        finish(db, lease, rows_of(lease), 0.1, ME)
    assert check_ledger(db).faults == ()
    with db.write() as conn:
        store_rows(conn, lease.arm_id, [Row(0, "1", "stuck", False)])
    assert [f.what for f in check_ledger(db).faults] == ["1 row of an arm that is not there"]
