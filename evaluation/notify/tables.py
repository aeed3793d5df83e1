"""The table of completion messages: one for each job that asks for it."""

from __future__ import annotations

from sqlalchemy import Double, ForeignKey, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from evaluation.schema import Base


class Notification(Base):
    """state: waiting, delivered, given_up. next_at: not before this time."""

    __tablename__ = "notifications"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    url: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(12))
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    next_at: Mapped[float] = mapped_column(Double, default=0.0)
    error: Mapped[str] = mapped_column(Text, default="")

    __table_args__ = (Index("ix_notifications_state_next_at", "state", "next_at"),)
