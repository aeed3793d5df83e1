"""Bearer tokens: made once, shown once, kept hashed.

A token is ``svt_ID_SECRET``: the id finds the row, the secret is 256 random bits. Hashing such a secret
with one round of SHA-256 is enough (there is nothing to guess); it is compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from evaluation.access.roles import NO_LIMITS, Identity, Limits, Role
from evaluation.access.tables import Session, Token
from evaluation.db import Database, now

PREFIX = "svt"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,99}")
SEEN_EVERY_S = 600.0
"""A token's time of last use is written at most this often."""


class TokenError(ValueError):
    """A token cannot be made or found."""


@dataclass(frozen=True)
class TokenView:
    """A token as lists show it, without anything secret. Times in seconds since 1970."""

    id: str
    name: str
    role: Role
    limits: Limits
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    used_at: float | None
    read_at: float

    @property
    def state(self) -> str:
        """``active``, ``revoked`` or ``expired``."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= self.read_at else "active"


def digest(text: str) -> str:
    """SHA-256 of a secret, as hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def create_token(
    db: Database, name: str, role: Role, *, days: float | None = None, limits: Limits = NO_LIMITS
) -> str:
    """Make a token and return its text, which is shown nowhere again. Raises TokenError."""
    if not NAME.fullmatch(name):
        raise TokenError(f"name {name!r}: letters, digits, spaces and . _ @ - only, at most 100")
    token_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    text = f"{PREFIX}_{token_id}_{secret}"
    with db.write() as conn:
        at = now(conn)
        values: dict[str, Any] = {
            "id": token_id,
            "name": name,
            "role": role.value,
            "hash": digest(text),
            "created_at": at,
            "expires_at": None if days is None else at + days * 86_400,
            **vars(limits),
        }
        maker = sqlite_insert if db.sqlite else pg_insert
        made = conn.execute(maker(Token).values(values).on_conflict_do_nothing().returning(Token.id)).all()
    if not made:
        raise TokenError(f"there is a token named {name!r} already; jobs carry names, so each is used once")
    return text


def list_tokens(db: Database) -> list[TokenView]:
    """Every token, oldest first."""
    with db.read() as conn:
        at = now(conn)
        rows = conn.execute(select(Token.__table__).order_by(Token.created_at, Token.id)).all()
    return [
        TokenView(
            r.id, r.name, Role(r.role), _limits(r), r.created_at, r.expires_at, r.revoked_at, r.used_at, at
        )
        for r in rows
    ]


def revoke_token(db: Database, wanted: str) -> TokenView:
    """End a token, by id or name, and every browser session that it opened. Raises TokenError."""
    with db.write() as conn:
        found = conn.execute(
            select(Token.id).where((Token.id == wanted) | (Token.name == wanted))
        ).scalar_one_or_none()
        if found is None:
            raise TokenError(f"there is no token {wanted!r}")
        conn.execute(
            update(Token).where(Token.id == found, Token.revoked_at.is_(None)).values(revoked_at=now(conn))
        )
        conn.execute(Session.__table__.delete().where(Session.token_id == found))  # type: ignore[attr-defined]
    return next(t for t in list_tokens(db) if t.id == found)


def any_tokens(db: Database) -> bool:
    """Whether a token was ever made: from then on nobody is let in without one, revoked or not."""
    with db.read() as conn:
        return bool(conn.execute(select(func.count()).select_from(Token)).scalar_one())


def identify(db: Database, text: str) -> Identity | None:
    """Whose token this is; None for one that is unknown, revoked or expired."""
    parts = text.split("_", 2)
    if len(parts) != 3 or parts[0] != PREFIX:
        return None
    with db.read() as conn:
        at = now(conn)
        row = conn.execute(select(Token.__table__).where(Token.id == parts[1])).one_or_none()
    if row is None or not hmac.compare_digest(row.hash, digest(text)) or not is_active(row, at):
        return None
    if row.used_at is None or row.used_at < at - SEEN_EVERY_S:
        with db.write() as conn:
            conn.execute(update(Token).where(Token.id == row.id).values(used_at=now(conn)))
    return identity_of(row)


def is_active(row: Any, at: float) -> bool:
    """Whether a row of tokens still opens anything."""
    return row.revoked_at is None and (row.expires_at is None or row.expires_at > at)


def identity_of(row: Any) -> Identity:
    """The identity that a row of tokens stands for."""
    return Identity(row.name, Role(row.role), row.id, _limits(row))


def _limits(row: Any) -> Limits:
    return Limits(row.open_jobs, row.seeds, row.nodes, row.rate)


def hold_token(conn: Connection, token_id: str) -> None:
    """Hold a token's row until the transaction ends, so that two requests cannot both take its last place."""
    conn.execute(select(Token.id).where(Token.id == token_id).with_for_update())
