"""Publishing: freezing a day's deal as signed bytes, taking it back visibly, and serving it.

The document is JSON with sorted keys and no spaces, UTF-8; the signature is Ed25519 over exactly these
bytes. It carries the full rules and every card, so neither a seed nor a program's version is needed to play
it. It also carries two commitments that are opened when the day is over: the SHA-256 of the day's key, and
of the solution's moves joined by line feeds.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import date
from typing import Any

import orjson
from sqlalchemy import Connection, insert, select, update

from engine.deals import Deal
from engine.formats.dealjson import cards_object
from engine.formats.games import game_object
from engine.moves import texts_of
from engine.replay import GameRecord, judge
from engine.variants import resolve
from evaluation.db import Database, now
from evaluation.ledger.views import iso
from evaluation.settings import Settings
from evaluation.vetting import calendars, days, records, runs
from evaluation.vetting.candidates import Candidate, Refusal
from evaluation.vetting.clock import ends, today
from evaluation.vetting.days import Day, DayState, Editor
from evaluation.vetting.errors import NotFoundError, WithdrawnError, WrongStepError
from evaluation.vetting.keys import candidate_seed, commitment
from evaluation.vetting.records import DERIVED, Place, Stored, deal_of, rating_json
from evaluation.vetting.signing import sign
from evaluation.vetting.tables import VetEdition

FORMAT = "spidervet-daily/1"
PROOF_FORMAT = "spidervet-daily-proof/1"


@dataclass(frozen=True)
class Edition:
    """What was published. document: the signed bytes. evidence: what is shown once the day is over.
    b: the deal's difficulty on its scale."""

    calendar: str
    date: date
    number: int
    document: bytes
    signature: bytes
    key_id: str
    key_version: int
    evidence: dict[str, Any]
    b: float | None
    published_at: float
    by: str
    withdrawn_at: float | None
    reason_withdrawn: str

    @property
    def content(self) -> dict[str, Any]:
        """The document as JSON."""
        data: dict[str, Any] = orjson.loads(self.document)
        return data

    @property
    def identity(self) -> str:
        """The deal's identity as it was published."""
        return str(self.content["id"])

    def summary(self) -> dict[str, Any]:
        """What it was, when, and why it was taken back, if it was."""
        return {
            "edition": self.number,
            "id": self.identity,
            "published_at": iso(self.published_at),
            "withdrawn_at": iso(self.withdrawn_at),
            "reason": self.reason_withdrawn or None,
        }

    @property
    def deal(self) -> Deal:
        """The frozen deal: cards and rules as they were published, whatever the program has become."""
        data = self.content
        scheme, _, rest = data["id"].partition(":")
        cards = data["deal"] | {"variant": data["variant"], "scheme": scheme, "seed": rest.rpartition(":")[2]}
        return deal_of(cards)

    @property
    def etag(self) -> str:
        return hashlib.sha256(self.document + self.signature).hexdigest()[:32]

    def signed(self) -> dict[str, Any]:
        """What `GET /v1/daily/{calendar}/{date}` serves: the document and its signature."""
        return self.content | {
            "signature": {
                "algorithm": "Ed25519",
                "key": self.key_id,
                "value": base64.b64encode(self.signature).decode(),
            }
        }


