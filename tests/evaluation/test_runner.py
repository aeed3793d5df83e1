"""Running a chunk while its database comes and goes."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

import evaluation.runner
from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import Finished, finish
from evaluation.ledger.views import get_job
from evaluation.runner import Outcome, Runner
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.support.jobs import submit_small

AWAY = OperationalError("insert", None, Exception("server closed the connection"))


@pytest.fixture
def runner(db: Database, ledger_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setattr(evaluation.runner, "STORE_PAUSE_S", 0.01)
    return Runner(db, ledger_settings, "host/1", engine_version())


def test_rows_wait_for_a_database_that_is_away_for_a_moment(
    runner: Runner, ledger_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def late(*arguments: Any) -> Finished:
        nonlocal calls
        calls += 1
        if calls < 4:
            raise AWAY
        return finish(*arguments)

    monkeypatch.setattr(evaluation.runner, "finish", late)
    job_id = submit_small(runner.db, ledger_settings)
    chunk = next_to_send(runner.db, ledger_settings)[0].chunk_id
    assert runner.run(chunk) is Outcome.STORED
    assert calls == 4
    assert get_job(runner.db, job_id, ledger_settings).counts.done > 0
    assert check_ledger(runner.db).faults == ()


def test_a_commit_whose_answer_was_lost_counts_once(
    runner: Runner, ledger_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[Finished] = []

    def deaf(*arguments: Any) -> Finished:
        stored.append(finish(*arguments))
        raise AWAY

    monkeypatch.setattr(evaluation.runner, "finish", deaf)
    job_id = submit_small(runner.db, ledger_settings)
    assert runner.run(next_to_send(runner.db, ledger_settings)[0].chunk_id) is Outcome.LOST
    assert [x.rows for x in stored] == [get_job(runner.db, job_id, ledger_settings).counts.done]
    assert check_ledger(runner.db).faults == ()


def test_a_database_that_stays_away_ends_the_waiting(
    runner: Runner, ledger_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: Any) -> Finished:
        raise AWAY

    monkeypatch.setattr(evaluation.runner, "finish", never)
    runner.settings = ledger_settings.model_copy(update={"lease_s": 0.05})
    job_id = submit_small(runner.db, ledger_settings)
    with pytest.raises(OperationalError):
        runner.run(next_to_send(runner.db, ledger_settings)[0].chunk_id)
    assert get_job(runner.db, job_id, ledger_settings).counts.leased > 0
