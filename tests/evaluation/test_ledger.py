"""The ledger's promises, on SQLite and PostgreSQL by the same tests."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select, update

from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.ledger.claim import Lease, Refusal, beat, claim
from evaluation.ledger.control import WrongStateError, cancel, retry
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import LostLeaseError, finish
from evaluation.ledger.locks import hold, release
from evaluation.ledger.reap import Lost, reap, take_back
from evaluation.ledger.replan import replan
from evaluation.ledger.results import Filter, Place, iter_rows, page_rows, solution_line
from evaluation.ledger.store import store_rows
from evaluation.ledger.submit import KeyReusedError, submit
from evaluation.ledger.views import events_after, get_detail, get_job, list_jobs
from evaluation.ledger.workers import drain, drained, list_workers, report_alive
from evaluation.rows import FAILED, Row
from evaluation.schema import Arm, Chunk, Job, JobState
from evaluation.settings import Settings
from evaluation.spec import parse_spec, plan_job
from evaluation.versions import engine_version
from tests.support.jobs import SMALL, rows_of, submit_small
from tests.support.ledger import ME, assert_sound, run_all, take


def test_a_host_that_drains_begins_no_chunk_and_leaves_it_to_the_others(db: Database, own: Settings) -> None:
    for host in ("host", "other"):
        report_alive(db, host, "machine", 1, engine_version(), 1, "ready")
    job_id = submit_small(db, own)
    first, second = (item.chunk_id for item in next_to_send(db, own)[:2])
    lease = take(db, own, first)
    drain(db, "host")
    assert not drained(db, "host")  # the first chunk is still under way
    assert claim(db, second, ME, engine_version(), own.lease_s) is Refusal.DRAINING
    assert second in [item.chunk_id for item in next_to_send(db, own)]
    assert isinstance(claim(db, second, "other/1", engine_version(), own.lease_s), Lease)
    finish(db, lease, rows_of(lease), 0.3, ME)
    assert drained(db, "host")
    assert not drained(db, "other")
    assert_sound(db, job_id)


def test_a_job_runs_to_its_end(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    assert get_job(db, job_id, own).state is JobState.QUEUED
    assert run_all(db, own) == 4
    job = get_job(db, job_id, own)
    assert (job.state, job.counts.done) == (JobState.COMPLETED, 10)
    assert set(job.times()) == {"queued", "running", "cancelling", "completed"}
    summary = get_detail(db, job_id, own).arms[0].summary
    assert (summary.n, summary.tally.won) == (10, 4)
    assert [e.data["state"] for e in events_after(db, job_id, 0)] == ["queued", "running", "completed"]
    assert_sound(db, job_id)


def test_exactly_one_of_many_claims_wins(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    chunk = next_to_send(db, own)[0].chunk_id
    start = threading.Barrier(8)

    def one(i: int) -> Lease | Refusal:
        start.wait()
        return claim(db, chunk, f"host/{i}", engine_version(), 20)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(one, range(8)))
    assert sum(isinstance(a, Lease) for a in answers) == 1
    assert get_job(db, job_id, own).counts.leased == 3
    assert_sound(db, job_id)


def test_finishing_twice_counts_once(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    lease = take(db, own)
    finish(db, lease, rows_of(lease), 0.1, ME)
    with pytest.raises(LostLeaseError):
        finish(db, lease, rows_of(lease), 0.1, ME)
    assert get_job(db, job_id, own).counts.done == 3
    assert_sound(db, job_id)


def test_a_late_finisher_loses_to_the_new_holder(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    late = take(db, own)
    assert take_back(db, Lost(late.chunk_id, late.number), "lease", "slow", own)
    new = take(db, own, late.chunk_id)
    with pytest.raises(LostLeaseError):
        finish(db, late, rows_of(late), 0.1, ME)
    finish(db, new, rows_of(new), 0.1, ME)
    assert get_job(db, job_id, own).counts.done == 3
    assert_sound(db, job_id)


def test_what_was_not_evaluated_goes_back(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    lease = take(db, own)
    done = finish(db, lease, [*rows_of(lease)[:1], None, None], 0.1, ME)
    assert (done.rows, done.handed_back) == (1, 2)
    assert get_job(db, job_id, own).counts.done == 1
    assert_sound(db, job_id)
    run_all(db, own)
    assert [r.row.ordinal for r in iter_rows(db, [lease.arm_id])] == list(range(10))
    assert_sound(db, job_id)


def test_nothing_evaluated_leaves_the_chunk_whole(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    lease = take(db, own)
    assert finish(db, lease, [None] * 3, 0.1, ME).handed_back == 3
    again = take(db, own, lease.chunk_id)
    assert (again.start, again.size) == (lease.start, lease.size)
    finish(db, again, rows_of(again), 0.1, ME)
    run_all(db, own)
    assert get_job(db, job_id, own).state is JobState.COMPLETED
    assert_sound(db, job_id)


def test_a_worker_of_another_version_leaves_the_chunk_and_says_so(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    chunk = next_to_send(db, own)[0].chunk_id
    report_alive(db, "old", "box", 1, "0.0.9", 2, "ready")
    for _ in range(2):
        assert claim(db, chunk, "old/7", "0.0.9", 20) is Refusal.OTHER_VERSION
    told = [e.data["message"] for e in events_after(db, job_id, 0) if e.kind == "log"]
    assert len(told) == 1
    assert "0.0.9" in told[0]
    assert "0.0.9" in list_workers(db, 15)[0].note
    assert isinstance(take(db, own, chunk), Lease)


def test_an_old_job_is_planned_anew_as_a_whole(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    lease = take(db, own)
    with pytest.raises(WrongStateError, match="this version already"):
        replan(db, job_id)
    with db.write() as conn:
        conn.execute(update(Job).values(engine="0.0.9"))
    with pytest.raises(WrongStateError, match=r"a worker of 0\.0\.9 is at it"):
        replan(db, job_id)
    finish(db, lease, rows_of(lease), 0.1, ME)
    assert replan(db, job_id) == "0.0.9"
    assert list(iter_rows(db, [lease.arm_id])) == []
    assert_sound(db, job_id)
    run_all(db, own)
    job = get_job(db, job_id, own)
    assert (job.state, job.counts.done, job.engine) == (JobState.COMPLETED, 10, engine_version())
    assert_sound(db, job_id)


def test_no_job_is_found_by_what_no_name_holds(db: Database, own: Settings) -> None:
    submit_small(db, own)
    assert list_jobs(db, own, 10, named="\0") == []


def test_an_overdue_lease_is_taken_back(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    lease = claim(db, next_to_send(db, own)[0].chunk_id, ME, engine_version(), -1.0)
    assert isinstance(lease, Lease)
    assert reap(db, own) == 1
    number = [a.id for a in get_detail(db, job_id, own).arms].index(lease.arm_id)
    told = events_after(db, job_id, 0)[-1].data["message"]
    assert f"(arm {number}, {lease.size} deals)" in told
    assert get_job(db, job_id, own).counts.leased == 0
    assert not beat(db, lease, ME, 1, 1, 20).held
    run_all(db, own)
    assert get_job(db, job_id, own).state is JobState.COMPLETED
    assert_sound(db, job_id)


def test_a_beat_extends_the_lease_only_with_progress(db: Database, own: Settings) -> None:
    submit_small(db, own)
    lease = claim(db, next_to_send(db, own)[0].chunk_id, ME, engine_version(), -1.0)
    assert isinstance(lease, Lease)
    assert beat(db, lease, ME, 0, 0, None).held
    assert reap(db, own) == 1
    lease = take(db, own, lease.chunk_id)
    assert beat(db, lease, ME, 1, 500, 20).held
    assert reap(db, own) == 0


def test_a_sent_chunk_that_nobody_claims_is_sent_again(db: Database, own: Settings) -> None:
    submit_small(db, own)
    first = {s.chunk_id for s in next_to_send(db, own)}
    assert next_to_send(db, own) == []
    reap(db, own.model_copy(update={"resend_s": -1.0}))
    assert {s.chunk_id for s in next_to_send(db, own)} == first


def test_a_deal_that_kills_is_found_and_set_aside(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    bad = 5
    for _ in range(100):
        for item in next_to_send(db, own):
            lease = take(db, own, item.chunk_id)
            if lease.start <= bad < lease.start + lease.size:
                take_back(db, Lost(lease.chunk_id, lease.number), "crash", "its process died", own)
            else:
                finish(db, lease, rows_of(lease), 0.1, ME)
            assert_sound(db, job_id)
    job = get_job(db, job_id, own)
    assert (job.state, job.counts.done, job.counts.failed) == (JobState.COMPLETED_WITH_ERRORS, 9, 1)
    arm = get_detail(db, job_id, own).arms[0]
    assert (arm.summary.n, arm.summary.failed) == (9, 1)
    failed = page_rows(db, [arm.id], None, 5, Filter(outcomes=(FAILED,)))
    assert [(r.row.ordinal, r.row.seed, r.row.reason) for r in failed] == [(5, "6", "its process died")]


def test_retry_takes_failed_deals_only(db: Database, own: Settings) -> None:
    once = own.model_copy(update={"max_attempts": 1, "chunk_max_units": 1})
    job_id = submit_small(db, once)
    for number, item in enumerate(next_to_send(db, once)):
        lease = take(db, once, item.chunk_id)
        if number in (2, 4):
            take_back(db, Lost(lease.chunk_id, lease.number), "crash", "died", once)
        else:
            finish(db, lease, rows_of(lease), 0.1, ME)
    assert get_job(db, job_id, once).state is JobState.COMPLETED_WITH_ERRORS
    assert retry(db, job_id) == 2
    assert_sound(db, job_id)
    assert run_all(db, once) == 2
    job = get_job(db, job_id, once)
    assert (job.state, job.counts.done, job.counts.failed) == (JobState.COMPLETED, 10, 0)
    assert_sound(db, job_id)
    assert retry(db, job_id) == 0


def test_all_failed_is_failed(db: Database, own: Settings) -> None:
    once = own.model_copy(update={"max_attempts": 1, "chunk_max_units": 1})
    job_id = submit_small(db, once, deals={"first": 1, "count": 2})
    for item in next_to_send(db, once):
        lease = take(db, once, item.chunk_id)
        take_back(db, Lost(lease.chunk_id, lease.number), "crash", "died", once)
    job = get_job(db, job_id, once)
    assert (job.state, job.counts.failed) == (JobState.FAILED, 2)
    summary = get_detail(db, job_id, once).arms[0].summary.to_json()
    assert (summary["n"], summary["win_rate"], summary["win_interval"]) == (0, None, [0.0, 1.0])
    assert_sound(db, job_id)


def test_cancel_drops_what_waits_and_keeps_what_is_done(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own.model_copy(update={"chunks_ahead": 2}))
    first, second = (
        take(db, own, s.chunk_id) for s in next_to_send(db, own.model_copy(update={"chunks_ahead": 2}))
    )
    finish(db, first, rows_of(first), 0.1, ME)
    assert cancel(db, job_id) is JobState.CANCELLING
    assert_sound(db, job_id)
    assert beat(db, second, ME, 1, 10, 20).cancel
    finish(db, second, [*rows_of(second)[:1], None, None], 0.1, ME)
    job = get_job(db, job_id, own)
    assert (job.state, job.counts.done, job.counts.cancelled) == (JobState.CANCELLED, 4, 6)
    assert next_to_send(db, own) == []
    assert cancel(db, job_id) is JobState.CANCELLED
    assert_sound(db, job_id)
    with pytest.raises(WrongStateError):
        retry(db, job_id)


def test_a_queued_job_is_cancelled_at_once(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    assert cancel(db, job_id) is JobState.CANCELLED
    assert get_job(db, job_id, own).counts.cancelled == 10
    assert_sound(db, job_id)


def test_a_lease_lost_while_cancelling_ends_the_job(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    lease = take(db, own)
    cancel(db, job_id)
    take_back(db, Lost(lease.chunk_id, lease.number), "lease", "gone", own)
    assert get_job(db, job_id, own).state is JobState.CANCELLED
    assert_sound(db, job_id)


def test_twenty_posts_with_one_key_make_one_job(db: Database, own: Settings) -> None:
    plan = plan_job(parse_spec(SMALL), own)
    with ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda _: submit(db, plan, own, key="same"), range(20)))
    assert len({m.job_id for m in made}) == 1
    assert sum(m.created for m in made) == 1
    assert len(list_jobs(db, own, 50)) == 1
    assert len(get_detail(db, made[0].job_id, own).arms) == 1
    other = plan_job(parse_spec({**SMALL, "rng": 9}), own)
    with pytest.raises(KeyReusedError):
        submit(db, other, own, key="same")


def test_small_jobs_pass_a_huge_one(db: Database, own: Settings) -> None:
    few = own.model_copy(update={"chunks_ahead": 4})
    huge = submit_small(db, few, deals={"first": 1, "count": 100_000}, evaluators=[{"player": "expert"}])
    sent = next_to_send(db, few)
    assert len(sent) == 4
    small = submit_small(db, few)
    lease = take(db, few, sent[0].chunk_id)
    finish(db, lease, rows_of(lease), 0.1, ME)
    with db.read() as conn:
        owners = [
            conn.execute(select(Chunk.job_id).where(Chunk.id == s.chunk_id)).scalar_one()
            for s in next_to_send(db, few)
        ]
    assert owners == [small]
    assert get_job(db, small, few).queue == "interactive"
    assert get_job(db, huge, few).queue == "batch"


def test_equal_jobs_share_the_workers(db: Database, own: Settings) -> None:
    few = own.model_copy(update={"chunks_ahead": 6})
    big: dict[str, Any] = {"deals": {"first": 1, "count": 100_000}, "evaluators": [{"player": "expert"}]}
    jobs = [submit_small(db, few, **big) for _ in range(3)]
    with db.read() as conn:
        owners = [
            conn.execute(select(Chunk.job_id).where(Chunk.id == s.chunk_id)).scalar_one()
            for s in next_to_send(db, few)
        ]
    assert sorted(owners) == sorted(jobs * 2)


def test_lines_of_solved_deals_are_kept(db: Database, own: Settings) -> None:
    submit_small(db, own, evaluators=[{"solver": {"nodes": 10}}])
    lease = take(db, own)
    line = (1, 0x8000, 65535)
    rows: list[Row | None] = [
        Row(0, "1", "solved", verdict="solved", length=3, nodes=5, line=line),
        Row(1, "2", "unknown", verdict="unknown", reason="nodes", nodes=10),
        Row(2, "3", "unsolvable", verdict="unsolvable", nodes=7, certificate="all 7 positions"),
    ]
    finish(db, lease, rows, 0.1, ME)
    assert solution_line(db, lease.arm_id, 0) == line
    assert solution_line(db, lease.arm_id, 1) is None
    assert [r.row.certificate for r in iter_rows(db, [lease.arm_id])] == [None, None, "all 7 positions"]


def test_pages_hold_every_row_once_while_rows_arrive(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    seen: list[int] = []
    after: Place | None = None
    arm = get_detail(db, job_id, own).arms[0].id
    for item in next_to_send(db, own):
        lease = take(db, own, item.chunk_id)
        finish(db, lease, rows_of(lease), 0.1, ME)
        page = page_rows(db, [arm], after, 2)
        seen += [r.row.ordinal for r in page]
        after = Place(page[-1].arm_id, page[-1].row.ordinal)
    while page := page_rows(db, [arm], after, 2):
        seen += [r.row.ordinal for r in page]
        after = Place(page[-1].arm_id, page[-1].row.ordinal)
    assert seen == list(range(10))


@pytest.mark.parametrize("size", [1, 3, 7, 10, 100])
def test_pages_go_on_from_arm_to_arm(db: Database, own: Settings, size: int) -> None:
    job_id = submit_small(db, own, variants=["spider-1", "spiderette-1", "spider-4"])
    run_all(db, own)
    arms = [arm.id for arm in get_detail(db, job_id, own).arms]
    for only, kept in ((Filter(), range(10)), (Filter(outcomes=("won",)), range(0, 10, 3))):
        seen: list[tuple[int, int]] = []
        after: Place | None = None
        while page := page_rows(db, arms, after, size, only):
            assert len(page) <= size
            seen += [(r.arm_id, r.row.ordinal) for r in page]
            after = Place(*seen[-1])
        assert seen == [(arm, ordinal) for arm in arms for ordinal in kept]


def test_check_finds_what_was_tampered_with(db: Database, own: Settings) -> None:
    job_id = submit_small(db, own)
    run_all(db, own)
    assert check_ledger(db).rows == 10
    with db.write() as conn:
        conn.execute(update(Job).where(Job.id == job_id).values(done=9))
        conn.execute(update(Arm).values(tally=b'{"outcomes":{},"reasons":{},"won":0,"measures":{}}'))
    found = [f.what for f in check_ledger(db).faults]
    assert "units done: stored 9, counted 10" in found
    assert "the running sums differ from a recount of the rows" in found


def test_one_holder_a_lock(db: Database) -> None:
    assert hold(db, "dispatcher", "a", 30)
    assert hold(db, "dispatcher", "a", 30)
    assert not hold(db, "dispatcher", "b", 30)
    release(db, "dispatcher", "a")
    assert hold(db, "dispatcher", "b", -1)
    assert hold(db, "dispatcher", "a", 30)


def test_writers_in_parallel_never_meet_a_locked_database(db: Database, own: Settings) -> None:
    wide = own.model_copy(update={"chunk_max_units": 1, "chunks_ahead": 60})
    job_id = submit_small(db, wide, deals={"first": 1, "count": 60})
    chunks = [s.chunk_id for s in next_to_send(db, wide)]

    def work(chunk_id: int) -> None:
        lease = take(db, wide, chunk_id)
        finish(db, lease, rows_of(lease), 0.01, ME)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, chunks))
    assert get_job(db, job_id, wide).state is JobState.COMPLETED
    assert_sound(db, job_id)


def test_rows_that_another_worker_stored_are_a_lost_lease(db: Database, ledger_settings: Settings) -> None:
    submit_small(db, ledger_settings)
    (chunk,) = next_to_send(db, ledger_settings)[:1]
    lease = claim(db, chunk.chunk_id, "host/1", engine_version(), 60)
    assert isinstance(lease, Lease)
    rows = rows_of(lease)
    with db.write() as conn:
        store_rows(conn, lease.arm_id, [r for r in rows if r is not None][:1])
    with pytest.raises(LostLeaseError, match="another worker stored these rows"):
        finish(db, lease, rows, 0.1, "host/1")