def canonical(document: dict[str, Any]) -> bytes:
    """The bytes that are signed."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def publish(db: Database, settings: Settings, calendar: str, day: date, editor: Editor) -> Day:
    """Freeze and sign an approved day. Raises ChangedError, WrongStepError, KeyUnusableError."""
    with db.write() as conn:
        found = days.looked_at(conn, calendar, day, editor)
        if found.state is not DayState.APPROVED or found.place is None:
            raise WrongStepError(
                f"{calendar} {day} is {found.state.value}: only an approved day can be published"
            )
        at = now(conn)
        stored = records.must_load(conn, found.place)
        candidate = stored.candidate
        _check_win(candidate)
        earlier = editions(conn, calendar, day)
        if earlier and earlier[-1].withdrawn_at is None:
            raise WrongStepError(f"{calendar} {day} is published already; withdraw it first")
        document = canonical(_document(conn, settings, found, stored, earlier, at))
        signature = sign(conn, settings, document, at)
        conn.execute(
            insert(VetEdition).values(
                calendar=calendar,
                day=day.isoformat(),
                edition=len(earlier) + 1,
                document=document,
                signature=signature.value,
                key_id=signature.key_id,
                key_version=key_version_of(conn, settings, found.place, candidate.deal),
                evidence=orjson.dumps(_evidence(conn, found, candidate)).decode(),
                b=candidate.rating.b if candidate.rating else None,
                published_at=at,
                by=editor.name,
            )
        )
        return days.change(
            conn, found, DayState.PUBLISHED, at, editor.name, "published", edition=len(earlier) + 1
        )


def _check_win(candidate: Candidate) -> None:
    """The judge plays the solution once more from the cards that are about to be frozen."""
    judged = judge(candidate.deal.variant, candidate.deal, texts_of(candidate.line))
    if not judged.legal or not judged.won:
        raise WrongStepError("the stored solution does not win this deal: it cannot be published")


def _document(
    conn: Connection, settings: Settings, day: Day, stored: Stored, earlier: list[Edition], at: float
) -> dict[str, Any]:
    assert day.place is not None
    calendar = calendars.load(conn, day.calendar)
    candidate = stored.candidate
    deal, rating = candidate.deal, candidate.rating
    version = key_version_of(conn, settings, day.place, deal)
    key = calendars.key_of_day(conn, settings, day.calendar, version, day.place.day)
    return {
        "format": FORMAT,
        "calendar": day.calendar,
        "title": calendar.spec.title or day.calendar,
        "date": day.date.isoformat(),
        "edition": len(earlier) + 1,
        "id": str(deal.identity),
        "variant": deal.variant.record(),
        "deal": cards_object(deal),
        "difficulty": rating.label.value if rating else None,
        "borderline": rating.borderline if rating else None,
        "win_rate": round(rating.win_rate, 4) if rating else None,
        "win_interval": [round(x, 4) for x in rating.interval] if rating else None,
        "par": candidate.par,
        "candidate": {
            "source": day.place.source,
            "number": day.place.number,
            "date": day.place.day.isoformat(),
        },
        "day_key_sha256": commitment(key) if day.place.source == DERIVED else None,
        "solution_sha256": solution_digest(texts_of(candidate.line)),
        "replaces": _replaced(earlier),
        "engine": stored.engine,
        "published_at": iso(at),
    }


def key_version_of(conn: Connection, settings: Settings, place: Place, deal: Deal) -> int:
    """Which version of the master key a candidate is derived from: keys may change between vetting and
    publishing. The newest one for a site's own deal, which comes from none."""
    newest = calendars.load(conn, place.calendar).key_version
    for version in range(newest, 0, -1) if place.source == DERIVED else ():
        key = calendars.key_of_day(conn, settings, place.calendar, version, place.day)
        if str(candidate_seed(key, place.number)) == deal.seed:
            return version
    if place.source == DERIVED:
        raise WrongStepError(f"candidate {place.number} of {place.day} comes from no key of the calendar")
    return newest


def _replaced(earlier: list[Edition]) -> list[dict[str, Any]]:
    return [
        {
            "edition": e.number,
            "id": e.content["id"],
            "withdrawn_at": iso(e.withdrawn_at),
            "reason": e.reason_withdrawn,
        }
        for e in earlier
    ]


def solution_digest(moves: list[str]) -> str:
    """The commitment to a solution."""
    return hashlib.sha256("\n".join(moves).encode()).hexdigest()


