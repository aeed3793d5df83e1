"""Runs through the ledger: found, resumed, settled in order, nothing lost, nothing replaced."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from engine.core import Control
from engine.deals import deal
from engine.moves import texts_of
from engine.replay import judge
from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.reap import Lost, take_back
from evaluation.ledger.views import get_detail
from evaluation.runner import Runner
from evaluation.settings import Settings
from evaluation.spec import SpecError
from evaluation.versions import engine_version
from evaluation.vetting import days, records, runs, work
from evaluation.vetting.candidates import Candidate
from evaluation.vetting.days import DayState
from evaluation.vetting.errors import NotFoundError
from evaluation.vetting.keys import candidate_seed, day_key
from evaluation.vetting.openings import difference, opening_of
from evaluation.vetting.records import OWN, Place
from evaluation.vetting.report import range_json
from tests.support.vetting import EDITOR, KEY, held, make_calendar, vet, work_off

FIRST = date(2031, 3, 1)


def test_a_run_proposes_the_first_candidate_that_fits(db: Database, ledger_settings: Settings) -> None:
    name = make_calendar(db, ledger_settings)
    job = vet(db, ledger_settings, name, FIRST, FIRST + timedelta(days=1))
    stored = held(db, name, FIRST)
    candidate = stored.candidate
    seed = candidate_seed(day_key(KEY, name, FIRST), stored.place.number)
    assert candidate.deal == deal("spider-1", seed)
    judged = judge(candidate.deal.variant, candidate.deal, texts_of(candidate.line))
    assert judged.legal
    assert judged.won
    assert candidate.par == judged.moves
    detail = get_detail(db, job, ledger_settings)
    assert (detail.job.kind, detail.job.counts.total, detail.job.counts.done) == ("vetting", 3, 3)
    assert check_ledger(db, job).faults == ()


def test_candidates_before_it_say_why_not(lite: Database, settings: Settings) -> None:
    name = make_calendar(lite, settings, bounds={"par": [1, 2]})
    vet(lite, settings, name, FIRST)
    with lite.read() as conn:
        day = range_json(conn, name, [FIRST])[0]
    assert day["state"] == "open"
    assert day["gap"]
    assert not day["fits"]
    assert len(day["tried"]) == 4
    assert all(t["rules"] == ["par"] and "is not within 1 to 2" in t["reasons"][0] for t in day["tried"])
    nearest = min(day["tried"], key=lambda t: t["par"])
    assert f"the nearest is candidate {nearest['number']}" in day["note"]
    assert (day["id"], day["held"]) == (nearest["id"], False)


def test_bounds_are_named(lite: Database, settings: Settings) -> None:
    name = make_calendar(
        lite,
        settings,
        bounds={"win_rate": [0.999, 1.0], "solver_nodes": [1, 2]},
        effort={"games": 32, "candidates": 1},
    )
    own = {FIRST: deal("spider-1", 5)}
    vet(lite, settings, name, FIRST, own=own)
    with lite.read() as conn:
        tried = range_json(conn, name, [FIRST])[0]["tried"]
    assert set(tried[0]["rules"]) == {"win_rate", "solver_nodes"}


def test_a_killed_worker_loses_no_work(lite: Database, settings: Settings, quick: str) -> None:
    with lite.read() as conn:
        plan = runs.plan_run(conn, settings, quick, [FIRST], {}, "eve")
    job = runs.submit_run(lite, settings, plan)
    chunk, *others = (c.chunk_id for c in next_to_send(lite, settings))
    lease = claim(lite, chunk, "doomed/1", engine_version(), 30)
    assert isinstance(lease, Lease)
    control = Control()
    found = work.Work(lite, settings, plan, work.scale_for_plan(lite, plan), control)
    assert found.judged(FIRST, 1) is not None  # then it is killed before it can finish the chunk
    with lite.read() as conn:
        before = records.of_day(conn, quick, FIRST)
    assert before[0].candidate.state.done
    take_back(lite, Lost(chunk, lease.number), "crash", "killed", settings)
    work_off(lite, settings, *others)
    with lite.read() as conn:
        after = records.of_day(conn, quick, FIRST)
        assert days.get(conn, quick, FIRST).state is DayState.PROPOSED
    assert after[0].candidate.seconds == before[0].candidate.seconds, "it was not judged again"
    assert check_ledger(lite, job).faults == ()


def test_a_cancel_stops_between_batches_and_keeps_them(
    lite: Database, settings: Settings, quick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {FIRST: deal("spider-1", 5)}
    with lite.read() as conn:
        plan = runs.plan_run(conn, settings, quick, [FIRST], own, "eve")
    control = Control()
    found = work.Work(lite, settings, plan, work.scale_for_plan(lite, plan), control)
    honest, played = work.step, []

    def two_batches(candidate: Candidate, *rest: Any) -> Candidate | None:
        played.append(candidate.tally.games)
        if len(played) == 2:
            control.cancel()
        return honest(candidate, *rest)

    monkeypatch.setattr(work, "step", two_batches)
    assert found.judged(FIRST, 1) is None
    with lite.read() as conn:
        kept = records.must_load(conn, Place(quick, FIRST, OWN, 1)).candidate
    assert not kept.state.done
    assert kept.tally.games == played[1] > 0


def test_the_choice_does_not_depend_on_the_order_of_work(lite: Database, settings: Settings) -> None:
    dates = [FIRST + timedelta(days=i) for i in range(3)]
    bounds = {"variety": {"days": 30, "cards": 4}}
    for name in ("one", "two"):
        make_calendar(lite, settings, name=name, bounds=bounds)
    vet(lite, settings, "one", *dates)
    with lite.read() as conn:
        plan = runs.plan_run(conn, settings, "two", dates, {}, "eve")
    runs.submit_run(lite, settings, plan)
    runner = Runner(lite, settings, "test/1", engine_version())
    while chunks := next_to_send(lite, settings):
        for chunk in reversed(chunks):
            runner.run(chunk.chunk_id)
    with lite.read() as conn:
        for name in ("one", "two"):
            found = days.held_between(conn, name, dates[0], dates[-1])
            assert sorted(found) == dates
            opened = [opening_of(records.must_load(conn, p).candidate.deal) for p in found.values()]
            assert all(difference(a, b) >= 4 for i, a in enumerate(opened) for b in opened[:i])


def test_variety_moves_on_to_the_next_candidate(lite: Database, settings: Settings) -> None:
    name = make_calendar(lite, settings, bounds={"variety": {"days": 5, "cards": 11}})
    vet(lite, settings, name, FIRST)
    vet(lite, settings, name, FIRST + timedelta(days=1))
    vet(lite, settings, name, FIRST + timedelta(days=9))
    with lite.read() as conn:
        near = range_json(conn, name, [FIRST + timedelta(days=1)])[0]
        far = days.get(conn, name, FIRST + timedelta(days=9))
    assert near["state"] == "open"
    assert all(t["rules"] == ["variety"] for t in near["tried"])
    assert "2031-03-01" in near["tried"][0]["reasons"][0]
    assert far.state is DayState.PROPOSED
    days.reject(lite, name, FIRST, EDITOR, "too dull")
    vet(lite, settings, name, FIRST + timedelta(days=1))
    assert held(lite, name, FIRST + timedelta(days=1)).place.number == 1, "nothing is near any more"
    assert held(lite, name, FIRST + timedelta(days=1)).candidate.refusals == ()


def test_own_deals_are_judged_whole_and_never_replaced(lite: Database, settings: Settings) -> None:
    name = make_calendar(lite, settings, bounds={"par": [1, 2]})
    own = {FIRST: deal("spider-1", 77), FIRST + timedelta(days=2): deal("spider-1", 78)}
    vet(lite, settings, name, FIRST, own=own)
    with lite.read() as conn:
        shown = range_json(conn, name, [FIRST + timedelta(days=i) for i in range(3)])
    assert [d["id"] for d in shown] == ["spidervet:spider-1:77", None, "spidervet:spider-1:78"]
    assert [len(d["tried"]) for d in shown] == [1, 0, 1]
    assert shown[0]["verdict"] == "solved"
    assert shown[0]["difficulty"] is not None
    assert shown[0]["note"].startswith("the deal does not fit: par")


def test_own_deals_of_another_game_are_refused(lite: Database, settings: Settings, quick: str) -> None:
    with lite.read() as conn, pytest.raises(SpecError, match="a deal of spider-4"):
        runs.plan_run(conn, settings, quick, [FIRST], {FIRST: deal("spider-4", 1)}, "eve")


def test_dates_that_hold_something_are_left_alone(lite: Database, settings: Settings, quick: str) -> None:
    vet(lite, settings, quick, FIRST)
    with lite.read() as conn:
        plan = runs.plan_run(conn, settings, quick, [FIRST, FIRST + timedelta(days=1)], {}, "eve")
        assert plan.dates == (FIRST + timedelta(days=1),)
        assert plan.skipped == {"2031-03-01": "2031-03-01 is proposed"}
        with pytest.raises(SpecError, match="every date is taken"):
            runs.plan_run(conn, settings, quick, [FIRST], {}, "eve")
        again = runs.plan_run(conn, settings, quick, [FIRST], {}, "eve", again=True)
    assert again.dates == (FIRST,)


def test_what_cannot_be_asked(lite: Database, settings: Settings, quick: str) -> None:
    with lite.read() as conn, pytest.raises(NotFoundError, match="no calendar 'none'"):
        runs.plan_run(conn, settings, "none", [FIRST], {}, "eve")
    with pytest.raises(SpecError, match="days: 401"):
        runs.dates_from(FIRST, 401, settings)
    with pytest.raises(SpecError, match="past the end"):
        runs.dates_from(date.max, 2, settings)
