"""Browser sessions: a random cookie value, kept hashed, that stands for a token until it ends."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from sqlalchemy import delete, insert, select

from evaluation.access.roles import Identity
from evaluation.access.tables import Session, Token
from evaluation.access.tokens import digest, identity_of, is_active
from evaluation.db import Database, now


def open_session(db: Database, identity: Identity, hours: float) -> str:
    """A new session of a token's holder; returns the cookie's value. Ended sessions are cleared away."""
    cookie = secrets.token_urlsafe(32)
    with db.write() as conn:
        at = now(conn)
        conn.execute(delete(Session).where(Session.expires_at <= at))
        conn.execute(
            insert(Session).values(
                hash=digest(cookie),
                token_id=identity.token_id,
                created_at=at,
                expires_at=at + hours * 3600,
            )
        )
    return cookie


def close_session(db: Database, cookie: str) -> None:
    """End a session."""
    with db.write() as conn:
        conn.execute(delete(Session).where(Session.hash == digest(cookie)))


def identify_session(db: Database, cookie: str) -> Identity | None:
    """Whose session a cookie is; None once it or its token has ended."""
    with db.read() as conn:
        at = now(conn)
        row = conn.execute(
            select(Token.__table__, Session.expires_at.label("session_ends"))
            .join(Session, Session.token_id == Token.id)
            .where(Session.hash == digest(cookie))
        ).one_or_none()
    if row is None or row.session_ends <= at or not is_active(row, at):
        return None
    return identity_of(row)


def csrf_of(cookie: str) -> str:
    """The token that forms carry after a login: whoever cannot read the cookie cannot make it."""
    return hmac.new(cookie.encode(), b"spidervet csrf", hashlib.sha256).hexdigest()
