"""Players' replays of a daily: judged on the frozen deal, counted once, shown without spoilers.

The server believes moves and nothing else. A claim that comes with them (won, score, moves) must agree; the
time a player says to have taken is kept apart and never judged. A player's id is stored only as a hash.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import orjson
from sqlalchemy import Connection, func, insert, select

from engine.deals import Deal
from engine.endings import Ending
from engine.moves import MoveError, parse_move
from engine.replay import MAX_ENTRIES, Judgement, judge
from engine.variants import Scoring
from engine.words import counted, plural
from evaluation.db import Database, now
from evaluation.settings import Settings
from evaluation.stats import Interval, wilson
from evaluation.vetting.clock import ends
from evaluation.vetting.errors import ReplayRefusedError, TooManyError
from evaluation.vetting.publishing import Edition, served
from evaluation.vetting.tables import VetReplay

TOP = 20


@dataclass(frozen=True)
class Replay:
    """What a player sends. moves: text, undo and resign included. claims: won, score, moves, as far as said.
    deal: the deal that the sender says it is of, None where it does not say."""

    player: str
    moves: tuple[str, ...]
    claims: Mapping[str, Any]
    seconds: float | None = None
    deal: Deal | None = None
    id: str | None = None


@dataclass(frozen=True)
class Accepted:
    """A replay that counts. attempt: 1 for the player's first of this daily. late: its day was over."""

    calendar: str
    date: date
    edition: int
    attempt: int
    late: bool
    judgement: Judgement
    score: int | None
    seconds: float | None
    difficulty: str | None
    share: str

    @property
    def first(self) -> bool:
        return self.attempt == 1


def submit(db: Database, settings: Settings, calendar: str, day: date, replay: Replay) -> Accepted:
    """Judge a replay and keep it. Raises NotFoundError and WithdrawnError for the daily; ReplayRefusedError;
    TooManyError."""
    with db.read() as conn:
        edition = served(conn, calendar, day)
        _room(conn, edition, player_hash(calendar, replay.player), settings)
    judged = judged_replay(edition, replay, settings.replay_bound)
    with db.write() as conn:
        return _store(conn, edition, replay, judged, settings)


def player_hash(calendar: str, player: str) -> str:
    """What is kept of a player's id: the same id in two calendars cannot be told to be one player."""
    return hashlib.sha256(f"spidervet-player/1\n{calendar}\n{player}".encode()).hexdigest()[:32]


def judged_replay(edition: Edition, replay: Replay, bound: int) -> Judgement:
    """Play the moves on the frozen deal. Raises ReplayRefusedError naming the entry that fails."""
    deal = edition.deal
    _same_deal(edition, deal, replay)
    if len(replay.moves) > MAX_ENTRIES:
        raise ReplayRefusedError(f"{len(replay.moves)} entries; a replay has at most {MAX_ENTRIES}")
    judged = judge(deal.variant, deal, replay.moves, bound)
    if judged.fault is not None:
        fault = judged.fault
        raise ReplayRefusedError(
            f"entry {fault.number} ({fault.move}) is not allowed: {fault.reason}", fault.number, fault.shown
        )
    if judged.ending is Ending.UNFINISHED:
        raise ReplayRefusedError(
            f"the list ends after entry {len(replay.moves)} with the game still open: it is cut off, or wants"
            " a last entry resign",
            len(replay.moves) + 1,
        )
    _agrees(judged, deal, replay.claims, len(replay.moves))
    return judged


def _same_deal(edition: Edition, deal: Deal, replay: Replay) -> None:
    said = edition.content["id"]
    if replay.id is not None and replay.id != said:
        raise ReplayRefusedError(f"it is a replay of {replay.id[:120]}; this daily is {said}")
    sent = replay.deal
    if sent is None:
        return
    same_cards = (sent.columns, sent.face_down, sent.stock) == (deal.columns, deal.face_down, deal.stock)
    if not same_cards or sent.variant.key != deal.variant.key:
        what = "the cards are not this daily's" if not same_cards else "the rules are not this daily's"
        raise ReplayRefusedError(f"it is a replay of another deal: {what}")


def _agrees(judged: Judgement, deal: Deal, claims: Mapping[str, Any], entries: int) -> None:
    truth = {
        "won": judged.won,
        "moves": judged.moves,
        "undos": judged.undos,
        "sequences": judged.sequences,
        "score": score_of(judged, deal),
    }
    for name, claim in claims.items():
        if name in truth and claim is not None and claim != truth[name]:
            raise ReplayRefusedError(
                f"it claims {name} {_shown(claim)}, but its {counted(entries, 'entry', 'entries')}"
                f" {plural(entries, 'gives', 'give')} {_shown(truth[name])}",
                entries + 1,
            )


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def score_of(judged: Judgement, deal: Deal) -> int | None:
    """The points under the variant's own scoring."""
    return judged.scores.get(Scoring(deal.variant.scoring))


