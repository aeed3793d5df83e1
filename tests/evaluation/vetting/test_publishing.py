"""What is published stays what it was: frozen, signed, served by UTC date, withdrawn only for all to see."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.replay import judge
from engine.schemes import spidervet
from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.vetting import calendars, clock, days, publishing, runs, signing, work
from evaluation.vetting.days import DayState
from evaluation.vetting.errors import NotFoundError, WithdrawnError, WrongStepError
from evaluation.vetting.keys import commitment, day_key
from evaluation.vetting.report import range_json
from tests.support.vetting import EDITOR, KEY, held, make_calendar, published, vet, work_off
from tests.support.vetting import spec_of as make_spec


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The ledger's clock for everything that asks which day it is; ``at.time`` moves it."""
    moved = SimpleNamespace(time=clock.begins(date(2031, 3, 1)) + 3600)
    for module in (clock, publishing, days):
        monkeypatch.setattr(module, "now", lambda conn: moved.time)
    return moved


DAY = date(2031, 3, 1)


def served(db: Database, name: str, day: date, *, early: bool = False) -> publishing.Edition:
    with db.read() as conn:
        return publishing.served(conn, name, day, early=early)


def test_a_day_is_served_from_its_first_second_by_utc(
    lite: Database, settings: Settings, quick: str, at: SimpleNamespace
) -> None:
    published(lite, settings, quick, DAY)
    begin = clock.begins(DAY)
    at.time = begin - 0.001
    with pytest.raises(NotFoundError) as unpublished:
        served(lite, quick, DAY + timedelta(days=40))
    with pytest.raises(NotFoundError) as early:
        served(lite, quick, DAY)
    said = str(early.value).replace(DAY.isoformat(), "…")
    assert said == str(unpublished.value).replace("2031-04-10", "…"), "the answer gives nothing away"
    assert served(lite, quick, DAY, early=True).date == DAY
    for moment in (begin, begin + 86_399, begin + 40 * 86_400):
        at.time = moment
        assert served(lite, quick, DAY).date == DAY


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue", "America/New_York", "UTC"])
def test_the_same_deal_for_everyone_in_every_time_zone(
    lite: Database, settings: Settings, quick: str, now_day: date, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reported: players east of the date line got tomorrow's deal, because a server asked its local clock."""
    import time

    published(lite, settings, quick, now_day)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        with lite.read() as conn:
            assert clock.today(conn) == now_day
        assert served(lite, quick, now_day).date == now_day
        with pytest.raises(NotFoundError):
            served(lite, quick, now_day + timedelta(days=1))
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_version_change_never_alters_a_published_deal(
    lite: Database, settings: Settings, quick: str, now_day: date, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reported: an update of the shuffle changed the deals of days that people were playing; a seed alone is
    not enough, the frozen layout is what counts."""
    published(lite, settings, quick, now_day)
    before = served(lite, quick, now_day)
    solution = before.evidence["solution"]
    honest = spidervet.deal
    monkeypatch.setattr(spidervet, "deal", lambda seed, variant: honest(seed ^ 1, variant))
    after = served(lite, quick, now_day)
    assert after.signed() == before.signed()
    judged = judge(after.deal.variant, after.deal, solution)
    assert judged.won


def test_an_update_between_vetting_and_publishing(
    lite: Database, settings: Settings, quick: str, at: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deal that was looked at is frozen, under the version and the rules that it was judged by."""
    vet(lite, settings, quick, DAY)
    judged = held(lite, quick, DAY)
    honest = spidervet.deal
    with monkeypatch.context() as newer:
        newer.setattr(spidervet, "deal", lambda seed, variant: honest(seed ^ 1, variant))
        for module in (work, days, runs):
            newer.setattr(module, "engine_version", lambda: "9.9.9")
        spec = make_spec(difficulty="expert", title="Later")
        calendars.edit(lite, settings, spec, 1, "eve")
        days.approve(lite, quick, DAY, EDITOR)
        publishing.publish(lite, settings, quick, DAY, EDITOR)
    edition = served(lite, quick, DAY)
    assert edition.deal == judged.candidate.deal
    assert edition.content["engine"] == judged.engine != "9.9.9"
    assert edition.content["title"] == "Later"
    assert edition.evidence["calendar"]["difficulty"] == "any"
    assert edition.evidence["calendar_revision"] == 1
    at.time = clock.ends(DAY)
    with lite.read() as conn:
        data = publishing.proof(conn, settings, edition)
    assert all(c.holds for c in publishing.check_proof(data, None))


def test_anyone_can_verify_the_signature_and_any_change_breaks_it(
    lite: Database, settings: Settings, quick: str, now_day: date
) -> None:
    published(lite, settings, quick, now_day)
    data = served(lite, quick, now_day).signed()
    signature = data.pop("signature")
    with lite.read() as conn:
        keys = {k.id: k.public for k in signing.public_keys(conn)}
    public = Ed25519PublicKey.from_public_bytes(keys[signature["key"]])
    public.verify(base64.b64decode(signature["value"]), publishing.canonical(data))
    data["difficulty"] = "easy" if data["difficulty"] != "easy" else "hard"
    with pytest.raises(InvalidSignature):
        public.verify(base64.b64decode(signature["value"]), publishing.canonical(data))


def test_a_new_signing_key_leaves_old_signatures_valid(
    lite: Database, settings: Settings, quick: str, now_day: date
) -> None:
    published(lite, settings, quick, now_day)
    with lite.write() as conn:
        signing.new_key(conn, settings, 1e9)
    published(lite, settings, quick, now_day + timedelta(days=1))
    with lite.read() as conn:
        keys = {k.id: k for k in signing.public_keys(conn)}
        found = [publishing.served(conn, quick, now_day + timedelta(days=i), early=True) for i in (0, 1)]
    assert found[0].key_id != found[1].key_id
    for edition in found:
        assert signing.verifies(keys[edition.key_id].public, edition.document, edition.signature)
    assert keys[found[0].key_id].retired_at is not None


def test_secrets_are_wrapped_and_useless_without_their_key(
    lite: Database, settings: Settings, quick: str
) -> None:
    with lite.read() as conn:
        assert calendars.master_key(conn, settings, quick, 1) == KEY
        raw = conn.connection.execute("select wrapped from vet_master_keys").fetchone()[0]
    assert KEY not in raw
    path = settings.data / "vetting.key"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("00" * 32 + "\n")
    with lite.read() as conn, pytest.raises(signing.KeyUnusableError, match="SPIDERVET_VETTING_KEY"):
        calendars.master_key(conn, settings, quick, 1)


def test_withdrawn_and_replaced_for_all_to_see(
    lite: Database, settings: Settings, quick: str, now_day: date
) -> None:
    published(lite, settings, quick, now_day)
    first = served(lite, quick, now_day)
    with pytest.raises(WrongStepError, match="needs a reason"):
        publishing.withdraw(lite, quick, now_day, EDITOR, "")
    publishing.withdraw(lite, quick, now_day, EDITOR, "two aces of spades too many")
    with pytest.raises(WithdrawnError, match="two aces"):
        served(lite, quick, now_day)
    with lite.read() as conn:
        shown = range_json(conn, quick, [now_day])[0]
    figures = ("id", "verdict", "par", "difficulty", "win_rate", "solver_nodes", "candidate")
    assert (shown["state"], shown["held"], {shown[key] for key in figures}) == ("withdrawn", False, {None})
    assert shown["tried"][0]["id"] == first.content["id"], "what was tried is still told"
    (edition,) = shown["editions"]
    assert (edition["id"], edition["reason"]) == (first.content["id"], "two aces of spades too many")
    days.next_candidate(lite, settings, quick, now_day, EDITOR)
    work_off(lite, settings)
    with pytest.raises(WithdrawnError):
        served(lite, quick, now_day)
    days.approve(lite, quick, now_day, EDITOR)
    publishing.publish(lite, settings, quick, now_day, EDITOR)
    second = served(lite, quick, now_day)
    assert second.number == 2
    assert second.content["replaces"][0]["reason"] == "two aces of spades too many"
    assert second.content["replaces"][0]["id"] == first.content["id"] != second.content["id"]
    with lite.read() as conn:
        kept = publishing.editions(conn, quick, now_day)
    assert kept[0].document == first.document


def test_a_published_day_cannot_be_changed(
    lite: Database, settings: Settings, quick: str, now_day: date
) -> None:
    published(lite, settings, quick, now_day)
    for step in (
        lambda: days.approve(lite, quick, now_day, EDITOR),
        lambda: days.reject(lite, quick, now_day, EDITOR, "why"),
        lambda: days.next_candidate(lite, settings, quick, now_day, EDITOR),
        lambda: publishing.publish(lite, settings, quick, now_day, EDITOR),
    ):
        with pytest.raises(WrongStepError, match="is published"):
            step()


def test_anyone_can_repeat_yesterdays_choice(lite: Database, settings: Settings, at: SimpleNamespace) -> None:
    name = make_calendar(
        lite, settings, bounds={"win_rate": [0.6, 1.0]}, effort={"games": 32, "candidates": 20}
    )
    published(lite, settings, name, DAY)
    with lite.read() as conn, pytest.raises(WrongStepError, match="once 2031-03-01 is over"):
        publishing.proof(conn, settings, publishing.served(conn, name, DAY))
    at.time = clock.ends(DAY)
    with lite.read() as conn:
        data = publishing.proof(conn, settings, publishing.served(conn, name, DAY))
        public = signing.public_keys(conn)[0].public
    assert data["day_key"] == day_key(KEY, name, DAY).hex()
    assert data["daily"]["day_key_sha256"] == commitment(bytes.fromhex(data["day_key"]))
    checks = publishing.check_proof(data, public)
    assert len(checks) == 8
    assert [c.what for c in checks if not c.holds] == []


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        (lambda d: d.update(day_key="00" * 32), "the day's key is the one committed to"),
        (lambda d: d["solution"].pop(), "the solution wins by the rules"),
        (lambda d: d["daily"].update(par=1), "par is the solution's length"),
        (lambda d: d["tried"].insert(0, {"number": 0, "id": "x"}), "no candidate before it was left out"),
    ],
)
def test_a_doctored_proof_is_found_out(
    lite: Database, settings: Settings, quick: str, at: SimpleNamespace, change: Any, fails: str
) -> None:
    published(lite, settings, quick, DAY)
    at.time = clock.ends(DAY)
    with lite.read() as conn:
        data = publishing.proof(conn, settings, publishing.served(conn, quick, DAY))
    if "tried" in fails or "left out" in fails:
        data["tried"] = data["tried"][1:]
    else:
        change(data)
    failed = [c.what for c in publishing.check_proof(data, None) if not c.holds]
    assert fails in failed


