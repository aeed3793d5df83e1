"""Storing a chunk's rows, sums and state in one transaction: done twice, it counts once."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from sys import byteorder
from typing import Any

import orjson
from sqlalchemy import Connection, insert, select, update

from evaluation import costs
from evaluation.db import Database, now
from evaluation.ledger.claim import Lease
from evaluation.ledger.states import settle
from evaluation.metrics import add_chunk
from evaluation.rows import Row
from evaluation.schema import Arm, Chunk, ChunkState, Job, JobState, Result, Solution, Worker
from evaluation.tally import Tally

INSERT_AT_ONCE = 2_000


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


def finish(db: Database, lease: Lease, rows: Sequence[Row | None], seconds: float, worker: str) -> Finished:
    """Store the rows up to the first None; what is left goes back, or is cancelled with its job.

    seconds: wall time of the whole call. Raises LostLeaseError, and then nothing was stored.
    """
    kept = _prefix(rows)
    rest = lease.size - len(kept)
    with db.write() as conn:
        at = now(conn)
        job = conn.execute(
            update(Job)
            .where(Job.id == lease.job_id)
            .values(leased=Job.leased - lease.size, revision=Job.revision + 1)
            .returning(Job.state)
        ).one_or_none()
        stopped = conn.execute(select(Arm.stop_at).where(Arm.id == lease.arm_id)).scalar_one_or_none()
        if stopped is not None:
            kept, rest = [], lease.size  # the arm ended before this chunk: its rows do not count
        if job is None or not _close_chunk(conn, lease, len(kept), seconds, at):
            raise LostLeaseError(f"chunk {lease.chunk_id}, lease {lease.number}")
        if rest:
            closed = job.state == JobState.CANCELLING or stopped is not None
            _hand_back(conn, lease, len(kept), rest, closed)
        if kept:
            conn.execute(update(Job).where(Job.id == lease.job_id).values(done=Job.done + len(kept)))
            _store(conn, lease, kept, seconds, worker, db.sqlite)
        settle(conn, lease.job_id, at)
    return Finished(len(kept), rest)


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


def _store(
    conn: Connection, lease: Lease, rows: list[Row], seconds: float, worker: str, sqlite: bool
) -> None:
    for i in range(0, len(rows), INSERT_AT_ONCE):
        conn.execute(insert(Result), [_result(lease.arm_id, row) for row in rows[i : i + INSERT_AT_ONCE]])
    lines = [
        {"arm_id": lease.arm_id, "ordinal": row.ordinal, "line": pack_line(row.line)}
        for row in rows
        if row.line
    ]
    if lines:
        conn.execute(insert(Solution), lines)
    tally = Tally.of(rows)
    arm = add_to_arm(conn, lease.arm_id, tally)
    costs.record(conn, arm.variant_key, arm.evaluator, len(rows), seconds, sqlite)
    add_chunk(conn, arm.variant, arm.evaluator, tally, seconds, sqlite)
    host = worker.rpartition("/")[0] or worker
    conn.execute(
        update(Worker)
        .where(Worker.id == host)
        .values(
            chunks_done=Worker.chunks_done + 1,
            units_done=Worker.units_done + len(rows),
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
        .with_for_update()
    ).one()
    total = Tally.from_bytes(arm.tally)
    total.merge(tally)
    conn.execute(update(Arm).where(Arm.id == arm_id).values(tally=total.to_bytes(), done=total.rows))
    return ArmNames(arm.variant, arm.variant_key, arm.evaluator)


def _result(arm_id: int, row: Row) -> dict[str, Any]:
    return {
        "arm_id": arm_id,
        "ordinal": row.ordinal,
        "seed": row.seed,
        "outcome": row.outcome,
        "won": row.won,
        "moves": row.moves,
        "stock_deals": row.stock_deals,
        "sequences": row.sequences,
        "scores": orjson.dumps(dict(row.scores)).decode() if row.scores else None,
        "verdict": row.verdict,
        "reason": row.reason,
        "length": row.length,
        "nodes": row.nodes,
        "certificate": row.certificate,
        "seconds": row.seconds,
    }
