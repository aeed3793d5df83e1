"""Tables of tokens and browser sessions. Secrets are kept only as SHA-256 of random text of 256 bits."""

from __future__ import annotations

from sqlalchemy import BigInteger, Double, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from evaluation.schema import Base


class Token(Base):
    """A token; `id` is its public part. A name is never used again, since jobs carry it as owner."""

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    role: Mapped[str] = mapped_column(String(12))
    hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float | None] = mapped_column(Double)
    revoked_at: Mapped[float | None] = mapped_column(Double)
    used_at: Mapped[float | None] = mapped_column(Double)
    open_jobs: Mapped[int | None] = mapped_column(Integer)
    seeds: Mapped[int | None] = mapped_column(BigInteger)
    nodes: Mapped[int | None] = mapped_column(BigInteger)
    rate: Mapped[int | None] = mapped_column(Integer)


class Session(Base):
    """A browser that signed in with a token; `hash` is of the cookie's value."""

    __tablename__ = "sessions"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"), index=True)
    created_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float] = mapped_column(Double, index=True)