def _evidence(conn: Connection, day: Day, candidate: Candidate) -> dict[str, Any]:
    """What led to the choice, frozen with it."""
    assert day.place is not None
    asked = _asked(conn, day)
    tried = [
        {
            "number": s.place.number,
            "id": str(s.candidate.deal.identity),
            "state": s.candidate.state.value,
            "engine": s.engine,
            "reasons": [r.text for r in s.candidate.refusals],
        }
        for s in records.of_day(conn, day.calendar, day.place.day)
        if s.place.source == day.place.source and s.place.number <= day.place.number
    ]
    return {
        "calendar_revision": calendars.revision_of(conn, asked),
        "calendar": orjson.loads(asked.stored()),
        "tried": tried,
        "rating": rating_json(candidate.rating) if candidate.rating else None,
        "why": list(candidate.words),
        "solver_nodes": candidate.nodes,
        "solution": texts_of(candidate.line),
        "origin": day.origin,
        "note": day.note,
    }


def _asked(conn: Connection, day: Day) -> calendars.CalendarSpec:
    """The calendar as the candidate was judged by it: the one of the run that its date was last vetted in."""
    assert day.place is not None
    own = days.get(conn, day.calendar, day.place.day)
    try:
        return runs.load_run(conn, own.job_id or "").spec
    except NotFoundError:
        return calendars.load(conn, day.calendar).spec


def withdraw(db: Database, calendar: str, day: date, editor: Editor, reason: str) -> Day:
    """Take a published day back, for all to see. Raises ChangedError; WrongStepError, also for no reason."""
    with db.write() as conn:
        found = days.looked_at(conn, calendar, day, editor)
        if found.state is not DayState.PUBLISHED:
            raise WrongStepError(f"{calendar} {day} is {found.state.value}: there is nothing to withdraw")
        days.check_note(reason, "reason")
        if not reason.strip():
            raise WrongStepError("a withdrawal needs a reason, which is published with it")
        at = now(conn)
        conn.execute(
            update(VetEdition)
            .where(
                VetEdition.calendar == calendar,
                VetEdition.day == day.isoformat(),
                VetEdition.edition == found.edition,
            )
            .values(withdrawn_at=at, reason_withdrawn=reason)
        )
        if found.place is not None:
            stored = records.must_load(conn, found.place)
            refusal = Refusal("editor", f"withdrawn by {editor.name}: {reason}", 0.0)
            records.save(conn, records.refused(stored, refusal), db.sqlite)
        return days.change(
            conn, found, DayState.WITHDRAWN, at, editor.name, "withdrawn", note=reason, place=None
        )


def editions(conn: Connection, calendar: str, day: date) -> list[Edition]:
    """Everything published for a date, the first edition first."""
    rows = conn.execute(
        select(VetEdition.__table__)
        .where(VetEdition.calendar == calendar, VetEdition.day == day.isoformat())
        .order_by(VetEdition.edition)
    )
    return [_edition(row) for row in rows]


def _edition(row: Any) -> Edition:
    return Edition(
        row.calendar,
        date.fromisoformat(row.day),
        row.edition,
        row.document,
        row.signature,
        row.key_id,
        row.key_version,
        orjson.loads(row.evidence),
        row.b,
        row.published_at,
        row.by,
        row.withdrawn_at,
        row.reason_withdrawn,
    )


def in_force(conn: Connection, calendar: str, first: date, last: date) -> list[Edition]:
    """The editions of a range of dates that are not withdrawn, by date."""
    rows = conn.execute(
        select(VetEdition.__table__)
        .where(
            VetEdition.calendar == calendar,
            VetEdition.day >= first.isoformat(),
            VetEdition.day <= last.isoformat(),
            VetEdition.withdrawn_at.is_(None),
        )
        .order_by(VetEdition.day)
    )
    return [_edition(row) for row in rows]


def served(conn: Connection, calendar: str, day: date, *, early: bool = False) -> Edition:
    """The edition of a date for players. early: also before its day, for editors.

    Raises NotFoundError, in the same words for a day to come and for one never published; WithdrawnError.
    """
    calendars.load(conn, calendar)
    nothing = NotFoundError(f"{calendar} has no deal for {day.isoformat()}")
    if day > today(conn) and not early:
        raise nothing
    found = editions(conn, calendar, day)
    if not found:
        raise nothing
    if found[-1].withdrawn_at is not None:
        raise WithdrawnError(
            f"{calendar} {day.isoformat()} was withdrawn at {iso(found[-1].withdrawn_at)}:"
            f" {found[-1].reason_withdrawn}"
        )
    return found[-1]


