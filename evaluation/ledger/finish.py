"""Storing a chunk's rows, sums and state in one transaction: done twice, it counts once."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from sys import byteorder
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from evaluation import costs
from evaluation.db import Database, now
from evaluation.ledger.claim import Lease
from evaluation.ledger.states import settle
from evaluation.ledger.store import store_lines, store_rows
from evaluation.metrics import add_chunk
from evaluation.rows import Row
from evaluation.schema import Arm, Chunk, ChunkState, Job, JobState, Worker
from evaluation.tally import Tally


class LostLeaseError(Exception):
    """Somebody else may have the chunk by now; nothing was stored."""


@dataclass(frozen=True)
class Finished:
    """What was stored. handed_back: units that went back to the queue or were cancelled."""

    rows: int
    handed_back: int


def pack_line(moves: Sequence[int]) -> bytes:
    """Move codes as little-endian 16-bit numbers, compressed."""
    codes = array("H", moves)
    if byteorder == "big":
        codes.byteswap()
    return zlib.compress(codes.tobytes(), 9)


def unpack_line(line: bytes) -> tuple[int, ...]:
    """Undo `pack_line`."""
    codes = array("H")
    codes.frombytes(zlib.decompress(line))
    if byteorder == "big":
        codes.byteswap()
    return tuple(codes)


class _StoppedError(Exception):
    """The arm ended before this chunk."""


def finish(db: Database, lease: Lease, rows: Sequence[Row | None], seconds: float, worker: str) -> Finished:
    """Store the rows up to the first None; what is left goes back, or is cancelled with its job.

    seconds: wall time of the whole call. Raises LostLeaseError, and then nothing was stored.
    """
    kept = _prefix(rows)
    try:
        return _finish(db, lease, kept, seconds, worker)
    except _StoppedError:
        return _finish(db, lease, [], seconds, worker)  # the arm's rows from here on do not count
    except IntegrityError as error:
        raise LostLeaseError(f"chunk {lease.chunk_id}: another worker stored these rows") from error


def _finish(db: Database, lease: Lease, kept: list[Row], seconds: float, worker: str) -> Finished:
    """One transaction. The rows go in before the job's row is held: inserting them takes most of the time,
    and on PostgreSQL every worker of a job would wait for it."""
    rest = lease.size - len(kept)
    tally = Tally.of(kept)
    with db.write() as conn:
        if kept:
            _refuse_early(conn, lease)
            _store_rows(conn, lease, kept)
        at = now(conn)
        job = conn.execute(
            update(Job)
            .where(Job.id == lease.job_id)
            .values(leased=Job.leased - lease.size, done=Job.done + len(kept), revision=Job.revision + 1)
            .returning(Job.state)
        ).one_or_none()
        stopped = conn.execute(select(Arm.stop_at).where(Arm.id == lease.arm_id)).scalar_one_or_none()
        if stopped is not None and kept:
            raise _StoppedError
        if job is None or not _close_chunk(conn, lease, len(kept), seconds, at):
            raise LostLeaseError(f"chunk {lease.chunk_id}, lease {lease.number}")
        if rest:
            closed = job.state == JobState.CANCELLING or stopped is not None
            _hand_back(conn, lease, len(kept), rest, closed)
        if kept:
            _add_sums(conn, lease, tally, seconds, worker, db.sqlite)
        settle(conn, lease.job_id, at)
    return Finished(len(kept), rest)


def _refuse_early(conn: Connection, lease: Lease) -> None:
    """Spare the inserts of a chunk that is no longer ours; holds nothing, so it is asked again later."""
    held = conn.execute(
        select(Arm.stop_at)
        .join(Chunk, Chunk.arm_id == Arm.id)
        .where(Chunk.id == lease.chunk_id, Chunk.state == ChunkState.LEASED, Chunk.lease == lease.number)
    ).one_or_none()
    if held is None:
        raise LostLeaseError(f"chunk {lease.chunk_id}, lease {lease.number}")
    if held.stop_at is not None:
        raise _StoppedError


def _prefix(rows: Sequence[Row | None]) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        if row is None:
            break
        kept.append(row)
    return kept


def _close_chunk(conn: Connection, lease: Lease, kept: int, seconds: float, at: float) -> bool:
    """Compare-and-set from leased to done (or, with nothing kept, leave it to `_hand_back`)."""
    values: dict[str, Any] = {"lease_until": None, "progress": kept}
    if kept:
        values |= {
            "state": ChunkState.DONE.value,
            "size": kept,
            "seconds": seconds,
            "finished_at": at,
            "error": "",
        }
    closed = conn.execute(
        update(Chunk)
        .where(Chunk.id == lease.chunk_id, Chunk.state == ChunkState.LEASED, Chunk.lease == lease.number)
        .values(values)
        .returning(Chunk.id)
    )
    return len(closed.all()) == 1


def _hand_back(conn: Connection, lease: Lease, kept: int, rest: int, closed: bool) -> None:
    state = ChunkState.CANCELLED if closed else ChunkState.PENDING
    if closed:
        conn.execute(update(Job).where(Job.id == lease.job_id).values(cancelled=Job.cancelled + rest))
    if not kept:
        again = {"state": state.value, "worker": None, "sent_at": None}
        conn.execute(update(Chunk).where(Chunk.id == lease.chunk_id).values(again))
        return
    old = conn.execute(select(Chunk.queue, Chunk.failures).where(Chunk.id == lease.chunk_id)).one()
    conn.execute(
        insert(Chunk).values(
            job_id=lease.job_id,
            arm_id=lease.arm_id,
            start=lease.start + kept,
            size=rest,
            state=state.value,
            queue=old.queue,
        )
    )


def _store_rows(conn: Connection, lease: Lease, rows: list[Row]) -> None:
    store_rows(conn, lease.arm_id, rows)
    store_lines(conn, lease.arm_id, [(row.ordinal, pack_line(row.line)) for row in rows if row.line])


def _add_sums(
    conn: Connection, lease: Lease, tally: Tally, seconds: float, worker: str, sqlite: bool
) -> None:
    arm = add_to_arm(conn, lease.arm_id, tally)
    costs.record(conn, arm.variant_key, arm.evaluator, tally.rows, seconds, sqlite)
    add_chunk(conn, arm.variant, arm.evaluator, tally, seconds, sqlite)
    host = worker.rpartition("/")[0] or worker
    conn.execute(
        update(Worker)
        .where(Worker.id == host)
        .values(
            chunks_done=Worker.chunks_done + 1,
            units_done=Worker.units_done + tally.rows,
            busy_s=Worker.busy_s + seconds,
        )
    )


@dataclass(frozen=True)
class ArmNames:
    variant: str
    variant_key: str
    evaluator: str


def add_to_arm(conn: Connection, arm_id: int, tally: Tally) -> ArmNames:
    """Add to an arm's running sums, holding its row."""
    arm = conn.execute(
        select(Arm.tally, Arm.variant, Arm.variant_key, Arm.evaluator)
        .where(Arm.id == arm_id)
        .with_for_update(key_share=True)
    ).one()
    total = Tally.from_bytes(arm.tally)
    total.merge(tally)
    conn.execute(update(Arm).where(Arm.id == arm_id).values(tally=total.to_bytes(), done=total.rows))
    return ArmNames(arm.variant, arm.variant_key, arm.evaluator)
