"""Vetting's tables. Dates are text ``2026-12-01``, times seconds since 1970 UTC, secrets wrapped (`signing`).

A candidate belongs to a date of a calendar; what is known of it grows while it is worked on, so that a
killed worker loses a batch of games at most. An edition is what was published: its bytes never change.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Double, ForeignKey, Index, Integer, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from evaluation.schema import Base, RowId


class VetCalendar(Base):
    """A calendar as it is now. spec: `calendars.CalendarSpec` as JSON. revision: its ETag."""

    __tablename__ = "vet_calendars"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    revision: Mapped[int] = mapped_column(Integer)
    spec: Mapped[str] = mapped_column(Text)
    key_version: Mapped[int] = mapped_column(Integer, default=1)
    created_at: Mapped[float] = mapped_column(Double)
    updated_at: Mapped[float] = mapped_column(Double)


class VetHistory(Base):
    """Every version of a calendar."""

    __tablename__ = "vet_history"

    calendar: Mapped[str] = mapped_column(ForeignKey("vet_calendars.name"), primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    spec: Mapped[str] = mapped_column(Text)
    at: Mapped[float] = mapped_column(Double)
    by: Mapped[str] = mapped_column(String(100))


class VetMasterKey(Base):
    """A calendar's master keys: one in use, and retired ones, which may be shown."""

    __tablename__ = "vet_master_keys"

    calendar: Mapped[str] = mapped_column(ForeignKey("vet_calendars.name"), primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    wrapped: Mapped[bytes] = mapped_column(LargeBinary)
    commitment: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[float] = mapped_column(Double)
    retired_at: Mapped[float | None] = mapped_column(Double)


class VetSigningKey(Base):
    """Ed25519 keys. id: first 16 hex digits of the SHA-256 of the public key."""

    __tablename__ = "vet_signing_keys"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    public: Mapped[bytes] = mapped_column(LargeBinary)
    wrapped: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[float] = mapped_column(Double)
    retired_at: Mapped[float | None] = mapped_column(Double)


class VetRun(Base):
    """What a vetting job works on: `runs.RunPlan` as JSON."""

    __tablename__ = "vet_runs"

    job_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    calendar: Mapped[str] = mapped_column(String(40), index=True)
    plan: Mapped[str] = mapped_column(Text)


class VetCandidate(Base):
    """One deal looked at for a date. source: ``derived`` or ``own``. state: `candidates.State`.

    wanted: what it was judged against (hash); a candidate judged against something else is judged anew.
    line: move codes as in `ledger.finish.pack_line`. tally, rating, reasons, words: JSON.
    """

    __tablename__ = "vet_candidates"

    calendar: Mapped[str] = mapped_column(String(40), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    source: Mapped[str] = mapped_column(String(8), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    identity: Mapped[str] = mapped_column(String(250))
    deal: Mapped[str] = mapped_column(Text)
    wanted: Mapped[str] = mapped_column(String(64))
    engine: Mapped[str] = mapped_column(String(80))
    state: Mapped[str] = mapped_column(String(10))
    verdict: Mapped[str | None] = mapped_column(String(12))
    reason: Mapped[str | None] = mapped_column(String(12))
    nodes: Mapped[int | None] = mapped_column(BigInteger)
    line: Mapped[bytes | None] = mapped_column(LargeBinary)
    par: Mapped[int | None] = mapped_column(Integer)
    tally: Mapped[str] = mapped_column(Text)
    rating: Mapped[str | None] = mapped_column(Text)
    reasons: Mapped[str] = mapped_column(Text, default="[]")
    words: Mapped[str] = mapped_column(Text, default="[]")
    misfit: Mapped[float] = mapped_column(Double, default=0.0)
    seconds: Mapped[float] = mapped_column(Double, default=0.0)


class VetDay(Base):
    """A date of a calendar on its editorial way.

    revision: its ETag. candidate_day, source, number: the candidate it holds, another date's after a swap.
    """

    __tablename__ = "vet_days"

    calendar: Mapped[str] = mapped_column(ForeignKey("vet_calendars.name"), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    revision: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(String(10))
    source: Mapped[str | None] = mapped_column(String(8))
    number: Mapped[int | None] = mapped_column(Integer)
    candidate_day: Mapped[str | None] = mapped_column(String(10))
    origin: Mapped[str | None] = mapped_column(String(10))
    note: Mapped[str] = mapped_column(Text, default="")
    by: Mapped[str] = mapped_column(String(100))
    at: Mapped[float] = mapped_column(Double)
    edition: Mapped[int] = mapped_column(Integer, default=0)
    job_id: Mapped[str | None] = mapped_column(String(36))


class VetEdition(Base):
    """What was published for a date: the exact bytes, their signature, and whether it was taken back."""

    __tablename__ = "vet_editions"

    calendar: Mapped[str] = mapped_column(String(40), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    edition: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    document: Mapped[bytes] = mapped_column(LargeBinary)
    signature: Mapped[bytes] = mapped_column(LargeBinary)
    key_id: Mapped[str] = mapped_column(ForeignKey("vet_signing_keys.id"))
    key_version: Mapped[int] = mapped_column(Integer)
    evidence: Mapped[str] = mapped_column(Text)
    b: Mapped[float | None] = mapped_column(Double)
    published_at: Mapped[float] = mapped_column(Double)
    by: Mapped[str] = mapped_column(String(100))
    withdrawn_at: Mapped[float | None] = mapped_column(Double)
    reason_withdrawn: Mapped[str] = mapped_column(Text, default="")


class VetReplay(Base):
    """A player's judged replay of an edition. player: a hash of the id that the site sent (`replays`)."""

    __tablename__ = "vet_replays"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    calendar: Mapped[str] = mapped_column(String(40))
    day: Mapped[str] = mapped_column(String(10))
    edition: Mapped[int] = mapped_column(Integer)
    player: Mapped[str] = mapped_column(String(32))
    attempt: Mapped[int] = mapped_column(Integer)
    late: Mapped[bool] = mapped_column(Boolean)
    received_at: Mapped[float] = mapped_column(Double)
    won: Mapped[bool] = mapped_column(Boolean)
    ending: Mapped[str] = mapped_column(String(16))
    moves: Mapped[int] = mapped_column(Integer)
    undos: Mapped[int] = mapped_column(Integer)
    sequences: Mapped[int] = mapped_column(Integer)
    score: Mapped[int | None] = mapped_column(Integer)
    claimed_s: Mapped[float | None] = mapped_column(Double)
    entries: Mapped[bytes] = mapped_column(LargeBinary)

    __table_args__ = (
        Index("ix_vet_replays_day", "calendar", "day", "edition", "late"),
        Index("uq_vet_replays_attempt", "calendar", "day", "edition", "player", "attempt", unique=True),
        {"sqlite_autoincrement": True},
    )


class VetScale(Base):
    """Scales made or refitted here; the newest of a variant goes before the shipped one."""

    __tablename__ = "vet_scales"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    variant_key: Mapped[str] = mapped_column(String(16), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    scale: Mapped[str] = mapped_column(Text)
    at: Mapped[float] = mapped_column(Double)
    by: Mapped[str] = mapped_column(String(100))

    __table_args__ = ({"sqlite_autoincrement": True},)


class VetAudit(Base):
    """Who did what. Only ever added to."""

    __tablename__ = "vet_audit"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    at: Mapped[float] = mapped_column(Double)
    by: Mapped[str] = mapped_column(String(100))
    calendar: Mapped[str] = mapped_column(String(40))
    day: Mapped[str | None] = mapped_column(String(10))
    action: Mapped[str] = mapped_column(String(24))
    detail: Mapped[str] = mapped_column(Text)

    __table_args__ = (
        Index("ix_vet_audit_calendar_id", "calendar", "id"),
        {"sqlite_autoincrement": True},
    )
