"""Totals over vetted dates: counted again here from what the ledger tells of each date."""

from __future__ import annotations

from datetime import date, timedelta
from statistics import median

from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.vetting import days
from evaluation.vetting.report import range_json
from evaluation.vetting.summary import summary_of
from tests.support.vetting import EDITOR, QUICK, make_calendar, vet

FIRST = date(2031, 3, 1)
"""A Saturday."""
DATES = [FIRST + timedelta(days=i) for i in range(8)]


def test_totals_are_those_of_the_dates(db: Database, ledger_settings: Settings) -> None:
    name = make_calendar(
        db,
        ledger_settings,
        difficulty={"sat": "any", "sun": "easy"},
        bounds={"borderline": True, "par": [1, 110], "win_rate": [0.05, 1.0]},
        effort={**QUICK, "games": 64, "candidates": 3},
    )
    vet(db, ledger_settings, name, *DATES[:3])
    with db.read() as conn:
        found = summary_of(conn, name, DATES)
        listed = range_json(conn, name, DATES)
    tried = [c for d in listed for c in d["tried"]]
    held = [d for d in listed if d["fits"]]
    assert (found.dates, found.held, found.candidates) == (8, len(held), len(tried))
    assert found.fitting + found.rejected == len(tried)
    assert found.games == sum(c["games"] for c in tried)
    assert found.positions == sum(c["solver_nodes"] or 0 for c in tried)
    assert abs(found.seconds - sum(c["seconds"] for c in tried)) < 0.01 * len(tried)
    rules = {rule for c in tried for rule in c["rules"]}
    assert found.refused == {r: sum(r in c["rules"] for c in tried) for r in rules}
    assert found.borderline == sum(d["borderline"] for d in held)
    pars = [d["par"] for d in held]
    assert found.par is not None
    assert (found.par.least, found.par.median, found.par.most) == (min(pars), median(pars), max(pars))
    by_day = {w.name: w for w in found.weekdays}
    assert by_day["sat"].dates == 2
    assert by_day["sat"].wanted == {"any": 2}
    assert by_day["sun"].wanted == {"easy": 1}
    assert by_day["mon"].wanted == {"medium": 1}
    assert sum(w.missing for w in found.weekdays) == 8 - len(held)
    assert sum(sum(w.labels.values()) for w in found.weekdays) == len(held)


def test_a_date_that_holds_anothers_deal_counts_with_it(
    lite: Database, settings: Settings, quick: str
) -> None:
    vet(lite, settings, quick, *DATES[:2])
    with lite.read() as conn:
        before = range_json(conn, quick, DATES[:2])
    days.swap(lite, quick, DATES[0], DATES[1], (EDITOR, EDITOR))
    with lite.read() as conn:
        found = summary_of(conn, quick, DATES[:1])
    assert found.par is not None
    assert found.par.least == before[1]["par"]
    assert found.candidates == len(before[0]["tried"])


def test_dates_that_nobody_vetted(lite: Database, settings: Settings, quick: str) -> None:
    with lite.read() as conn:
        found = summary_of(conn, quick, DATES)
    assert (found.held, found.candidates, found.par, found.seconds) == (0, 0, None, 0)
    assert found.to_json()["missing"] == 8
