"""Bringing the predicted win rate to what people really win: the mapping refitted from judged replays.

A deal's difficulty b is on the scale of the levels. Ordinary people's curve on that scale starts as the
casual level's; with first attempts on dailies at hand it is fitted to them by penalised logistic
regression: the penalty is the old curve, with the weight of ``PRIOR`` games, so that a few days change
little. Cuts between labels stay: a label is a deal's place among all deals, whoever plays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, func, select

from engine.words import counted
from evaluation.db import Database, now
from evaluation.vetting import audit, calendars
from evaluation.vetting.errors import VettingError
from evaluation.vetting.scale import Curve, Scale
from evaluation.vetting.scales import BORROWED, REFIT, scale_for, store
from evaluation.vetting.tables import VetEdition, VetReplay

PRIOR = 200
LEAST_GAMES = 100
LEAST_DAYS = 5


class TooLittleDataError(VettingError):
    """Not enough first attempts to fit anything."""


@dataclass(frozen=True)
class Played:
    """One daily's first attempts."""

    date: str
    b: float
    games: int
    wins: int


@dataclass(frozen=True)
class Refit:
    """An old and a new curve, and how well each tells what people won: mean log loss a game."""

    days: tuple[Played, ...]
    before: Curve
    after: Curve
    loss_before: float
    loss_after: float

    @property
    def games(self) -> int:
        return sum(d.games for d in self.days)


def played_days(conn: Connection, calendar: str) -> list[Played]:
    """Per published daily its difficulty and what first attempts on its day made of it, by date."""
    rows = conn.execute(
        select(
            VetEdition.day,
            VetEdition.b,
            func.count().label("games"),
            func.count().filter(VetReplay.won.is_(True)).label("wins"),
        )
        .join(
            VetReplay,
            (VetReplay.calendar == VetEdition.calendar)
            & (VetReplay.day == VetEdition.day)
            & (VetReplay.edition == VetEdition.edition),
        )
        .where(
            VetEdition.calendar == calendar,
            VetEdition.b.is_not(None),
            VetReplay.attempt == 1,
            VetReplay.late.is_(False),
        )
        .group_by(VetEdition.day, VetEdition.edition, VetEdition.b)
        .order_by(VetEdition.day)
    )
    return [Played(r.day, r.b, r.games, r.wins) for r in rows]


def fit_people(days: Sequence[Played], before: Curve) -> Curve:
    """The curve that fits the games best, held to the old one as by `PRIOR` games."""
    from scipy.optimize import minimize

    def loss(x: Sequence[float]) -> float:
        curve = Curve(math.exp(x[0]), x[1])
        held = (x[0] - math.log(before.slope)) ** 2 / 0.25 + (x[1] - before.step) ** 2 / 0.25
        return log_loss(days, curve) * sum(d.games for d in days) + held * PRIOR / 100

    found = minimize(loss, [math.log(before.slope), before.step], method="Nelder-Mead")
    return Curve(round(math.exp(found.x[0]), 5), round(float(found.x[1]), 5))


def log_loss(days: Sequence[Played], curve: Curve) -> float:
    """Mean log loss a game of a curve's predictions."""
    total = 0.0
    for day in days:
        p = min(max(curve.at(day.b), 1e-6), 1 - 1e-6)
        total -= day.wins * math.log(p) + (day.games - day.wins) * math.log(1 - p)
    return total / sum(d.games for d in days)


def refit(db: Database, calendar: str, by: str, *, dry: bool = False) -> Refit:
    """Fit and store the mapping of a calendar's variant. dry: only tell. Raises TooLittleDataError."""
    with db.write() as conn:
        spec = calendars.load(conn, calendar).spec
        days = played_days(conn, calendar)
        games = sum(d.games for d in days)
        if len(days) < LEAST_DAYS or games < LEAST_GAMES:
            raise TooLittleDataError(
                f"{counted(games, 'first attempt')} on {counted(len(days), 'day')} of {calendar}:"
                f" a fit needs {LEAST_GAMES} on {LEAST_DAYS}"
            )
        chosen = scale_for(conn, spec.game)
        scale: Scale = chosen.scale
        lent = {} if chosen.own else {BORROWED: scale.sample.get(BORROWED, scale.variant)}
        after = fit_people(days, scale.people)
        if not dry:
            at = now(conn)
            fitted = replace(
                scale,
                variant=spec.game.label,
                variant_key=spec.game.key,
                people=after,
                sample={**scale.sample, **lent, "refit_games": games, "refit_calendar": calendar},
            )
            store(conn, fitted, REFIT, at, by)
            audit.add(conn, at, by, calendar, "refitted", games=games, days=len(days))
    return Refit(tuple(days), scale.people, after, log_loss(days, scale.people), log_loss(days, after))
