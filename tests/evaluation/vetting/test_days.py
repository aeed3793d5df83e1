"""The editorial way: which steps there are, who may overwrite whom, what the log says."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from engine.deals import deal
from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.spec import SpecError
from evaluation.vetting import audit, calendars, days, publishing, runs, work
from evaluation.vetting.days import DayState, Editor
from evaluation.vetting.errors import ChangedError, NotFoundError, WrongStepError
from evaluation.vetting.records import DERIVED, Place
from tests.support.vetting import EDITOR, held, make_calendar, published, vet, work_off

FIRST = date(2031, 3, 1)
NEXT = FIRST + timedelta(days=1)


def state(db: Database, name: str, day: date) -> DayState:
    with db.read() as conn:
        return days.get(conn, name, day).state


def test_the_whole_way(lite: Database, settings: Settings, quick: str) -> None:
    vet(lite, settings, quick, FIRST)
    assert state(lite, quick, FIRST) is DayState.PROPOSED
    assert days.approve(lite, quick, FIRST, EDITOR, "a nice one").state is DayState.APPROVED
    assert publishing.publish(lite, settings, quick, FIRST, EDITOR).state is DayState.PUBLISHED
    actions = [e.action for e in audit.entries(lite, quick, FIRST)]
    assert actions == ["published", "approved", "proposed"]
    assert {e.by for e in audit.entries(lite, quick)} == {"eve"}


def test_past_is_published_with_its_day_over(
    lite: Database, settings: Settings, quick: str, now_day: date
) -> None:
    day = published(lite, settings, quick, now_day)
    assert day.shown(now_day) is DayState.PUBLISHED
    assert day.shown(now_day + timedelta(days=1)) is DayState.PAST


def test_two_editors_at_once_do_not_overwrite_each_other(
    lite: Database, settings: Settings, quick: str
) -> None:
    vet(lite, settings, quick, FIRST)
    with lite.read() as conn:
        seen = days.get(conn, quick, FIRST).revision
    days.approve(lite, quick, FIRST, Editor("ann", seen))
    with pytest.raises(ChangedError, match="look again"):
        days.reject(lite, quick, FIRST, Editor("bob", seen), "too dull")
    assert state(lite, quick, FIRST) is DayState.APPROVED


def test_a_rejected_deal_does_not_come_back(lite: Database, settings: Settings, quick: str) -> None:
    vet(lite, settings, quick, FIRST)
    first = held(lite, quick, FIRST)
    with pytest.raises(WrongStepError, match="needs a note"):
        days.reject(lite, quick, FIRST, EDITOR, " ")
    days.reject(lite, quick, FIRST, EDITOR, "the same as last week")
    vet(lite, settings, quick, FIRST)
    second = held(lite, quick, FIRST)
    assert second.place.number > first.place.number
    with lite.read() as conn:
        kept = days.records.must_load(conn, first.place).candidate
    assert kept.refusals[-1].text == "turned down by eve: the same as last week"


def test_the_next_candidate_by_a_run_of_its_own(lite: Database, settings: Settings, quick: str) -> None:
    vet(lite, settings, quick, FIRST)
    first = held(lite, quick, FIRST)
    opened = days.next_candidate(lite, settings, quick, FIRST, EDITOR)
    assert opened.state is DayState.OPEN
    assert opened.job_id is not None
    work_off(lite, settings)
    assert held(lite, quick, FIRST).place.number > first.place.number


def test_a_choice_by_hand_needs_a_proof_and_a_note(lite: Database, settings: Settings) -> None:
    name = make_calendar(lite, settings, bounds={"par": [1, 2]})
    vet(lite, settings, name, FIRST)
    place = Place(name, FIRST, DERIVED, 2)
    with pytest.raises(WrongStepError, match="needs a note"):
        days.choose(lite, name, FIRST, EDITOR, place, "")
    with pytest.raises(NotFoundError, match="no derived candidate 99"):
        days.choose(lite, name, FIRST, EDITOR, Place(name, FIRST, DERIVED, 99), "why")
    chosen = days.choose(lite, name, FIRST, EDITOR, place, "long, but a fine finish")
    assert (chosen.state, chosen.place) == (DayState.PROPOSED, place)


def test_a_candidate_that_was_never_searched_cannot_be_chosen(lite: Database, settings: Settings) -> None:
    name = make_calendar(lite, settings, bounds={"win_rate": [0.9999, 1.0]})
    vet(lite, settings, name, FIRST)
    with pytest.raises(WrongStepError, match="no proof of a win"):
        days.choose(lite, name, FIRST, EDITOR, Place(name, FIRST, DERIVED, 1), "why")


def test_swapping_two_days(lite: Database, settings: Settings, quick: str) -> None:
    vet(lite, settings, quick, FIRST, NEXT)
    a, b = held(lite, quick, FIRST), held(lite, quick, NEXT)
    days.approve(lite, quick, FIRST, EDITOR)
    days.swap(lite, quick, FIRST, NEXT, (EDITOR, EDITOR))
    assert held(lite, quick, FIRST).place == b.place
    assert held(lite, quick, NEXT).place == a.place
    assert state(lite, quick, FIRST) is DayState.PROPOSED, "what was approved is looked at again"
    with pytest.raises(WrongStepError, match="with itself"):
        days.swap(lite, quick, FIRST, FIRST, (EDITOR, EDITOR))
    with pytest.raises(WrongStepError, match="can be swapped"):
        days.swap(lite, quick, FIRST, NEXT + timedelta(days=5), (EDITOR, EDITOR))


def swapped(db: Database, settings: Settings, name: str) -> tuple[Place, Place]:
    """Two dates that hold each other's candidates: what each held before."""
    vet(db, settings, name, FIRST, NEXT)
    before = held(db, name, FIRST).place, held(db, name, NEXT).place
    days.swap(db, name, FIRST, NEXT, (EDITOR, EDITOR))
    return before


