"""The refit from stored replays to the scale that the next deals are rated by."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from engine.variants import resolve
from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.vetting import audit, publishing, refit
from evaluation.vetting.scale import Curve
from evaluation.vetting.scalefile import shipped
from evaluation.vetting.scales import REFIT, Chosen, scale_for, store
from evaluation.vetting.tables import VetReplay
from tests.support.vetting import make_calendar, published

DAYS = [date(2031, 3, 1) + timedelta(days=i) for i in range(5)]
TRUTH = Curve(2.0, -0.8)
RELAXED = {"base": "spider-1", "name": "relaxed", "stock_deal_over_empty": "allowed"}


def played(db: Database, settings: Settings, **changes: Any) -> str:
    """Five published days, each with the first attempts of 60 made-up people, and late ones that lose."""
    name = make_calendar(db, settings, **changes)
    rng = random.Random(1)
    for day in DAYS:
        published(db, settings, name, day)
        with db.write() as conn:
            b = publishing.editions(conn, name, day)[-1].b
            assert b is not None
            for i in range(90):
                late = i >= 60
                won = not late and rng.random() < TRUTH.at(b)
                row = {
                    "player": f"{i:032d}", "attempt": 1, "late": late, "received_at": 0.0, "won": won,
                    "ending": "won", "moves": 1, "undos": 0, "sequences": 0, "entries": b"",
                }  # fmt: skip
                place = {"calendar": name, "day": day.isoformat(), "edition": 1}
                conn.execute(insert(VetReplay).values(**place, **row))
    return name


def chosen(db: Database, game: Any) -> Chosen:
    with db.read() as conn:
        return scale_for(conn, resolve(game))


def test_predictions_move_towards_what_people_won_and_labels_stay(lite: Database, settings: Settings) -> None:
    name = played(lite, settings)
    before = chosen(lite, "spider-1").scale
    told = refit.refit(lite, name, "eve", dry=True)
    assert (told.games, len(told.days)) == (300, 5)
    assert told.loss_after < told.loss_before
    assert chosen(lite, "spider-1").scale == before, "only told"
    done = refit.refit(lite, name, "eve")
    after = chosen(lite, "spider-1").scale
    assert after.people == done.after != before.people
    assert after.cuts == before.cuts
    for day in done.days:
        assert abs(after.people.at(day.b) - TRUTH.at(day.b)) < abs(before.people.at(day.b) - TRUTH.at(day.b))
    assert audit.entries(lite, name, limit=1)[0].action == "refitted"


def test_a_borrowed_scale_stays_one(lite: Database, settings: Settings) -> None:
    name = played(lite, settings, variant=RELAXED)
    assert not chosen(lite, RELAXED).own
    refit.refit(lite, name, "eve")
    refit.refit(lite, name, "eve")
    found = chosen(lite, RELAXED)
    assert not found.own
    assert found.remarks[0] == "rated on the scale of spider-1, the nearest game with a scale"


@pytest.mark.parametrize(("kind", "kept"), [(REFIT, False), ("sample", True)])
def test_a_release_with_new_scales_keeps_what_people_taught(lite: Database, kind: str, kept: bool) -> None:
    game = resolve("spider-1")
    new = shipped()[game.key]
    old = replace(new, engine="0.0.1-p0-s0", cuts=(-1.0, 0.0, 1.0), people=TRUTH)
    with lite.write() as conn:
        store(conn, old, kind, 1.0, "eve")
    found = chosen(lite, "spider-1")
    assert found.scale.people == TRUTH
    assert (found.scale.cuts == old.cuts) is kept
    assert (found.remarks != ()) is kept
