"""Sequential stop: ending arms early, in the fixed order of their units.

Only the longest unbroken beginning of an arm counts (units 0 … n - 1 all evaluated), and it is
looked at only at the fixed numbers of `sequential.next_look`. So the stopping point is a function of
the outcomes alone. Rows beyond it, which fast workers may have stored already, are removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import takewhile

import orjson
from sqlalchemy import Connection, case, delete, func, insert, select, update
from sqlalchemy.orm import aliased

from engine.words import counted
from evaluation.db import Database, now
from evaluation.ledger.claim import OPEN_STATES
from evaluation.ledger.events import log
from evaluation.ledger.outcomes import decided, good, unknown
from evaluation.ledger.results import iter_rows
from evaluation.ledger.states import settle
from evaluation.schema import Arm, Chunk, ChunkState, Job, Result, Solution
from evaluation.sequential import always_valid, always_valid_winnability, next_look
from evaluation.spec import StopWhen, parse_spec
from evaluation.stats import CONFIDENCE, Interval
from evaluation.tally import Tally

FINISHED = (ChunkState.DONE.value, ChunkState.FAILED.value)


@dataclass(frozen=True)
class Looks:
    """What has been counted of an arm up to its latest look."""

    units: int = 0
    n: int = 0
    hits: int = 0
    unknown: int = 0

    @classmethod
    def parse(cls, text: str) -> Looks:
        return cls(**orjson.loads(text)) if text else cls()

    @property
    def interval(self) -> Interval:
        if self.unknown:
            return always_valid_winnability(self.hits, self.unknown, self.n)
        return always_valid(self.hits, self.n)


@lru_cache(maxsize=256)
def _rule(db: Database, job_id: str) -> StopWhen:
    """A job's rule, which never changes; read once, since a specification may be long."""
    with db.read() as conn:
        spec = conn.execute(select(Job.spec).where(Job.id == job_id)).scalar_one()
    rule = parse_spec(orjson.loads(spec)).stop_when
    assert rule is not None
    return rule


def look_at_arms(db: Database) -> int:
    """Take every look that is due; end arms that are decided. Returns arms ended."""
    with db.read() as conn:
        jobs = conn.execute(
            select(Job.id).where(Job.state.in_(OPEN_STATES), Job.sequential.is_(True))
        ).scalars()
        ids = list(jobs)
    return sum(_look_at_job(db, job_id, _rule(db, job_id)) for job_id in ids)


def _look_at_job(db: Database, job_id: str, rule: StopWhen) -> int:
    with db.read() as conn:
        arms = conn.execute(
            select(Arm.id, Arm.number, Arm.looks).where(Arm.job_id == job_id, Arm.stop_at.is_(None))
        ).all()
        looks = {a.number: Looks.parse(a.looks) for a in arms}
        ready = {a.number: _unbroken(conn, a.id, looks[a.number].units) for a in arms}
    ids = {a.number: a.id for a in arms}
    ended = 0
    if rule.half_width is not None:
        for number, arm_id in ids.items():
            ended += _by_width(db, job_id, arm_id, looks[number], ready[number], rule.half_width)
    if rule.paired is not None and all(number in ids for number in rule.paired):
        first, second = rule.paired
        ended += _by_pair(
            db, job_id, (ids[first], ids[second]), min(ready[first], ready[second]), rule.paired
        )
    return ended


def _unbroken(conn: Connection, arm_id: int, known: int) -> int:
    """How many units from the first on are evaluated or set aside; ``known`` of them surely are."""
    end = known
    for chunk in conn.execute(
        select(Chunk.start, Chunk.size, Chunk.state)
        .where(Chunk.arm_id == arm_id, Chunk.start + Chunk.size > known)
        .order_by(Chunk.start)
    ):
        if chunk.start > end or chunk.state not in FINISHED:
            break
        end = chunk.start + chunk.size
    return end


