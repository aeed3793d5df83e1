"""/v1/daily: what players see. Published days by UTC date, never before their day; replays and results."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import Response

from api.access import require
from api.dates import MOST_DAYS, Dates
from api.downloads import calendar_file, disposition
from api.problems import Problem
from api.ratelimit import RateLimit
from api.state import Ledger, json_response
from engine.formats.errors import FormatError
from engine.formats.games import read_game
from engine.words import counted, plural
from evaluation.access.roles import Identity, Role
from evaluation.db import now
from evaluation.evaluators import Strict
from evaluation.ledger.views import iso
from evaluation.vetting import calendars, clock, exports, owndeals, publishing, replays, signing
from evaluation.vetting.errors import ReplayRefusedError
from evaluation.vetting.publishing import Edition
from evaluation.vetting.replays import Accepted, Replay

router = APIRouter(prefix="/v1/daily", tags=["daily"])
Viewer = Annotated[Identity, require(Role.VIEWER)]
Sender = Annotated[Identity, require(Role.SUBMITTER)]
TODAY = "today"
SOON_S = 60
"""How long a copy of a day may be kept before it is asked for again: a withdrawal must get through."""

_rate = RateLimit()


class Claims(Strict):
    """What the sender says came out of it. Whatever is said must be true, or the replay is refused."""

    won: bool | None = None
    score: int | None = None
    moves: int | None = None
    undos: int | None = None
    sequences: int | None = None


class ReplayRequest(Strict):
    """A player's moves. player: an id of the site's choosing; it is stored only as a hash. seconds: claimed,
    kept apart, never judged. game: a ``spidervet-game/1`` instead of ``moves``."""

    player: str = Field(min_length=1, max_length=200)
    moves: list[str] | None = Field(default=None, examples=[["3>7x4", "deal", "undo", "resign"]])
    id: str | None = Field(default=None, max_length=250, description="the deal's identity, if it is known")
    game: dict[str, Any] | None = None
    claims: Claims = Claims()
    seconds: float | None = Field(default=None, ge=0, le=10_000_000)


@router.get("/keys", summary="Public keys that dailies are signed with")
def get_keys(service: Ledger, user: Viewer) -> Response:
    """Ed25519, in hex; retired ones still verify what they signed."""
    with service.db.read() as conn:
        keys = signing.public_keys(conn)
    shown = [
        {
            "id": k.id,
            "public": k.public.hex(),
            "created_at": iso(k.created_at),
            "retired_at": iso(k.retired_at),
        }
        for k in keys
    ]
    return json_response({"algorithm": "Ed25519", "keys": shown}, headers=_cached(3600))


@router.get("/{calendar}", summary="A calendar and its latest days")
def get_calendar(
    service: Ledger, user: Viewer, calendar: str, days: Annotated[int, Query(ge=1, le=MOST_DAYS)] = 31
) -> Response:
    with service.db.read() as conn:
        found = calendars.load(conn, calendar)
        last = clock.today(conn)
        first = date.fromordinal(max(1, last.toordinal() - days + 1))
        listed = publishing.in_force(conn, calendar, first, last)
        headers = _today_cached(conn)
    game = found.spec.game
    shown = [
        {
            "date": e.date.isoformat(),
            "edition": e.number,
            "id": e.content["id"],
            "difficulty": e.content["difficulty"],
            "par": e.content["par"],
        }
        for e in reversed(listed)
    ]
    body = {"calendar": calendar, "title": found.spec.title or calendar, "variant": game.record(),
            "today": last.isoformat(), "days": shown}  # fmt: skip
    return json_response(body, headers=headers)


@router.get("/{calendar}/export.{kind}", summary="Days up to today, as a file")
def get_export(
    service: Ledger,
    user: Viewer,
    calendar: str,
    kind: exports.Kind,
    dates: Dates,
) -> Response:
    """JSON, NDJSON, CSV or iCalendar. Days to come are left out."""
    with service.db.read() as conn:
        calendars.load(conn, calendar)
        found = publishing.in_force(conn, calendar, dates[0], min(dates[-1], clock.today(conn)))
        headers = _today_cached(conn) | disposition(calendar_file(calendar, dates[0], kind))
    return Response(exports.write(kind, calendar, found), 200, headers, exports.MEDIA[kind])


@router.get("/{calendar}/{day}", summary="The deal of a day")
def get_daily(
    service: Ledger,
    user: Viewer,
    calendar: str,
    day: str,
    if_none_match: Annotated[str | None, Header(max_length=400)] = None,
) -> Response:
    """Layout, identity, difficulty, par and signature. `today` is the date by UTC. 404 before its day, also
    for editors, who see it under /v1/vetting; 410 where it was withdrawn and not replaced."""
    with service.db.read() as conn:
        edition = publishing.served(conn, calendar, _day(conn, day))
        cached = _today_cached(conn) if day == TODAY else _cached(SOON_S)
    headers = {"ETag": f'"{edition.etag}"', **cached}
    if if_none_match is not None and f'"{edition.etag}"' in if_none_match:
        return Response(status_code=304, headers=headers)
    return json_response(edition.signed(), headers=headers)


def _day(conn: Connection, text: str) -> date:
    return clock.today(conn) if text == TODAY else owndeals.parse_date(text, "date")


def _cached(seconds: int) -> dict[str, str]:
    return {"Cache-Control": f"public, max-age={seconds}"}


def _today_cached(conn: Connection) -> dict[str, str]:
    """For an answer that hangs on which day it is: no copy outlives the day."""
    at = now(conn)
    return _cached(min(SOON_S, int(clock.ends(clock.date_of(at)) - at)))


def _served(conn: Connection, user: Identity, calendar: str, day: str) -> Edition:
    return publishing.served(conn, calendar, _day(conn, day), early=user.role.covers(Role.EDITOR))


def _refuse_before_end(conn: Connection, user: Identity, edition: Edition, what: str) -> None:
    if not publishing.is_over(conn, edition.date) and not user.role.covers(Role.EDITOR):
        text = f"the {what} of {edition.date} is shown once its day is over, at 00:00 UTC"
        raise Problem(403, text, "/problems/not-yet")


@router.get("/{calendar}/{day}/solution", summary="The proof that the day can be won")
def get_solution(service: Ledger, user: Viewer, calendar: str, day: str) -> Response:
    """A `spidervet-game/1`; for editors at any time, for everyone once the day is over."""
    with service.db.read() as conn:
        edition = _served(conn, user, calendar, day)
        _refuse_before_end(conn, user, edition, "solution")
    return json_response(publishing.solution(edition))


@router.get("/{calendar}/{day}/proof", summary="Everything to check how the day was chosen")
def get_proof(service: Ledger, user: Viewer, calendar: str, day: str) -> Response:
    """The day's key, the candidates passed over and why, the solution. Once the day is over, for editors,
    too: the key is nobody's business before."""
    with service.db.read() as conn:
        edition = publishing.served(conn, calendar, _day(conn, day))
        if not publishing.is_over(conn, edition.date):
            text = f"the choice of {edition.date} can be checked once its day is over, at 00:00 UTC"
            raise Problem(403, text, "/problems/not-yet")
        data = publishing.proof(conn, service.settings, edition)
    return json_response(data, headers=_cached(3600))