def _room(conn: Connection, edition: Edition, player: str, settings: Settings) -> int:
    sent: int = conn.execute(
        select(func.count()).select_from(VetReplay).where(*_of(edition), VetReplay.player == player)
    ).scalar_one()
    if sent >= settings.replay_attempts:
        raise TooManyError(
            f"this player has sent {counted(sent, 'replay')} of {edition.calendar} {edition.date};"
            f" {settings.replay_attempts} {plural(settings.replay_attempts, 'is', 'are')} allowed"
        )
    return sent


def _of(edition: Edition) -> tuple[Any, ...]:
    return (
        VetReplay.calendar == edition.calendar,
        VetReplay.day == edition.date.isoformat(),
        VetReplay.edition == edition.number,
    )


def _store(
    conn: Connection, edition: Edition, replay: Replay, judged: Judgement, settings: Settings
) -> Accepted:
    at = now(conn)
    player = player_hash(edition.calendar, replay.player)
    attempt = _room(conn, edition, player, settings) + 1
    late = at >= ends(edition.date)
    deal = edition.deal
    score = score_of(judged, deal)
    conn.execute(
        insert(VetReplay).values(
            calendar=edition.calendar,
            day=edition.date.isoformat(),
            edition=edition.number,
            player=player,
            attempt=attempt,
            late=late,
            received_at=at,
            won=judged.won,
            ending=judged.ending.value,
            moves=judged.moves,
            undos=judged.undos,
            sequences=judged.sequences,
            score=score,
            claimed_s=replay.seconds,
            entries=zlib.compress(orjson.dumps([str(parse_move(m)) for m in replay.moves]), 9),
        )
    )
    text = share_text(edition, judged, score)
    difficulty = edition.content["difficulty"]
    return Accepted(
        edition.calendar, edition.date, edition.number, attempt, late, judged, score, replay.seconds,
        difficulty, text,
    )  # fmt: skip


def share_text(edition: Edition, judged: Judgement, score: int | None) -> str:
    """A result to show around that says nothing about the deal: points, sequences, moves, undos."""
    content = edition.content
    total = edition.deal.variant.sequences
    label = f" ({content['difficulty']})" if content["difficulty"] else ""
    parts = [] if score is None else [f"{score} {plural(score, 'point')}"]
    parts += [
        f"{judged.sequences}/{counted(total, 'sequence')}",
        counted(judged.moves, "move"),
        counted(judged.undos, "undo"),
    ]
    bar = "■" * judged.sequences + "□" * (total - judged.sequences)
    head = f"{content['title']} {content['date']}{label}"
    return "\n".join([head, f"{bar} {'won' if judged.won else 'not won'}", " · ".join(parts)])


@dataclass(frozen=True)
class Line:
    """One place in the daily table."""

    place: int
    player: str
    won: bool
    score: int | None
    sequences: int
    moves: int
    undos: int


@dataclass(frozen=True)
class Table:
    """A daily's results: first attempts that came in on the day; the others are only counted.

    players: first attempts. top: the best of them, by win, score, sequences, fewer moves, earlier arrival.
    """

    players: int
    wins: int
    interval: Interval
    later_attempts: int
    late: int
    late_wins: int
    top: tuple[Line, ...]

    @property
    def win_rate(self) -> float | None:
        return self.wins / self.players if self.players else None


def results(conn: Connection, edition: Edition, top: int = TOP) -> Table:
    """The table of an edition."""
    firsts = (*_of(edition), VetReplay.late.is_(False), VetReplay.attempt == 1)
    players, wins = _count(conn, firsts)
    late, late_wins = _count(conn, (*_of(edition), VetReplay.late.is_(True)))
    again, _ = _count(conn, (*_of(edition), VetReplay.late.is_(False), VetReplay.attempt > 1))
    rows = conn.execute(
        select(VetReplay.__table__)
        .where(*firsts)
        .order_by(
            VetReplay.won.desc(),
            func.coalesce(VetReplay.score, 0).desc(),
            VetReplay.sequences.desc(),
            VetReplay.moves,
            VetReplay.id,
        )
        .limit(top)
    )
    lines = tuple(
        Line(i, r.player[:8], r.won, r.score, r.sequences, r.moves, r.undos) for i, r in enumerate(rows, 1)
    )
    return Table(players, wins, wilson(wins, players), again, late, late_wins, lines)


def _count(conn: Connection, where: Sequence[Any]) -> tuple[int, int]:
    row = conn.execute(
        select(func.count(), func.count().filter(VetReplay.won.is_(True)))
        .select_from(VetReplay)
        .where(*where)
    ).one()
    return int(row[0]), int(row[1])


def checked_moves(moves: Sequence[str]) -> tuple[str, ...]:
    """The moves, each of them text that is one. Raises ReplayRefusedError naming the first that is none."""
    for number, text in enumerate(moves, 1):
        try:
            parse_move(text)
        except MoveError as error:
            raise ReplayRefusedError(f"entry {number}: {error}", number) from error
    return tuple(moves)