def is_over(conn: Connection, day: date) -> bool:
    """Whether solutions and keys of a date may be shown to everyone."""
    return now(conn) >= ends(day)


def solution(edition: Edition) -> dict[str, Any]:
    """The proof as a game file, ``spidervet-game/1``."""
    moves = tuple(edition.evidence["solution"])
    return game_object(GameRecord(edition.deal, moves, "solver", edition.content["engine"]))


def proof(conn: Connection, settings: Settings, edition: Edition) -> dict[str, Any]:
    """Everything that anyone needs to check a day's choice, once its day is over: the day's key, what was
    asked, the candidates before it and why they were passed over, the solution.

    Raises WrongStepError while the key still has a day to come: this deal was swapped from a later date, or
    a later date holds another candidate of the same key.
    """
    candidate = edition.content["candidate"]
    key_day = date.fromisoformat(candidate["date"])
    lent = days.lent(conn, edition.calendar, key_day)
    secret = max(key_day, edition.date, *(d for place, d in lent.items() if place.source == DERIVED))
    if not is_over(conn, secret):
        raise WrongStepError(f"the choice of {edition.date} can be checked once {secret} is over")
    key = calendars.key_of_day(conn, settings, edition.calendar, edition.key_version, key_day)
    derived = candidate["source"] == DERIVED
    return {
        "format": PROOF_FORMAT,
        "daily": edition.signed(),
        "day_key": key.hex() if derived else None,
        "seeds": [str(candidate_seed(key, n + 1)) for n in range(candidate["number"])] if derived else None,
        **edition.evidence,
    }


@dataclass(frozen=True)
class Check:
    """One thing looked at in a proof."""

    what: str
    holds: bool


def check_proof(data: dict[str, Any], public: bytes | None) -> list[Check]:
    """Repeat what can be repeated without playing games: signature, commitments, seeds, cards, solution.

    public: the signing key as it is known from elsewhere; None leaves the signature out.
    """
    from engine.deals import deal as dealt
    from evaluation.vetting.signing import verifies

    daily = {k: v for k, v in data["daily"].items() if k != "signature"}
    game = resolve(daily["variant"])
    checks = []
    if public is not None:
        value = base64.b64decode(data["daily"]["signature"]["value"])
        checks.append(
            Check("the signature is of these bytes by this key", verifies(public, canonical(daily), value))
        )
    cards = daily["deal"] | {"variant": daily["variant"], "scheme": "spidervet", "seed": "0"}
    frozen = deal_of(cards)
    if data["day_key"] is not None:
        key = bytes.fromhex(data["day_key"])
        number = daily["candidate"]["number"]
        again = dealt(game, candidate_seed(key, number))
        checks += [
            Check("the day's key is the one committed to", commitment(key) == daily["day_key_sha256"]),
            Check(
                f"candidate {number} of the key is the deal",
                again.columns == frozen.columns and again.stock == frozen.stock,
            ),
            Check(
                "the candidates before it are the key's own",
                all(
                    t["id"] == str(dealt(game, candidate_seed(key, t["number"])).identity)
                    for t in data["tried"]
                ),
            ),
            Check(
                "no candidate before it was left out",
                [t["number"] for t in data["tried"]] == list(range(1, number + 1)),
            ),
        ]
    judged = judge(game, frozen, data["solution"])
    checks += [
        Check(
            "the solution is the one committed to",
            solution_digest(data["solution"]) == daily["solution_sha256"],
        ),
        Check("the solution wins by the rules", judged.legal and judged.won),
        Check("par is the solution's length", daily["par"] == judged.moves),
    ]
    return checks