def test_one_deal_is_not_held_by_two_dates(lite: Database, settings: Settings) -> None:
    """Found: after a swap the next candidate, or a run, gave a date the deal that the other one held."""
    name = make_calendar(lite, settings, bounds={"variety": {"days": 0}})
    first, _ = swapped(lite, settings, name)
    with pytest.raises(WrongStepError, match=f"{NEXT} holds derived candidate {first.number} of {FIRST}"):
        days.choose(lite, name, FIRST, EDITOR, first, "the old one")
    days.next_candidate(lite, settings, name, FIRST, EDITOR)
    work_off(lite, settings)
    assert held(lite, name, FIRST).place not in (first, held(lite, name, NEXT).place)
    vet(lite, settings, name, FIRST, again=True)
    assert held(lite, name, FIRST).place != first
    assert held(lite, name, NEXT).place == first


def test_a_run_changes_no_deal_that_another_date_holds(
    lite: Database, settings: Settings, quick: str
) -> None:
    """Found: a deal that was approved for one date was judged anew, under a new key even replaced, by a run
    for the date that it came from."""
    swapped(lite, settings, quick)
    days.approve(lite, quick, NEXT, EDITOR)
    before = held(lite, quick, NEXT)
    with lite.read() as conn:
        spec = calendars.load(conn, quick).spec
    calendars.edit(lite, settings, spec.model_copy(update={"difficulty": "expert"}), 1, "eve")
    calendars.rotate_key(lite, settings, quick, "eve")
    vet(lite, settings, quick, FIRST, again=True)
    assert held(lite, quick, NEXT) == before


def test_a_sites_deal_that_another_date_holds_is_not_replaced(
    lite: Database, settings: Settings, quick: str
) -> None:
    own = {FIRST: deal("spider-1", 5), NEXT: deal("spider-1", 6)}
    vet(lite, settings, quick, FIRST, NEXT, own=own)
    days.swap(lite, quick, FIRST, NEXT, (EDITOR, EDITOR))
    with lite.read() as conn, pytest.raises(SpecError, match=f"{NEXT} holds the deal that was sent for it"):
        runs.plan_run(conn, settings, quick, [FIRST], {FIRST: deal("spider-1", 7)}, "eve", again=True)