@router.get("/{calendar}/{day}/editions", summary="What was published for a day, withdrawn ones included")
def get_editions(service: Ledger, user: Viewer, calendar: str, day: str) -> Response:
    with service.db.read() as conn:
        wanted = _day(conn, day)
        calendars.load(conn, calendar)
        early = user.role.covers(Role.EDITOR)
        found = publishing.editions(conn, calendar, wanted) if early or wanted <= clock.today(conn) else []
    shown = [e.summary() for e in found]
    return json_response({"calendar": calendar, "date": wanted.isoformat(), "editions": shown})


@router.post("/{calendar}/{day}/replays", status_code=201, summary="Send a player's game of a day")
def post_replay(
    request: Request, service: Ledger, user: Sender, calendar: str, day: str, body: ReplayRequest
) -> Response:
    """Judged on the deal as it was published. One of another deal, a cut or a doctored one is refused with
    the entry that fails; one that comes after the day is kept apart."""
    address = request.client.host if request.client else "unknown"
    wait_s = _rate.wait_s(f"replay {user.name} {address}", service.settings.replay_rate)
    if wait_s:
        raise Problem(
            429,
            f"{counted(service.settings.replay_rate, 'replay')} a minute"
            f" {plural(service.settings.replay_rate, 'is', 'are')} taken from one address",
            "/problems/too-many",
            headers={"Retry-After": str(max(1, round(wait_s)))},
        )
    with service.db.read() as conn:
        wanted = _day(conn, day)
    return json_response(
        _accepted(replays.submit(service.db, service.settings, calendar, wanted, _replay(body))), 201
    )


def _replay(body: ReplayRequest) -> Replay:
    if (body.moves is None) == (body.game is None):
        raise ReplayRefusedError("either moves or game")
    deal, identity, moves = None, body.id, body.moves or []
    if body.game is not None:
        try:
            record = read_game(orjson.dumps(body.game))
        except FormatError as error:
            raise ReplayRefusedError(f"the game cannot be read: {error}") from error
        deal, moves = record.deal, list(record.moves)
    claims = body.claims.model_dump(exclude_none=True)
    return Replay(body.player, replays.checked_moves(moves), claims, body.seconds, deal, identity)


def _accepted(a: Accepted) -> dict[str, Any]:
    j = a.judgement
    return {
        "calendar": a.calendar,
        "date": a.date.isoformat(),
        "edition": a.edition,
        "attempt": a.attempt,
        "first": a.first,
        "late": a.late,
        "won": j.won,
        "ending": j.ending.value,
        "score": a.score,
        "scores": {s.value: n for s, n in j.scores.items()},
        "moves": j.moves,
        "undos": j.undos,
        "sequences": j.sequences,
        "stock_deals": j.stock_deals,
        "claimed_seconds": a.seconds,
        "share": a.share,
    }


@router.get("/{calendar}/{day}/results", summary="How players did, beside what was predicted")
def get_results(service: Ledger, user: Viewer, calendar: str, day: str) -> Response:
    """First attempts that came in on the day; later attempts and late ones are only counted."""
    with service.db.read() as conn:
        edition = publishing.served(conn, calendar, _day(conn, day))
        table = replays.results(conn, edition)
        at = now(conn)
    content = edition.content
    body = {
        "calendar": calendar,
        "date": edition.date.isoformat(),
        "edition": edition.number,
        "final": at >= clock.ends(edition.date),
        "players": table.players,
        "wins": table.wins,
        "win_rate": table.win_rate,
        "win_interval": [round(x, 4) for x in table.interval],
        "predicted": content["win_rate"],
        "predicted_interval": content["win_interval"],
        "difficulty": content["difficulty"],
        "later_attempts": table.later_attempts,
        "late": {"replays": table.late, "wins": table.late_wins},
        "top": [vars(line) for line in table.top],
    }
    return json_response(body, headers=_cached(10))
