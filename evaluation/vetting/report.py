"""What a run or a range of dates comes to, as people and programs read it: one object a date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection

from engine.moves import texts_of
from evaluation.vetting import calendars, days, records, replays
from evaluation.vetting.candidates import State
from evaluation.vetting.clock import today
from evaluation.vetting.days import Day, DayState
from evaluation.vetting.publishing import Edition, editions
from evaluation.vetting.records import Stored, rating_json

GAPS = (DayState.OPEN.value, DayState.REJECTED.value, DayState.WITHDRAWN.value)
"""States of a date without a deal."""


def candidate_json(stored: Stored, *, solution: bool = False) -> dict[str, Any]:
    """One candidate for editors."""
    c = stored.candidate
    data: dict[str, Any] = {
        "source": stored.place.source,
        "number": stored.place.number,
        "date": stored.place.day.isoformat(),
        "id": str(c.deal.identity),
        "state": c.state.value,
        "verdict": c.verdict,
        "unknown": c.unknown,
        "par": c.par,
        "solver_nodes": c.nodes,
        "rating": rating_json(c.rating) if c.rating else None,
        "games": c.tally.games,
        "why": list(c.words),
        "reasons": [r.text for r in c.refusals],
        "rules": [r.rule for r in c.refusals],
        "misfit": round(c.misfit, 4),
        "engine": stored.engine,
        "seconds": round(c.seconds, 3),
    }
    if solution:
        data["solution"] = texts_of(c.line)
    return data


def day_json(conn: Connection, day: Day, today_: date, *, tried: bool = True) -> dict[str, Any]:
    """One date: what it holds and what was tried. Its first keys are those of `vet --json`.

    held: whether the date holds the deal that ``id`` and the keys after it are of. Where it does not they are
    of the nearest candidate while the date is open, and null once a deal was turned down or taken back.
    """
    held = records.load(conn, day.place) if day.place is not None else None
    all_tried = records.of_day(conn, day.calendar, day.date) if tried or held is None else []
    shown = held or (_nearest(all_tried) if day.state is DayState.OPEN else None)
    c = shown.candidate if shown else None
    rating = c.rating if c else None
    data: dict[str, Any] = {
        "date": day.date.isoformat(),
        "held": held is not None,
        "id": str(c.deal.identity) if c else None,
        "verdict": c.verdict if c else None,
        "par": c.par if c else None,
        "difficulty": rating.label.value if rating else None,
        "win_rate": round(rating.win_rate, 4) if rating else None,
        "win_interval": [round(x, 4) for x in rating.interval] if rating else None,
        "borderline": rating.borderline if rating else None,
        "solver_nodes": c.nodes if c else None,
        "fits": held is not None and held.candidate.state is State.FITS,
        "state": day.shown(today_).value,
        "revision": day.revision,
        "candidate": None if shown is None else {"source": shown.place.source, "number": shown.place.number,
                                                 "date": shown.place.day.isoformat()},
        "why": list(c.words) if c else [],
        "reasons": [r.text for r in c.refusals] if c else [],
        "note": day.note or None,
        "by": day.by or None,
        "edition": day.edition,
        "job": day.job_id,
    }  # fmt: skip
    if tried:
        data["tried"] = [candidate_json(s) for s in all_tried]
    return data


def _nearest(tried: Sequence[Stored]) -> Stored | None:
    """The candidate closest to fitting, for a date that holds none."""
    done = [s for s in tried if s.candidate.state.done]
    return min(done, key=lambda s: s.candidate.misfit, default=None)


def range_json(
    conn: Connection, calendar: str, wanted: Sequence[date], *, tried: bool = True
) -> list[dict[str, Any]]:
    """Dates in order, gaps included. Raises NotFoundError."""
    spec = calendars.load(conn, calendar).spec
    found = days.between(conn, calendar, wanted[0], wanted[-1])
    today_ = today(conn)
    out = []
    for d in wanted:
        data = day_json(conn, found.get(d, Day(calendar, d)), today_, tried=tried)
        asked = spec.wanted(d)
        data["wanted"] = asked.value if asked else "any"
        data["gap"] = data["state"] in GAPS
        kept = editions(conn, calendar, d) if data["edition"] else []
        data["editions"] = [e.summary() for e in kept]
        data["results"] = _results(conn, kept[-1]) if kept else None
        out.append(data)
    return out


def _results(conn: Connection, edition: Edition) -> dict[str, Any]:
    """What people really won, to stand beside the prediction."""
    table = replays.results(conn, edition, top=0)
    return {
        "players": table.players,
        "wins": table.wins,
        "win_rate": table.win_rate,
        "win_interval": [round(x, 4) for x in table.interval],
        "late": table.late,
    }
