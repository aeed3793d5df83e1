"""Small calendars, and a whole run in this process: the chunks that workers would take."""

from __future__ import annotations

from datetime import date
from typing import Any
from unittest.mock import patch

from engine.core import Control
from engine.moves import texts_of
from engine.players import Game, PlayerSpec, play_batch
from engine.variants import Variant
from evaluation.db import Database
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.views import get_job
from evaluation.runner import Runner
from evaluation.settings import Settings
from evaluation.versions import engine_version
from evaluation.vetting import calendars, days, publishing, rating, records, runs
from evaluation.vetting.calendars import CalendarSpec
from evaluation.vetting.days import Day, Editor

QUICK = {"games": 32, "shorten_nodes": 0, "candidates": 4}
KEY = bytes(range(32))
EDITOR = Editor("eve", None)


def spec_of(**changes: Any) -> CalendarSpec:
    """A calendar of quick one-suit dailies of any difficulty."""
    plain = {"name": "quick", "variant": "spider-1", "difficulty": "any", "effort": QUICK}
    return CalendarSpec.model_validate({**plain, **changes})


def make_calendar(db: Database, settings: Settings, **changes: Any) -> str:
    """Store one; its master key is always the same."""
    return calendars.create(db, settings, spec_of(**changes), "eve", KEY).name


def vet(
    db: Database, settings: Settings, name: str, *dates: date, own: dict[date, Any] | None = None, **more: Any
) -> str:
    """Vet dates to the end; gives the job's id."""
    with db.read() as conn:
        plan = runs.plan_run(conn, settings, name, dates, own or {}, "eve", **more)
    job_id = runs.submit_run(db, settings, plan)
    work_off(db, settings)
    assert get_job(db, job_id, settings).state.value == "completed"
    return job_id


def work_off(db: Database, settings: Settings, *sent: int) -> None:
    """Do what the ledger has to do, in this process. sent: chunks that were sent before."""
    runner = Runner(db, settings, "test/1", engine_version())
    with patch.object(rating, "play_batch", _remembered):
        for chunk_id in sent:
            runner.run(chunk_id)
        while chunks := next_to_send(db, settings):
            for chunk in chunks:
                runner.run(chunk.chunk_id)


_GAMES: dict[tuple[object, ...], list[Game | None]] = {}


def _remembered(
    variant: Variant,
    deals: list[bytes],
    spec: PlayerSpec,
    rng: list[int],
    control: Control | None = None,
    judge: bool = True,
) -> list[Game | None]:
    """`play_batch` once for the same games: most tests vet the same calendar's first candidates. That games
    repeat themselves is tested elsewhere, without this."""
    if control is not None and control.cancelled:
        return play_batch(variant, deals, spec, rng, control, judge)
    key = (variant, tuple(deals), repr(spec), tuple(rng), judge)
    if key not in _GAMES:
        played = play_batch(variant, deals, spec, rng, control, judge)
        if None in played:
            return played
        _GAMES[key] = played
    return _GAMES[key]


def published(db: Database, settings: Settings, name: str, day: date) -> Day:
    """Vet, approve and publish a date."""
    vet(db, settings, name, day)
    days.approve(db, name, day, EDITOR)
    return publishing.publish(db, settings, name, day, EDITOR)


def held(db: Database, name: str, day: date) -> records.Stored:
    """The candidate that a date holds."""
    with db.read() as conn:
        place = days.get(conn, name, day).place
        assert place is not None
        return records.must_load(conn, place)


def solution_of(db: Database, name: str, day: date) -> list[str]:
    """The moves that win a date's deal."""
    return texts_of(held(db, name, day).candidate.line)
