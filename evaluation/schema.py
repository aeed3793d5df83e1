"""The ledger's tables. SQL is the truth; the broker only carries hints.

A **unit** is one row to be: one deal, one repeat, one arm. Units of an arm are numbered by
``ordinal = deal_index * repeats + repeat``. A chunk is a range of ordinals of one arm. Times are
seconds since 1970 UTC by the database's clock. Job counters are in units and are changed only in
the transaction that changes the chunk they count.
"""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    false,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

# SQLite numbers rows by itself only in an INTEGER primary key; autoincrement keeps a deleted id from
# coming back while a worker or a message still knows the old one.
RowId = BigInteger().with_variant(Integer, "sqlite")


class JobState(StrEnum):
    """What a job is doing; DESIGN.md's list."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    COMPLETED_WITH_ERRORS = "completed_with_errors"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Nothing more happens to the job unless someone asks for it."""
        return self not in (JobState.QUEUED, JobState.RUNNING, JobState.CANCELLING)


class ChunkState(StrEnum):
    """Where a chunk is. A chunk is `failed` only when it is one deal and that deal was set aside."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING)


class Job(Base):
    """One request. pending = total - leased - done - failed - cancelled."""

    __tablename__ = "jobs"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    owner: Mapped[str | None] = mapped_column(String(100))
    kind: Mapped[str] = mapped_column(String(20), default="evaluation")
    spec: Mapped[bytes] = mapped_column(LargeBinary)
    spec_hash: Mapped[str] = mapped_column(String(64))
    engine: Mapped[str] = mapped_column(String(80))
    state: Mapped[str] = mapped_column(String(24))
    queue: Mapped[str] = mapped_column(String(20))
    sequential: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    revision: Mapped[int] = mapped_column(BigInteger, default=0)
    total: Mapped[int] = mapped_column(BigInteger)
    leased: Mapped[int] = mapped_column(BigInteger, default=0)
    done: Mapped[int] = mapped_column(BigInteger, default=0)
    failed: Mapped[int] = mapped_column(BigInteger, default=0)
    cancelled: Mapped[int] = mapped_column(BigInteger, default=0)
    note: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[float] = mapped_column(Double)
    running_at: Mapped[float | None] = mapped_column(Double)
    cancelling_at: Mapped[float | None] = mapped_column(Double)
    finished_at: Mapped[float | None] = mapped_column(Double)

    __table_args__ = (Index("ix_jobs_state_created", "state", "created_at"),)


class Arm(Base):
    """One variant with one evaluator. `tally` is `evaluation.tally.Tally` as JSON.

    cut: units cut into chunks so far. looks, pair_looks: what `ledger.stops` has counted. stop_at: ordinal
    before which the arm was ended early; rows from there on are not kept.
    """

    __tablename__ = "arms"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"), index=True)
    number: Mapped[int] = mapped_column(Integer)
    variant: Mapped[str] = mapped_column(String(100))
    variant_key: Mapped[str] = mapped_column(String(16))
    variant_record: Mapped[str] = mapped_column(Text)
    evaluator: Mapped[str] = mapped_column(String(200))
    evaluator_json: Mapped[str] = mapped_column(Text)
    total: Mapped[int] = mapped_column(BigInteger)
    cut: Mapped[int] = mapped_column(BigInteger, default=0)
    done: Mapped[int] = mapped_column(BigInteger, default=0)
    tally: Mapped[bytes] = mapped_column(LargeBinary)
    looks: Mapped[str] = mapped_column(Text, default="", server_default="")
    pair_looks: Mapped[str] = mapped_column(Text, default="", server_default="")
    stop_at: Mapped[int | None] = mapped_column(BigInteger)
    stop_note: Mapped[str] = mapped_column(Text, default="")

    __table_args__ = ({"sqlite_autoincrement": True},)


class Chunk(Base):
    """Ordinals start … start + size - 1 of an arm, with the lease of whoever is at work on it.

    lease: number of the newest claim; only its holder may finish. failures: leases lost so far.
    """

    __tablename__ = "chunks"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"))
    arm_id: Mapped[int] = mapped_column(ForeignKey("arms.id"))
    start: Mapped[int] = mapped_column(BigInteger)
    size: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(String(12))
    queue: Mapped[str] = mapped_column(String(20))
    lease: Mapped[int] = mapped_column(Integer, default=0)
    failures: Mapped[int] = mapped_column(Integer, default=0)
    worker: Mapped[str | None] = mapped_column(String(120))
    sent_at: Mapped[float | None] = mapped_column(Double)
    leased_at: Mapped[float | None] = mapped_column(Double)
    lease_until: Mapped[float | None] = mapped_column(Double)
    progress: Mapped[int] = mapped_column(Integer, default=0)
    nodes: Mapped[int] = mapped_column(BigInteger, default=0)
    finished_at: Mapped[float | None] = mapped_column(Double)
    seconds: Mapped[float | None] = mapped_column(Double)
    error: Mapped[str] = mapped_column(Text, default="")

    __table_args__ = (
        Index("ix_chunks_job_state", "job_id", "state"),
        Index("ix_chunks_arm_start", "arm_id", "start"),
        Index("ix_chunks_state_sent", "state", "sent_at"),
        {"sqlite_autoincrement": True},
    )


class Result(Base):
    """One unit's outcome. Columns that do not apply to the evaluator are null.

    arm_id is no foreign key: PostgreSQL would look the arm up for each row, a third of what a row costs it.
    That no row is left without its arm is seen to where rows are stored and deleted (`finish`, `delete_job`),
    both by the job's row, and `db check` looks for such rows.
    """

    __tablename__ = "results"

    arm_id: Mapped[int] = mapped_column(RowId, primary_key=True, autoincrement=False)
    ordinal: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    seed: Mapped[str] = mapped_column(String(80))
    outcome: Mapped[str] = mapped_column(String(16))
    won: Mapped[bool | None] = mapped_column(Boolean)
    moves: Mapped[int | None] = mapped_column(Integer)
    stock_deals: Mapped[int | None] = mapped_column(Integer)
    sequences: Mapped[int | None] = mapped_column(Integer)
    scores: Mapped[str | None] = mapped_column(Text)
    verdict: Mapped[str | None] = mapped_column(String(12))
    reason: Mapped[str | None] = mapped_column(Text)
    length: Mapped[int | None] = mapped_column(Integer)
    nodes: Mapped[int | None] = mapped_column(BigInteger)
    certificate: Mapped[str | None] = mapped_column(Text)
    seconds: Mapped[float] = mapped_column(Double, default=0.0)

    __table_args__ = (
        Index("ix_results_arm_outcome", "arm_id", "outcome", "ordinal"),
        # of searched deals only: players' rows, which are most, pay nothing for it
        Index(
            "ix_results_arm_nodes",
            "arm_id",
            "nodes",
            "ordinal",
            sqlite_where=text("verdict IS NOT NULL"),
            postgresql_where=text("verdict IS NOT NULL"),
        ),
    )


class Solution(Base):
    """The line of a solved unit: move codes of 16 bits, little endian, compressed with zlib."""

    __tablename__ = "solutions"

    arm_id: Mapped[int] = mapped_column(ForeignKey("arms.id"), primary_key=True, autoincrement=False)
    ordinal: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    line: Mapped[bytes] = mapped_column(LargeBinary)


class Event(Base):
    """What the event stream of a job tells besides progress: states and log lines."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"))
    at: Mapped[float] = mapped_column(Double)
    kind: Mapped[str] = mapped_column(String(12))
    data: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index("ix_events_job_id_id", "job_id", "id"), {"sqlite_autoincrement": True})