def _by_width(db: Database, job_id: str, arm_id: int, looks: Looks, ready: int, most: float) -> int:
    taken = looks
    while (at := next_look(taken.units)) <= ready:
        with db.read() as conn:
            taken = _count_on(conn, arm_id, taken, at)
        if taken.n and taken.interval.half_width <= most:
            interval = taken.interval
            note = (
                f"after {counted(taken.units, 'deal')}: interval {interval.lo:.4f} to {interval.hi:.4f},"
                f" half width {interval.half_width:.4f} ≤ {most:g}"
                f" (beta-binomial confidence sequence, {CONFIDENCE:.0%} at every look)"
            )
            return _end(db, job_id, [arm_id], taken.units, note)
    if taken != looks:
        with db.write() as conn:
            conn.execute(
                update(Arm).where(Arm.id == arm_id).values(looks=orjson.dumps(asdict(taken)).decode())
            )
    return 0


def _count_on(conn: Connection, arm_id: int, looks: Looks, to: int) -> Looks:
    row = conn.execute(
        select(
            func.count().label("n"),
            func.coalesce(func.sum(decided()), 0).label("hits"),
            func.coalesce(func.sum(unknown()), 0).label("unknown"),
        ).where(Result.arm_id == arm_id, Result.ordinal >= looks.units, Result.ordinal < to, good())
    ).one()
    return Looks(to, looks.n + row.n, looks.hits + int(row.hits), looks.unknown + int(row.unknown))


@dataclass(frozen=True)
class PairLooks:
    """Deals counted of two arms; first, second: how many that arm wins and the other loses."""

    units: int = 0
    first: int = 0
    second: int = 0

    @classmethod
    def parse(cls, text: str) -> PairLooks:
        return cls(**orjson.loads(text)) if text else cls()

    @property
    def decided(self) -> bool:
        """Whether the share of the first among deals that one arm wins alone is surely not a half."""
        interval = always_valid(self.first, self.first + self.second)
        return not interval.lo <= 0.5 <= interval.hi


def _by_pair(db: Database, job_id: str, arms: tuple[int, int], ready: int, numbers: list[int]) -> int:
    with db.read() as conn:
        before = PairLooks.parse(conn.execute(select(Arm.pair_looks).where(Arm.id == arms[0])).scalar_one())
    taken = before
    while not taken.decided and (at := next_look(taken.units)) <= ready:
        with db.read() as conn:
            taken = _count_pair(conn, arms, taken, at)
    if taken.decided:
        winner = numbers[0] if taken.first > taken.second else numbers[1]
        note = (
            f"after {counted(taken.units, 'deal')}: arm {winner} wins more (alone:"
            f" arm {numbers[0]} {taken.first}, arm {numbers[1]} {taken.second};"
            f" sign test by the beta-binomial confidence sequence, {CONFIDENCE:.0%} at every look)"
        )
        return _end(db, job_id, arms, taken.units, note)
    if taken != before:
        with db.write() as conn:
            text = orjson.dumps(asdict(taken)).decode()
            conn.execute(update(Arm).where(Arm.id == arms[0]).values(pair_looks=text))
    return 0


def _count_pair(conn: Connection, arms: tuple[int, int], looks: PairLooks, to: int) -> PairLooks:
    a, b = aliased(Result), aliased(Result)
    first, second = decided(a) > decided(b), decided(b) > decided(a)
    row = conn.execute(
        select(
            func.coalesce(func.sum(case((first, 1), else_=0)), 0).label("first"),
            func.coalesce(func.sum(case((second, 1), else_=0)), 0).label("second"),
        )
        .select_from(a)
        .join(b, a.ordinal == b.ordinal)
        .where(a.arm_id == arms[0], b.arm_id == arms[1], a.ordinal >= looks.units, a.ordinal < to)
    ).one()
    return PairLooks(to, looks.first + int(row.first), looks.second + int(row.second))


def _end(db: Database, job_id: str, arm_ids: Sequence[int], stop_at: int, note: str) -> int:
    """End arms: drop what waits, remove rows beyond, set the sums to what is left. Returns arms ended."""
    tallies = {arm_id: _tally_before(db, arm_id, stop_at) for arm_id in arm_ids}
    with db.write() as conn:
        state = conn.execute(
            select(Job.state).where(Job.id == job_id).with_for_update(key_share=True)
        ).scalar_one()
        if state not in OPEN_STATES or not all(_still(conn, a, stop_at, t) for a, t in tallies.items()):
            return 0
        at = now(conn)
        for arm_id, tally in sorted(tallies.items()):
            number = _end_arm(conn, job_id, arm_id, stop_at, note, tally)
            log(conn, job_id, at, f"arm {number} ended {note}")
        conn.execute(update(Job).where(Job.id == job_id).values(revision=Job.revision + 1))
        settle(conn, job_id, at)
    return len(arm_ids)