def test_an_approved_deal_is_not_judged_anew_by_a_run_under_way(
    lite: Database, settings: Settings, quick: str
) -> None:
    vet(lite, settings, quick, FIRST)
    before = held(lite, quick, FIRST)
    with lite.read() as conn:
        spec = calendars.load(conn, quick).spec
    effort = spec.effort.model_copy(update={"games": 64})
    calendars.edit(lite, settings, spec.model_copy(update={"effort": effort}), 1, "eve")
    with lite.read() as conn:
        plan = runs.plan_run(conn, settings, quick, [FIRST], {}, "eve", again=True)
    runs.submit_run(lite, settings, plan)
    days.approve(lite, quick, FIRST, EDITOR)
    work_off(lite, settings)
    assert held(lite, quick, FIRST) == before
    assert state(lite, quick, FIRST) is DayState.APPROVED


def test_a_deal_approved_while_it_is_judged_anew_stays(
    lite: Database, settings: Settings, quick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: a run of another list of the site's went on writing over the deal that was just approved."""
    vet(lite, settings, quick, FIRST, own={FIRST: deal("spider-1", 5)})
    before = held(lite, quick, FIRST)
    step = work.step

    def slow(*arguments: Any) -> Any:
        if state(lite, quick, FIRST) is DayState.PROPOSED:
            days.approve(lite, quick, FIRST, EDITOR)
        return step(*arguments)

    monkeypatch.setattr(work, "step", slow)
    vet(lite, settings, quick, FIRST, own={FIRST: deal("spider-1", 6)}, again=True)
    assert state(lite, quick, FIRST) is DayState.APPROVED
    assert held(lite, quick, FIRST) == before


def test_the_next_candidate_is_not_one_that_was_judged_by_other_rules(
    lite: Database, settings: Settings, quick: str
) -> None:
    vet(lite, settings, quick, FIRST)
    days.next_candidate(lite, settings, quick, FIRST, EDITOR)
    work_off(lite, settings)
    ready = held(lite, quick, FIRST).place
    first = replace(ready, number=1)
    days.choose(lite, quick, FIRST, EDITOR, first, "the first after all")
    assert days.next_candidate(lite, settings, quick, FIRST, EDITOR).place == ready
    days.choose(lite, quick, FIRST, EDITOR, first, "the first after all")
    with lite.read() as conn:
        spec = calendars.load(conn, quick).spec
    calendars.edit(lite, settings, spec.model_copy(update={"difficulty": "expert"}), 1, "eve")
    assert days.next_candidate(lite, settings, quick, FIRST, EDITOR).state is DayState.OPEN


@pytest.mark.parametrize("step", ["approve", "publish", "withdraw", "reject"])
def test_steps_that_the_state_does_not_allow(
    lite: Database, settings: Settings, quick: str, step: str
) -> None:
    calls = {
        "approve": lambda: days.approve(lite, quick, FIRST, EDITOR),
        "publish": lambda: publishing.publish(lite, settings, quick, FIRST, EDITOR),
        "withdraw": lambda: publishing.withdraw(lite, quick, FIRST, EDITOR, "why"),
        "reject": lambda: days.reject(lite, quick, FIRST, EDITOR, "why"),
    }
    with pytest.raises(WrongStepError, match="2031-03-01 is open"):
        calls[step]()


def test_days_that_nobody_can_play_are_counted(
    lite: Database, settings: Settings, quick: str, now_day: date
) -> None:
    make_calendar(lite, settings, name="resting", active=False)
    tomorrow = now_day + timedelta(days=1)
    assert days.unpublished(lite, 1) == {quick: [now_day, tomorrow]}
    published(lite, settings, quick, tomorrow)
    assert days.unpublished(lite, 1) == {quick: [now_day]}
    publishing.withdraw(lite, quick, tomorrow, EDITOR, "a fault")
    assert days.unpublished(lite, 1) == {quick: [now_day, tomorrow]}


def test_a_calendar_keeps_every_version_it_had(lite: Database, settings: Settings, quick: str) -> None:
    with lite.read() as conn:
        spec = calendars.load(conn, quick).spec
    changed = spec.model_copy(update={"title": "Daily"})
    assert calendars.edit(lite, settings, changed, 1, "bob").revision == 2
    with pytest.raises(ChangedError):
        calendars.edit(lite, settings, spec, 1, "ann")
    versions = calendars.history(lite, quick)
    assert [(v["revision"], v["by"], v["spec"]["title"]) for v in versions] == [
        (2, "bob", "Daily"),
        (1, "eve", ""),
    ]
    with pytest.raises(calendars.CalendarExistsError):
        make_calendar(lite, settings)


def test_labels_by_weekday(settings: Settings) -> None:
    spec = calendars.CalendarSpec.model_validate(
        {"name": "week", "variant": "spider-4", "difficulty": {"mon": "easy", "sun": "any"}}
    )
    monday = date(2031, 3, 3)
    asked = [spec.wanted(monday + timedelta(days=i)) for i in range(7)]
    assert asked == ["easy", *["medium"] * 5, None]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Not A Name"}, "name"),
        ({"variant": "spider-9"}, "variant\n.*no variant is named"),
        ({"difficulty": "easyish"}, "difficulty\n.*'easyish' is none of easy, medium, hard, expert, any"),
        ({"difficulty": {"mon": "easy", "funday": "hard"}}, "difficulty\n.*'funday' is no day of the week"),
        ({"difficulty": {"mon": 3}}, "difficulty\n.*'3' is none of"),
        ({"bounds": {"par": [9, 1]}}, "9 is more than 1"),
        ({"bounds": {"parr": [1, 2]}}, "parr"),
        ({"effort": {"games": 1}}, "games"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_calendars_that_make_no_sense(changes: dict[str, object], message: str) -> None:
    from pydantic import ValidationError

    plain = {"name": "quick", "variant": "spider-1"}
    with pytest.raises(ValidationError, match=message):
        calendars.CalendarSpec.model_validate({**plain, **changes})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "keys"}, "name"),
        ({"title": "Daily\r\nBEGIN:VEVENT"}, "title"),
        ({"bounds": {"win_rate": [20, 60]}}, "bounds.win_rate"),
        ({"bounds": {"win_rate": [-0.1, 0.5]}}, "bounds.win_rate"),
        ({"bounds": {"par": [-5, -1]}}, "bounds.par"),
        ({"bounds": {"solver_nodes": [-5, 9]}}, "bounds.solver_nodes"),
        ({"effort": {"solver_nodes": 200_000_001}}, "effort.solver_nodes"),
        ({"effort": {"shorten_nodes": 200_000_001}}, "effort.shorten_nodes"),
    ],
)
def test_calendars_that_are_not_made(
    lite: Database, settings: Settings, quick: str, changes: dict[str, object], field: str
) -> None:
    spec = calendars.CalendarSpec.model_validate({"name": quick, "variant": "spider-1", **changes})
    for attempt in (
        lambda: calendars.create(lite, settings, spec, "eve"),
        lambda: calendars.edit(lite, settings, spec, 1, "eve"),
    ):
        with pytest.raises(SpecError) as caught:
            attempt()
        assert [f.field for f in caught.value.faults] == [field]
    with lite.read() as conn:
        assert [(c.name, c.revision) for c in calendars.load_all(conn)] == [(quick, 1)]


def test_a_budget_that_a_later_limit_forbids_keeps_nobody_from_editing_the_rest(
    lite: Database, settings: Settings, quick: str
) -> None:
    strict = settings.model_copy(update={"max_nodes": 1000})
    with lite.read() as conn:
        spec = calendars.load(conn, quick).spec
    costly = spec.effort.model_copy(update={"shorten_nodes": 5000})
    spec = spec.model_copy(update={"effort": costly})
    calendars.edit(lite, settings, spec, 1, "eve")
    idle = spec.model_copy(update={"active": False})
    assert calendars.edit(lite, strict, idle, 2, "eve").spec.active is False
    with lite.read() as conn, pytest.raises(SpecError, match="SPIDERVET_MAX_NODES allows 1000"):
        runs.plan_run(conn, strict, quick, [FIRST], {}, "eve")