def test_a_swapped_day_keeps_the_other_days_key_until_both_are_over(
    lite: Database, settings: Settings, quick: str, at: SimpleNamespace
) -> None:
    later = DAY + timedelta(days=3)
    vet(lite, settings, quick, DAY, later)
    days.swap(lite, quick, DAY, later, (EDITOR, EDITOR))
    days.approve(lite, quick, DAY, EDITOR)
    publishing.publish(lite, settings, quick, DAY, EDITOR)
    at.time = clock.ends(DAY)
    with lite.read() as conn, pytest.raises(WrongStepError, match="2031-03-04 is over"):
        publishing.proof(conn, settings, publishing.served(conn, quick, DAY))


def test_a_days_key_is_kept_while_a_later_day_holds_one_of_its_candidates(
    lite: Database, settings: Settings, quick: str, at: SimpleNamespace
) -> None:
    """Else the key, shown when its own day is over, would give the later day's deal away."""
    later = DAY + timedelta(days=3)
    vet(lite, settings, quick, DAY, later)
    days.swap(lite, quick, DAY, later, (EDITOR, EDITOR))
    days.next_candidate(lite, settings, quick, DAY, EDITOR)
    work_off(lite, settings)
    days.approve(lite, quick, DAY, EDITOR)
    publishing.publish(lite, settings, quick, DAY, EDITOR)
    edition = served(lite, quick, DAY)
    assert edition.content["candidate"]["date"] == DAY.isoformat()
    at.time = clock.ends(DAY)
    with lite.read() as conn, pytest.raises(WrongStepError, match="2031-03-04 is over"):
        publishing.proof(conn, settings, edition)
    at.time = clock.ends(later)
    with lite.read() as conn:
        assert all(c.holds for c in publishing.check_proof(publishing.proof(conn, settings, edition), None))