def _tally_before(db: Database, arm_id: int, stop_at: int) -> Tally:
    """Sums of the rows that stay; they do not change any more, so no lock is held while they are read."""
    rows = (stored.row for stored in iter_rows(db, [arm_id]))
    return Tally.of(takewhile(lambda row: row.ordinal < stop_at, rows))


def _still(conn: Connection, arm_id: int, stop_at: int, tally: Tally) -> bool:
    """Whether the rows before the stop are those that were summed (a retry may have taken failed ones)."""
    row = conn.execute(
        select(
            func.count().label("n"), func.coalesce(func.sum(case((good(), 1), else_=0)), 0).label("good")
        ).where(Result.arm_id == arm_id, Result.ordinal < stop_at)
    ).one()
    return row.n == tally.rows == stop_at and int(row.good) == tally.n


def _end_arm(conn: Connection, job_id: str, arm_id: int, stop_at: int, note: str, tally: Tally) -> int:
    arm = conn.execute(
        select(Arm.number, Arm.total, Arm.cut, Arm.done)
        .where(Arm.id == arm_id)
        .with_for_update(key_share=True)
    ).one()
    before = _settled(conn, job_id)
    dropped = _drop_chunks(conn, arm_id, stop_at)
    for table in (Solution, Result):
        conn.execute(delete(table).where(table.arm_id == arm_id, table.ordinal >= stop_at))
    conn.execute(
        update(Arm)
        .where(Arm.id == arm_id)
        .values(cut=Arm.total, stop_at=stop_at, stop_note=note, tally=tally.to_bytes(), done=tally.rows)
    )
    conn.execute(
        update(Job)
        .where(Job.id == job_id)
        .values(
            done=before.done - dropped.done,
            failed=before.failed - dropped.failed,
            cancelled=before.cancelled
            + dropped.done
            + dropped.failed
            + dropped.waiting
            + arm.total
            - arm.cut,
        )
    )
    number: int = arm.number
    return number


@dataclass(frozen=True)
class _Settled:
    done: int
    failed: int
    cancelled: int


def _settled(conn: Connection, job_id: str) -> _Settled:
    row = conn.execute(select(Job.done, Job.failed, Job.cancelled).where(Job.id == job_id)).one()
    return _Settled(row.done, row.failed, row.cancelled)


@dataclass(frozen=True)
class _Dropped:
    """Units beyond the stop by what they were."""

    done: int
    failed: int
    waiting: int


def _drop_chunks(conn: Connection, arm_id: int, stop_at: int) -> _Dropped:
    """Close chunks beyond the stop; the one across it keeps its first part. Leased ones close themselves."""
    units = {ChunkState.DONE: 0, ChunkState.FAILED: 0, ChunkState.PENDING: 0}
    across = conn.execute(
        select(Chunk.id, Chunk.job_id, Chunk.start, Chunk.size, Chunk.queue).where(
            Chunk.arm_id == arm_id, Chunk.start < stop_at, Chunk.start + Chunk.size > stop_at
        )
    ).one_or_none()
    if across is not None:
        rest = across.start + across.size - stop_at
        units[ChunkState.DONE] += rest
        conn.execute(update(Chunk).where(Chunk.id == across.id).values(size=Chunk.size - rest))
        conn.execute(
            insert(Chunk).values(
                job_id=across.job_id,
                arm_id=arm_id,
                start=stop_at,
                size=rest,
                state=ChunkState.CANCELLED.value,
                queue=across.queue,
            )
        )
    for state in units:
        closed = conn.execute(
            update(Chunk)
            .where(Chunk.arm_id == arm_id, Chunk.start >= stop_at, Chunk.state == state.value)
            .values(state=ChunkState.CANCELLED.value, sent_at=None)
            .returning(Chunk.size)
        ).scalars()
        units[state] += sum(closed)
    return _Dropped(units[ChunkState.DONE], units[ChunkState.FAILED], units[ChunkState.PENDING])
