"""Sequential stop on both databases: the answer depends on the outcomes alone."""

import random
from collections.abc import Callable

import pytest

from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.ledger.claim import Lease, beat, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import finish
from evaluation.ledger.results import iter_rows
from evaluation.ledger.stops import look_at_arms
from evaluation.ledger.views import events_after, get_detail, get_job
from evaluation.rows import Row
from evaluation.schema import JobState
from evaluation.settings import Settings
from evaluation.spec import SpecError
from evaluation.versions import engine_version
from tests.support.jobs import submit_small

ME = "host/1"


@pytest.fixture
def own(ledger_settings: Settings) -> Settings:
    return ledger_settings.model_copy(update={"chunk_max_units": 47, "chunks_ahead": 6})


def outcome(number: int, arm: int) -> bool:
    """Whether an arm wins a deal: arm 0 nine in ten, arm 1 two in ten, by a fixed draw."""
    return random.Random(number * 7 + arm).random() < (0.9 if arm == 0 else 0.2)


def rows(lease: Lease, arm: int) -> list[Row | None]:
    return [
        Row(o, str(o), "won" if outcome(o, arm) else "stuck", outcome(o, arm), 90, 5, 8, {"windows": 1})
        for o in range(lease.start, lease.start + lease.size)
    ]


def run(db: Database, settings: Settings, job_id: str, order: Callable[[list[Lease]], None]) -> None:
    """Work until nothing is sent: a batch is claimed, finished in some order, then looks are taken."""
    arms = {a.id: a.summary.number for a in get_detail(db, job_id, settings).arms}
    while sent := next_to_send(db, settings):
        leases = [x for s in sent if isinstance(x := claim(db, s.chunk_id, ME, engine_version(), 60), Lease)]
        order(leases)
        for lease in leases:
            finish(db, lease, rows(lease, arms[lease.arm_id]), 0.1, ME)
            look_at_arms(db)
            counts = get_job(db, job_id, settings).counts
            assert min(vars(counts).values()) >= 0
    assert get_job(db, job_id, settings).state is JobState.COMPLETED
    assert check_ledger(db).faults == ()


def forwards(leases: list[Lease]) -> None:
    leases.sort(key=lambda x: (x.arm_id, x.start))


def backwards(leases: list[Lease]) -> None:
    leases.sort(key=lambda x: (-x.arm_id, -x.start))


def test_an_arm_ends_where_its_outcomes_say_whoever_was_fast(db: Database, own: Settings) -> None:
    ends = []
    for order in (forwards, backwards):
        job_id = submit_small(
            db, own, deals={"first": 0, "count": 2000}, evaluators=[{"player": "hint"}, {"player": "novice"}],
            stop_when={"half_width": 0.05},
        )  # fmt: skip
        run(db, own, job_id, order)
        arms = get_detail(db, job_id, own).arms
        ends.append([(a.summary.n, a.summary.tally.to_bytes()) for a in arms])
        for arm in arms:
            assert 100 < arm.summary.n < 2000
            assert [r.row.ordinal for r in iter_rows(db, [arm.id])] == list(range(arm.summary.n))
            assert f"after {arm.summary.n} deals" in arm.summary.stopped
            assert "beta-binomial confidence sequence" in arm.summary.stopped
        told = [e.data["message"] for e in events_after(db, job_id, 0) if e.kind == "log"]
        assert sum("ended after" in t for t in told) == 2
    assert ends[0] == ends[1]


def test_a_pair_ends_when_it_is_decided(db: Database, own: Settings) -> None:
    ends = []
    for order in (forwards, backwards):
        job_id = submit_small(
            db, own, deals={"first": 0, "count": 2000}, evaluators=[{"player": "hint"}, {"player": "novice"}],
            stop_when={"paired": [0, 1]},
        )  # fmt: skip
        run(db, own, job_id, order)
        arms = get_detail(db, job_id, own).arms
        assert arms[0].summary.n == arms[1].summary.n < 200
        assert "arm 0 wins more" in arms[0].summary.stopped
        ends.append(arms[0].summary.n)
    assert ends[0] == ends[1]


def test_a_worker_beyond_the_stop_is_told_and_its_rows_do_not_count(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own, deals={"first": 0, "count": 2000}, stop_when={"half_width": 0.4})
    sent = [
        x
        for s in next_to_send(db, own)
        if isinstance(x := claim(db, s.chunk_id, ME, engine_version(), 60), Lease)
    ]
    *early, late = sent
    for lease in early:
        finish(db, lease, rows(lease, 0), 0.1, ME)
    assert look_at_arms(db) == 1
    assert beat(db, late, ME, 1, 1, 60).cancel
    assert get_job(db, job_id, own).counts.leased == late.size
    finish(db, late, rows(late, 0), 0.1, ME)
    job = get_job(db, job_id, own)
    assert (job.state, job.counts.done, job.counts.cancelled) == (JobState.COMPLETED, 50, 1950)
    assert check_ledger(db).faults == ()


def test_an_arm_that_stays_wide_runs_to_its_end(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own, deals={"first": 0, "count": 120}, stop_when={"half_width": 0.001})
    run(db, own, job_id, forwards)
    arm = get_detail(db, job_id, own).arms[0].summary
    assert (arm.n, arm.stopped) == (120, "")


@pytest.mark.parametrize(
    ("stop", "more", "field"),
    [
        ({}, {}, "stop_when"),
        ({"half_width": 0.01}, {"repeats": 2}, "stop_when"),
        ({"paired": [0, 1]}, {}, "stop_when.paired"),
        ({"paired": [0]}, {}, "stop_when.paired"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(
    stop: dict[str, object], more: dict[str, object], field: str
) -> None:
    from evaluation.spec import parse_spec, plan_job
    from tests.support.jobs import SMALL

    with pytest.raises(SpecError) as caught:
        plan_job(parse_spec({**SMALL, "stop_when": stop, **more}), Settings())
    assert caught.value.faults[0].field == field
