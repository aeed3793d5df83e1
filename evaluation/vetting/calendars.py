"""Calendars: what an editor asks of a daily game, stored with every version it has had."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, get_args

import orjson
from pydantic import Field, field_validator
from sqlalchemy import Connection, insert, select, update

from engine.deals import deal
from engine.variants import Variant, VariantError, resolve
from evaluation.db import Database, now
from evaluation.evaluators import Strict
from evaluation.settings import Settings
from evaluation.spec import FieldFault, SpecError
from evaluation.vetting import audit
from evaluation.vetting.errors import ChangedError, NotFoundError, VettingError
from evaluation.vetting.keys import commitment, day_key, new_master_key
from evaluation.vetting.scale import Difficulty
from evaluation.vetting.signing import unwrap, wrap
from evaluation.vetting.tables import VetCalendar, VetHistory, VetMasterKey

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ANY = "any"
MOST_COUNT = 2**53
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
RESERVED = ("keys",)
"""Names that stand for something else in an address: `/v1/daily/keys`."""
Wanted = Literal["easy", "medium", "hard", "expert", "any"]
Range = Annotated[list[float], Field(min_length=2, max_length=2)]
WholeRange = Annotated[list[int], Field(min_length=2, max_length=2)]


class CalendarExistsError(VettingError):
    """A calendar of that name is there already."""


class Variety(Strict):
    """No deal whose opening differs by fewer than ``cards`` cards from one of the ``days`` days before and
    after (`openings`)."""

    days: int = Field(default=30, ge=0, le=400)
    cards: int = Field(default=2, ge=0, le=16)


class Bounds(Strict):
    """What a deal must meet besides its label. Ranges are [least, most], both allowed; null is no bound."""

    par: WholeRange | None = Field(default=None, description="actions of the shortened solution")
    win_rate: Range | None = Field(default=None, description="predicted for ordinary people, 0 to 1")
    solver_nodes: WholeRange | None = Field(
        default=None, description="positions that the solver rated for its proof"
    )
    variety: Variety = Variety()
    borderline: bool = Field(default=False, description="accept deals whose label is not clear")

    @field_validator("par", "win_rate", "solver_nodes")
    @classmethod
    def _ordered(cls, value: list[float] | None) -> list[float] | None:
        if value is not None and value[0] > value[1]:
            raise ValueError(f"{value[0]} is more than {value[1]}")
        return value


class Effort(Strict):
    """What to spend on a date: candidates, games of one deal, solver nodes (null: the schedule's own).

    patience: games after which a candidate whose label is not clear yet is passed over, where borderline
    deals are not wanted and another one can be tried; one that will hardly be clear by then is passed over
    at once. Games are played in batches (`fit.BATCHES`), and a rating is one batch at least.
    """

    candidates: int = Field(default=60, ge=1, le=1000)
    games: int = Field(default=12_000, ge=32, le=100_000)
    patience: int = Field(default=4000, ge=32, le=100_000)
    solver_nodes: int | None = Field(default=None, ge=1)
    shorten_nodes: int = Field(default=2_000_000, ge=0)
    rng: int = Field(default=1, ge=0, le=2**63)


class CalendarSpec(Strict):
    """The body of POST /v1/vetting/calendars, and what `spidervet calendar` writes."""

    name: str = Field(max_length=40, examples=["daily-one-suit"])
    title: str = Field(default="", max_length=100)
    variant: str | dict[str, Any] = Field(examples=["spider-1"])
    difficulty: Wanted | dict[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], Wanted] = Field(
        "medium", description="one label, or one for each day of the week; days left out are medium"
    )
    bounds: Bounds = Bounds()
    effort: Effort = Effort()
    active: bool = Field(default=True, description="whether its unpublished days raise the alert")

    @field_validator("name")
    @classmethod
    def _is_name(cls, value: str) -> str:
        if not NAME.fullmatch(value):
            raise ValueError("1 to 40 of a-z 0-9 -, the first a letter or a digit")
        return value

    @field_validator("variant")
    @classmethod
    def _plays(cls, value: str | dict[str, Any]) -> str | dict[str, Any]:
        try:
            deal(resolve(value), 1)
        except VariantError as error:
            raise ValueError(str(error)) from error
        return value

    @field_validator("difficulty", mode="before")
    @classmethod
    def _labels(cls, value: Any) -> Any:
        """One fault in words, instead of one for each form that it might have."""
        if not isinstance(value, dict):
            _label(value)
            return value
        for day, label in value.items():
            if day not in WEEKDAYS:
                raise ValueError(f"{str(day)[:40]!r} is no day of the week; there are {', '.join(WEEKDAYS)}")
            _label(label)
        return value

    @property
    def game(self) -> Variant:
        return resolve(self.variant)

    def wanted(self, day: date) -> Difficulty | None:
        """The label of a date; None for any."""
        asked = self.difficulty
        text = asked if isinstance(asked, str) else asked.get(WEEKDAYS[day.weekday()], "medium")  # type: ignore[call-overload]
        return None if text == ANY else Difficulty(text)

    def stored(self) -> str:
        """JSON with the variant's full record, so that a later release reads the same game."""
        data = self.model_dump(mode="json") | {"variant": self.game.record()}
        return orjson.dumps(data, option=orjson.OPT_SORT_KEYS).decode()


def _label(value: Any) -> None:
    labels = get_args(Wanted)
    if value not in labels:
        raise ValueError(f"{str(value)[:40]!r} is none of {', '.join(labels)}")


def check_new(spec: CalendarSpec) -> None:
    """What is asked of a calendar that is made or changed now; stored ones are read as they are.

    Raises SpecError naming the fields.
    """
    faults = []
    if spec.name in RESERVED:
        faults.append(FieldFault("name", f"{spec.name} is a name of the service's own"))
    if not spec.title.isprintable():
        faults.append(FieldFault("title", "it holds line feeds or other characters that cannot be printed"))
    for name, most in (("par", MOST_COUNT), ("win_rate", 1), ("solver_nodes", MOST_COUNT)):
        asked: list[float] | None = getattr(spec.bounds, name)
        if asked is not None and not 0 <= asked[0] <= asked[1] <= most:
            faults.append(FieldFault(f"bounds.{name}", f"it is not within 0 to {most}"))
    if faults:
        raise SpecError(faults)


def check_effort(effort: Effort, settings: Settings) -> None:
    """Refuse solver budgets that are over the service's limit. Raises SpecError naming the fields."""
    asked = {"solver_nodes": effort.solver_nodes or 0, "shorten_nodes": effort.shorten_nodes}
    most = settings.max_nodes
    over = {f"effort.{name}": nodes for name, nodes in asked.items() if nodes > most}
    if over:
        raise SpecError(
            [FieldFault(name, f"{n}; SPIDERVET_MAX_NODES allows {most}") for name, n in over.items()]
        )


@dataclass(frozen=True)
class Calendar:
    """A calendar as stored."""

    spec: CalendarSpec
    revision: int
    key_version: int
    created_at: float
    updated_at: float

    @property
    def name(self) -> str:
        return self.spec.name

    def to_json(self) -> dict[str, Any]:
        game = self.spec.game
        data = self.spec.model_dump(mode="json")
        return data | {
            "variant": game.record(),
            "variant_label": game.label,
            "revision": self.revision,
            "key_version": self.key_version,
        }


def create(
    db: Database, settings: Settings, spec: CalendarSpec, by: str, key: bytes | None = None
) -> Calendar:
    """Store a new calendar with a fresh master key, or the one given.

    Raises CalendarExistsError, SpecError.
    """
    check_new(spec)
    check_effort(spec.effort, settings)
    with db.write() as conn:
        at = now(conn)
        if conn.execute(select(VetCalendar.name).where(VetCalendar.name == spec.name)).first():
            raise CalendarExistsError(f"there is a calendar {spec.name} already")
        conn.execute(
            insert(VetCalendar).values(
                name=spec.name, revision=1, spec=spec.stored(), key_version=1, created_at=at, updated_at=at
            )
        )
        _store_key(conn, settings, spec.name, 1, key or new_master_key(), at)
        _remember(conn, spec, 1, at, by)
        audit.add(conn, at, by, spec.name, "calendar-created", revision=1)
        return load(conn, spec.name)


def edit(db: Database, settings: Settings, spec: CalendarSpec, revision: int | None, by: str) -> Calendar:
    """Store a new version. revision: the one that was looked at, None for whatever there is.

    Days that are proposed or later keep what they have. Raises NotFoundError, ChangedError, SpecError.
    """
    check_new(spec)
    with db.write() as conn:
        at = now(conn)
        old = load(conn, spec.name, lock=True)
        if spec.effort != old.spec.effort:  # one that a later limit forbids may stay: a run will refuse it
            check_effort(spec.effort, settings)
        if revision is not None and old.revision != revision:
            raise ChangedError(f"calendar {spec.name}", str(revision), old.revision)
        conn.execute(
            update(VetCalendar)
            .where(VetCalendar.name == spec.name)
            .values(revision=old.revision + 1, spec=spec.stored(), updated_at=at)
        )
        _remember(conn, spec, old.revision + 1, at, by)
        audit.add(conn, at, by, spec.name, "calendar-edited", revision=old.revision + 1)
        return load(conn, spec.name)


def rotate_key(db: Database, settings: Settings, name: str, by: str) -> int:
    """A new master key for dates vetted from now on; the old one is retired and may be shown. Returns its
    version."""
    with db.write() as conn:
        at = now(conn)
        version = load(conn, name, lock=True).key_version + 1
        conn.execute(
            update(VetMasterKey)
            .where(VetMasterKey.calendar == name, VetMasterKey.retired_at.is_(None))
            .values(retired_at=at)
        )
        _store_key(conn, settings, name, version, new_master_key(), at)
        conn.execute(update(VetCalendar).where(VetCalendar.name == name).values(key_version=version))
        audit.add(conn, at, by, name, "key-rotated", version=version)
    return version


def load(conn: Connection, name: str, *, lock: bool = False) -> Calendar:
    """A calendar. Raises NotFoundError."""
    if not NAME.fullmatch(name):
        raise NotFoundError(f"there is no calendar {name[:40]!r}")
    query = select(VetCalendar.__table__).where(VetCalendar.name == name)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise NotFoundError(f"there is no calendar {name!r}")
    return _calendar(row)


def load_all(conn: Connection) -> list[Calendar]:
    """Every calendar by name."""
    return [_calendar(row) for row in conn.execute(select(VetCalendar.__table__).order_by(VetCalendar.name))]


def history(db: Database, name: str) -> list[dict[str, Any]]:
    """Every version of a calendar, newest first."""
    with db.read() as conn:
        load(conn, name)
        rows = conn.execute(
            select(VetHistory.__table__)
            .where(VetHistory.calendar == name)
            .order_by(VetHistory.revision.desc())
        ).all()
    return [{"revision": r.revision, "at": r.at, "by": r.by, "spec": orjson.loads(r.spec)} for r in rows]


def revision_of(conn: Connection, spec: CalendarSpec) -> int | None:
    """The newest revision of a calendar that says the same; None where none does."""
    return conn.execute(
        select(VetHistory.revision)
        .where(VetHistory.calendar == spec.name, VetHistory.spec == spec.stored())
        .order_by(VetHistory.revision.desc())
        .limit(1)
    ).scalar_one_or_none()


def master_key(conn: Connection, settings: Settings, name: str, version: int) -> bytes:
    """A calendar's secret. Raises KeyUnusableError."""
    wrapped = conn.execute(
        select(VetMasterKey.wrapped).where(VetMasterKey.calendar == name, VetMasterKey.version == version)
    ).scalar_one()
    return unwrap(settings, wrapped, _what(name, version))


def key_of_day(conn: Connection, settings: Settings, name: str, version: int, day: date) -> bytes:
    """The key of a date under a version of the master key."""
    return day_key(master_key(conn, settings, name, version), name, day)


def _calendar(row: Any) -> Calendar:
    spec = CalendarSpec.model_validate(orjson.loads(row.spec))
    return Calendar(spec, row.revision, row.key_version, row.created_at, row.updated_at)


def _what(name: str, version: int) -> str:
    return f"master key {version} of calendar {name}"


def _store_key(conn: Connection, settings: Settings, name: str, version: int, key: bytes, at: float) -> None:
    conn.execute(
        insert(VetMasterKey).values(
            calendar=name,
            version=version,
            wrapped=wrap(settings, key, _what(name, version)),
            commitment=commitment(key),
            created_at=at,
        )
    )


def _remember(conn: Connection, spec: CalendarSpec, revision: int, at: float, by: str) -> None:
    conn.execute(
        insert(VetHistory).values(calendar=spec.name, revision=revision, spec=spec.stored(), at=at, by=by)
    )