def test_candidates_of_a_day_that_is_over_are_not_moved_ahead(
    lite: Database, settings: Settings, quick: str, at: SimpleNamespace
) -> None:
    later = DAY + timedelta(days=3)
    vet(lite, settings, quick, DAY, later)
    at.time = clock.ends(DAY)
    with pytest.raises(WrongStepError, match="2031-03-01 is over"):
        days.swap(lite, quick, later, DAY, (EDITOR, EDITOR))
    place = held(lite, quick, DAY).place
    days.reject(lite, quick, DAY, EDITOR, "not played")
    with pytest.raises(WrongStepError, match="2031-03-01 is over"):
        days.choose(lite, quick, later, EDITOR, place, "a fine one")


def test_a_new_master_key_between_vetting_and_publishing(
    lite: Database, settings: Settings, quick: str, at: SimpleNamespace
) -> None:
    vet(lite, settings, quick, DAY)
    calendars.rotate_key(lite, settings, quick, "eve")
    days.approve(lite, quick, DAY, EDITOR)
    publishing.publish(lite, settings, quick, DAY, EDITOR)
    at.time = clock.ends(DAY)
    with lite.read() as conn:
        data = publishing.proof(conn, settings, publishing.served(conn, quick, DAY))
    assert all(c.holds for c in publishing.check_proof(data, None))


def test_a_stored_solution_that_does_not_win_cannot_be_published(
    lite: Database, settings: Settings, quick: str, now_day: date
) -> None:
    vet(lite, settings, quick, now_day)
    days.approve(lite, quick, now_day, EDITOR)
    stored = held(lite, quick, now_day)
    broken = replace(stored, candidate=replace(stored.candidate, line=stored.candidate.line[:-1]))
    with lite.write() as conn:
        days.records.save(conn, broken, lite.sqlite)
    with pytest.raises(WrongStepError, match="does not win"):
        publishing.publish(lite, settings, quick, now_day, EDITOR)
    with lite.read() as conn:
        assert days.get(conn, quick, now_day).state is DayState.APPROVED