class IdempotencyKey(Base):
    """A key that a client sent with a job, and the job that it made."""

    __tablename__ = "idempotency_keys"

    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    body_hash: Mapped[str] = mapped_column(String(64))
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"), index=True)
    created_at: Mapped[float] = mapped_column(Double)


class Worker(Base):
    """A worker host process as it last reported."""

    __tablename__ = "workers"

    id: Mapped[str] = mapped_column(String(120), primary_key=True)
    host: Mapped[str] = mapped_column(String(100))
    pid: Mapped[int] = mapped_column(Integer)
    engine: Mapped[str] = mapped_column(String(80))
    concurrency: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(String(12))
    started_at: Mapped[float] = mapped_column(Double)
    seen_at: Mapped[float] = mapped_column(Double)
    chunks_done: Mapped[int] = mapped_column(BigInteger, default=0)
    units_done: Mapped[int] = mapped_column(BigInteger, default=0)
    busy_s: Mapped[float] = mapped_column(Double, default=0.0)
    note: Mapped[str] = mapped_column(Text, default="")


class Cost(Base):
    """Measured seconds a unit of one evaluator on one variant; what chunks are cut by."""

    __tablename__ = "costs"

    variant_key: Mapped[str] = mapped_column(String(16), primary_key=True)
    evaluator: Mapped[str] = mapped_column(String(200), primary_key=True)
    unit_s: Mapped[float] = mapped_column(Double)
    units: Mapped[int] = mapped_column(BigInteger)


class Total(Base):
    """Ever-growing sums behind /metrics. They outlive the jobs they came from, so counters never fall."""

    __tablename__ = "totals"

    metric: Mapped[str] = mapped_column(String(60), primary_key=True)
    labels: Mapped[str] = mapped_column(String(255), primary_key=True)
    value: Mapped[bytes] = mapped_column(LargeBinary)


class Lock(Base):
    """A named lock with an end, e.g. of the one dispatcher at work."""

    __tablename__ = "locks"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    holder: Mapped[str] = mapped_column(String(120))
    until: Mapped[float] = mapped_column(Double)
