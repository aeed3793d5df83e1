"""Which worker hosts are alive, as they report themselves."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from evaluation.db import Database, now
from evaluation.schema import Chunk, ChunkState, Worker

FORGET_S = 3600.0
"""A worker unseen for this long leaves the list."""


@dataclass(frozen=True)
class WorkerView:
    """A worker host. state: ready, draining, gone; silent is one that stopped reporting."""

    id: str
    host: str
    pid: int
    engine: str
    concurrency: int
    state: str
    started_at: float
    seen_at: float
    chunks_done: int
    units_done: int
    busy_s: float
    busy: int
    note: str


def report_alive(
    db: Database, worker: str, host: str, pid: int, engine: str, concurrency: int, state: str
) -> None:
    """Write or refresh a worker's line. state: ready, draining or gone."""
    maker = sqlite_insert if db.sqlite else pg_insert
    with db.write() as conn:
        at = now(conn)
        values = {
            "id": worker,
            "host": host,
            "pid": pid,
            "engine": engine,
            "concurrency": concurrency,
            "state": state,
            "started_at": at,
            "seen_at": at,
        }
        fresh = {"state": state, "seen_at": at, "concurrency": concurrency}
        conn.execute(maker(Worker).values(values).on_conflict_do_update(index_elements=["id"], set_=fresh))
        conn.execute(delete(Worker).where(Worker.seen_at < at - FORGET_S))


def list_workers(db: Database, stale_s: float) -> list[WorkerView]:
    """Workers by name; one unseen for ``stale_s`` is shown as silent."""
    with db.read() as conn:
        at = now(conn)
        leased = conn.execute(
            select(Chunk.worker, func.count().label("n"))
            .where(Chunk.state == ChunkState.LEASED)
            .group_by(Chunk.worker)
        )
        busy: dict[str, int] = {}
        for row in leased:
            host = (row.worker or "").rpartition("/")[0]
            busy[host] = busy.get(host, 0) + row.n
        rows = conn.execute(select(Worker.__table__).order_by(Worker.id)).all()
    return [
        WorkerView(
            id=r.id,
            host=r.host,
            pid=r.pid,
            engine=r.engine,
            concurrency=r.concurrency,
            state="silent" if r.state != "gone" and r.seen_at < at - stale_s else r.state,
            started_at=r.started_at,
            seen_at=r.seen_at,
            chunks_done=r.chunks_done,
            units_done=r.units_done,
            busy_s=r.busy_s,
            busy=busy.get(r.id, 0),
            note=r.note,
        )
        for r in rows
    ]


def live_processes(workers: list[WorkerView]) -> int:
    """Worker processes that take chunks now."""
    return sum(w.concurrency for w in workers if w.state == "ready")


def drain(db: Database, worker: str) -> None:
    """Tell a worker's processes to hand back what they are at, and to begin nothing."""
    with db.write() as conn:
        conn.execute(update(Worker).where(Worker.id == worker).values(state="draining"))


def leases_of(db: Database, worker: str) -> set[tuple[int, int]]:
    """(chunk, process) for every lease that the processes of a host hold."""
    mine = Chunk.worker.startswith(f"{worker}/", autoescape=True)
    with db.read() as conn:
        rows = conn.execute(select(Chunk.id, Chunk.worker).where(Chunk.state == ChunkState.LEASED, mine))
        return {(row.id, int(row.worker.rpartition("/")[2])) for row in rows}


def drained(db: Database, worker: str) -> bool:
    """Whether a host that was told to drain holds no lease; it gets no new one either (`claim`)."""
    held = select(Chunk.id).where(
        Chunk.state == ChunkState.LEASED, Chunk.worker.startswith(f"{worker}/", autoescape=True)
    )
    with db.read() as conn:
        state = conn.execute(select(Worker.state).where(Worker.id == worker)).scalar_one_or_none()
        return state == "draining" and conn.execute(held.limit(1)).first() is None
