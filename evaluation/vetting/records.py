"""Candidates in the ledger: to and from rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import orjson
from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from engine.cards import Card
from engine.deals import Deal
from engine.formats.dealjson import cards_object
from engine.layouts import Layout
from engine.solver import Reason, Verdict
from engine.variants import resolve
from evaluation.ledger.finish import pack_line, unpack_line
from evaluation.vetting.candidates import Candidate, Refusal, State
from evaluation.vetting.errors import NotFoundError
from evaluation.vetting.rating import Rating, Tally
from evaluation.vetting.scale import Difficulty
from evaluation.vetting.tables import VetCandidate

DERIVED, OWN = "derived", "own"


@dataclass(frozen=True)
class Place:
    """Where a candidate stands: calendar, date, source and number."""

    calendar: str
    day: date
    source: str
    number: int


@dataclass(frozen=True)
class Stored:
    """A candidate with its place and the question it was judged by."""

    place: Place
    wanted: str
    engine: str
    candidate: Candidate


def deal_json(deal: Deal) -> dict[str, Any]:
    """A deal with everything that makes it: full rules, cards, scheme and seed."""
    return {
        "variant": deal.variant.record(),
        "scheme": deal.scheme,
        "seed": deal.seed,
        **cards_object(deal),
    }


def deal_of(data: dict[str, Any]) -> Deal:
    """Undo `deal_json` without any dealing: the cards are as they were stored."""
    layout = Layout(
        tuple(tuple(Card.parse(c) for c in column) for column in data["columns"]),
        tuple(data["face_down"]),
        tuple(Card.parse(c) for c in data["stock"]),
    )
    return Deal(
        layout.columns, layout.face_down, layout.stock, resolve(data["variant"]), data["scheme"], data["seed"]
    )


def rating_json(rating: Rating) -> dict[str, Any]:
    """A rating as JSON, for the ledger and for people."""
    return {
        "b": round(rating.b, 4),
        "error": round(rating.error, 4),
        "difficulty": rating.label.value,
        "borderline": rating.borderline,
        "win_rate": round(rating.win_rate, 4),
        "win_interval": [round(x, 4) for x in rating.interval],
        "by_level": {name: round(x, 4) for name, x in rating.by_level},
        "games": rating.games,
        "wins": list(rating.tally.wins),
    }


def _rating_of(data: dict[str, Any], tally: Tally) -> Rating:
    low, high = data["win_interval"]
    return Rating(
        tally,
        data["b"],
        data["error"],
        Difficulty(data["difficulty"]),
        data["borderline"],
        data["win_rate"],
        (low, high),
        tuple(data["by_level"].items()),
    )


def refused(stored: Stored, refusal: Refusal) -> Stored:
    """The candidate with one more thing against it."""
    c = stored.candidate
    return replace(stored, candidate=replace(c, state=State.REJECTED, refusals=(*c.refusals, refusal)))


def save(conn: Connection, stored: Stored, sqlite: bool) -> None:
    """Write a candidate, over what was there."""
    c, place = stored.candidate, stored.place
    keys = {
        "calendar": place.calendar,
        "day": place.day.isoformat(),
        "source": place.source,
        "number": place.number,
    }
    values = {
        "identity": str(c.deal.identity),
        "deal": orjson.dumps(deal_json(c.deal)).decode(),
        "wanted": stored.wanted,
        "engine": stored.engine,
        "state": c.state.value,
        "verdict": c.verdict,
        "reason": c.unknown,
        "nodes": c.nodes,
        "line": pack_line(c.line) if c.line else None,
        "par": c.par,
        "tally": orjson.dumps(c.tally.counts).decode(),
        "rating": orjson.dumps(rating_json(c.rating)).decode() if c.rating else None,
        "reasons": orjson.dumps([r.to_json() for r in c.refusals]).decode(),
        "words": orjson.dumps(c.words).decode(),
        "misfit": c.misfit,
        "seconds": c.seconds,
    }
    maker = sqlite_insert if sqlite else pg_insert
    conn.execute(
        maker(VetCandidate)
        .values(keys | values)
        .on_conflict_do_update(index_elements=list(keys), set_=values)
    )


def load(conn: Connection, place: Place) -> Stored | None:
    """A candidate, or None."""
    if not 0 < place.number < 2**31:  # no such number fits its column
        return None
    row = conn.execute(
        select(VetCandidate.__table__).where(
            VetCandidate.calendar == place.calendar,
            VetCandidate.day == place.day.isoformat(),
            VetCandidate.source == place.source,
            VetCandidate.number == place.number,
        )
    ).one_or_none()
    return None if row is None else _stored(row)


def must_load(conn: Connection, place: Place) -> Stored:
    """A candidate. Raises NotFoundError."""
    found = load(conn, place)
    if found is None:
        raise NotFoundError(
            f"{place.calendar} {place.day}: there is no {place.source} candidate {place.number}"
        )
    return found


def count(conn: Connection, calendar: str, first: date, last: date) -> int:
    """How many candidates of a calendar's dates have been looked at."""
    here = VetCandidate.day.between(first.isoformat(), last.isoformat())
    query = select(func.count()).select_from(VetCandidate)
    return conn.execute(query.where(VetCandidate.calendar == calendar, here)).scalar_one()


def of_day(conn: Connection, calendar: str, day: date) -> list[Stored]:
    """Every candidate of a date: a site's own first, then by number."""
    rows = conn.execute(
        select(VetCandidate.__table__)
        .where(VetCandidate.calendar == calendar, VetCandidate.day == day.isoformat())
        .order_by(VetCandidate.source.desc(), VetCandidate.number)
    )
    return [_stored(row) for row in rows]


def _stored(row: Any) -> Stored:
    tally = Tally(tuple(tuple(r) for r in orjson.loads(row.tally)))
    candidate = Candidate(
        deal=deal_of(orjson.loads(row.deal)),
        tally=tally,
        state=State(row.state),
        rating=_rating_of(orjson.loads(row.rating), tally) if row.rating else None,
        verdict=Verdict(row.verdict) if row.verdict else None,
        unknown=Reason(row.reason) if row.reason else None,
        nodes=row.nodes,
        line=unpack_line(row.line) if row.line else (),
        refusals=tuple(Refusal(r["rule"], r["text"], r["away"]) for r in orjson.loads(row.reasons)),
        words=tuple(orjson.loads(row.words)),
        seconds=row.seconds,
    )
    place = Place(row.calendar, date.fromisoformat(row.day), row.source, row.number)
    return Stored(place, row.wanted, row.engine, candidate)
