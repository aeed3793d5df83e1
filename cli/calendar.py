"""`spidervet calendar …`: calendars and their days on this machine's ledger; proofs checked anywhere."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from pydantic import ValidationError
from rich import box
from rich.table import Table

from cli.client import Client
from cli.common import (
    NEGATIVE,
    USAGE,
    err,
    fail,
    only_with,
    out,
    print_json,
    read_json,
    settings_with,
    told,
    variant_option,
)
from cli.options import Json
from cli.totals import summary_lines
from cli.vetting import days_table, opened, processes, vetting_told
from engine.variants import resolve
from engine.words import counted
from evaluation.db import Database, now
from evaluation.ledger.views import iso
from evaluation.plain import plain
from evaluation.settings import Settings
from evaluation.spec import SpecError
from evaluation.vetting import (
    audit,
    calendars,
    days,
    exports,
    owndeals,
    publishing,
    refit,
    runs,
    scales,
    signing,
)
from evaluation.vetting.calendars import CalendarSpec
from evaluation.vetting.days import Day, Editor
from evaluation.vetting.errors import WrongStepError
from evaluation.vetting.keys import parse_key
from evaluation.vetting.records import Place
from evaluation.vetting.report import range_json
from evaluation.vetting.summary import summary_of

Name = Annotated[str, typer.Argument(help="the calendar's name")]
DayArg = Annotated[str, typer.Argument(metavar="DATE", help="a date, 2026-12-01")]
NoteOption = Annotated[str, typer.Option("--note", help="why")]
From = Annotated[str, typer.Option("--from", help="first date")]
Days = Annotated[int, typer.Option("--days", min=1, max=400, help="how many dates")]


SHOWN_BESIDE = ("variant_label", "revision", "key_version")
"""What `show --json` prints beside a calendar's own fields."""


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Calendars of daily deals: make, look, approve, publish.", no_args_is_help=True)
    for command in (
        create, edit, show, history, approve, reject, choose, swap, publish, withdraw, export, refit_command,
        scale, check, keys, summary,
    ):  # fmt: skip
        group.command(command.__name__.removesuffix("_command").replace("_", "-"))(command)
    group.command("list")(list_command)
    group.command("days")(days_command)
    group.command("next")(next_command)
    group.command("audit")(audit_command)
    group.command("rotate-key")(rotate_key)
    app.add_typer(group, name="calendar")


def me() -> str:
    """Who works at this shell, for the log."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "local"


def _ledger() -> tuple[Database, Settings]:
    settings = settings_with(log_level=os.environ.get("SPIDERVET_LOG_LEVEL", "WARNING"))
    return opened(settings), settings


def _asked(text: str) -> str | dict[str, str]:
    """``easy``, or ``mon=easy,sun=expert``. Raises SpecError."""
    if "=" not in text:
        return text
    pairs = [part.strip().partition("=")[::2] for part in text.split(",")]
    for i, (day, _) in enumerate(pairs):
        if day in dict(pairs[:i]):
            raise SpecError.at("--difficulty", f"{day} is there twice")
    return dict(pairs)


def _span(text: str | None, option: str, kind: type[int] | type[float]) -> list[Any] | None:
    """``90-140`` as a range. Raises SpecError."""
    if text is None:
        return None
    low, _, high = text.partition("-")
    try:
        return [kind(low), kind(high)]
    except ValueError:
        raise SpecError.at(option, f"{text!r} is not a range such as 90-140") from None


def create(
    ctx: typer.Context,
    name: Name,
    variant: Annotated[str, typer.Option(help="a variant, custom ones as JSON")] = "spider-1",
    difficulty: Annotated[
        str, typer.Option(help="easy, medium, hard, expert or any; or mon=easy,sun=expert")
    ] = "medium",
    title: Annotated[str, typer.Option(help="what players read")] = "",
    par: Annotated[str | None, typer.Option(help="range of par, 90-140")] = None,
    win_rate: Annotated[str | None, typer.Option(help="range of the predicted win rate, 0.2-0.6")] = None,
    solver_nodes: Annotated[str | None, typer.Option(help="range of the solver's positions")] = None,
    spec: Annotated[
        Path | None, typer.Option(help="a calendar file (JSON) that says all the options above")
    ] = None,
    key: Annotated[str | None, typer.Option(help="master key of 64 hex digits; default: a new one")] = None,
    as_json: Json = False,
) -> None:
    """Make a calendar; it gets a secret master key of its own."""
    with told(), vetting_told():
        if spec is not None:
            only_with(ctx, "--spec", "--key", "--json")
        data = _record(spec) if spec is not None else {
            "variant": variant_option(variant),
            "title": title,
            "difficulty": _asked(difficulty),
            "bounds": {
                "par": _span(par, "--par", int),
                "win_rate": _span(win_rate, "--win-rate", float),
                "solver_nodes": _span(solver_nodes, "--solver-nodes", int),
            },
        }  # fmt: skip
        db, settings = _ledger()
        made = calendars.create(
            db, settings, _spec({**data, "name": name}), me(), parse_key(key) if key else None
        )
    print_json(made.to_json()) if as_json else out.print(f"{made.name}: {made.spec.game.label}, revision 1")


def _record(path: Path) -> dict[str, Any]:
    """A calendar file. Raises SpecError."""
    data = read_json(path)
    if not isinstance(data, dict):
        raise SpecError.at(str(path), "expected a JSON object")
    return data


def _spec(data: dict[str, Any]) -> CalendarSpec:
    try:
        return CalendarSpec.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "calendar"
        raise SpecError.at(where, plain(first)) from error


def edit(
    name: Name, spec: Annotated[Path, typer.Argument(help="the calendar as JSON, as `show --json` prints it")]
) -> None:
    """Change a calendar; its old versions stay in its history."""
    with told(), vetting_told():
        data = _record(spec)
        known = {k: v for k, v in data.items() if k not in SHOWN_BESIDE}
        db, settings = _ledger()
        changed = calendars.edit(db, settings, _spec({**known, "name": name}), data.get("revision"), me())
    out.print(f"{name} is at revision {changed.revision}")


def list_command(as_json: Json = False) -> None:
    """Every calendar, and which of the next days nobody can play."""
    with told(), vetting_told():
        db, settings = _ledger()
        with db.read() as conn:
            found = calendars.load_all(conn)
        missing = days.unpublished(db, settings.vetting_days)
    if as_json:
        listed = [c.to_json() | {"unpublished": list(map(str, missing.get(c.name, [])))} for c in found]
        print_json({"calendars": listed})
        return
    if not found:
        out.print("no calendar yet; `spidervet calendar create NAME` makes one", markup=False)
        return
    table = Table("calendar", "game", "revision", "not published", box=box.SIMPLE_HEAD, pad_edge=False)
    for c in found:
        table.add_row(
            c.name, c.spec.game.label, str(c.revision), ", ".join(map(str, missing.get(c.name, [])))
        )
    out.print(table)


def show(name: Name, as_json: Json = False) -> None:
    """A calendar as it is now."""
    with told(), vetting_told():
        db, _ = _ledger()
        with db.read() as conn:
            found = calendars.load(conn, name)
    if as_json:
        print_json(found.to_json())
        return
    for field, value in found.to_json().items():
        told_as = value if isinstance(value, str) else orjson.dumps(value).decode()
        out.print(f"{field}: {told_as}", markup=False, soft_wrap=True)


def history(name: Name, as_json: Json = False) -> None:
    """Every version of a calendar, newest first."""
    with told(), vetting_told():
        db, _ = _ledger()
        versions = calendars.history(db, name)
    if as_json:
        print_json({"versions": [{**v, "at": iso(v["at"])} for v in versions]})
        return
    for v in versions:
        out.print(f"{v['revision']}: {iso(v['at'])} by {v['by']}", markup=False)


def days_command(name: Name, first: From, count: Days = 31, as_json: Json = False) -> None:
    """A range of dates; exit 1 where one has no deal."""
    with told(), vetting_told():
        db, settings = _ledger()
        wanted = runs.dates_from(owndeals.parse_date(first, "--from"), count, settings)
        with db.read() as conn:
            found = range_json(conn, name, wanted)
    print_json({"calendar": name, "days": found}) if as_json else out.print(days_table(found, name))
    if any(d["gap"] for d in found):
        raise typer.Exit(NEGATIVE)


def summary(name: Name, first: From, count: Days = 31, as_json: Json = False) -> None:
    """Totals over a range of dates: what was tried, what it cost, why deals were refused, what is held."""
    with told(), vetting_told():
        db, settings = _ledger()
        wanted = runs.dates_from(owndeals.parse_date(first, "--from"), count, settings)
        with db.read() as conn:
            found = summary_of(conn, name, wanted).to_json()
    if as_json:
        print_json(found)
        return
    for line in summary_lines(found):
        out.print(line, markup=False)


def _day(text: str) -> date:
    return owndeals.parse_date(text, "DATE")


def _say(day: Day) -> None:
    held = f", {day.place.source} candidate {day.place.number}" if day.place else ""
    out.print(f"{day.calendar} {day.date} is {day.state.value}{held}" + (f": {day.note}" if day.note else ""))


def approve(name: Name, day: DayArg, note: NoteOption = "") -> None:
    """Approve what a date holds."""
    with told(), vetting_told():
        db, _ = _ledger()
        _say(days.approve(db, name, _day(day), Editor(me(), None), note))


def reject(name: Name, day: DayArg, note: NoteOption) -> None:
    """Turn a proposal down."""
    with told(), vetting_told():
        db, _ = _ledger()
        _say(days.reject(db, name, _day(day), Editor(me(), None), note))


def next_command(name: Name, day: DayArg, note: NoteOption = "") -> None:
    """Take the next candidate: at once if one has been judged, else a run is left for the workers."""
    with told(), vetting_told():
        db, settings = _ledger()
        found = days.next_candidate(db, settings, name, _day(day), Editor(me(), None), note)
        _say(found)
        if found.state is days.DayState.OPEN:
            out.print(f"job {found.job_id} looks for it when a service's workers run", markup=False)


def choose(
    name: Name,
    day: DayArg,
    number: Annotated[int, typer.Argument(min=1, help="the candidate's number")],
    note: NoteOption,
    own: Annotated[bool, typer.Option("--own", help="of the site's own list")] = False,
) -> None:
    """Take a candidate by hand, also one out of bounds, as long as its win is proved."""
    with told(), vetting_told():
        db, _ = _ledger()
        place = Place(name, _day(day), "own" if own else "derived", number)
        _say(days.choose(db, name, _day(day), Editor(me(), None), place, note))


def swap(name: Name, day: DayArg, other: Annotated[str, typer.Argument(help="the other date")]) -> None:
    """Let two dates exchange their deals."""
    with told(), vetting_told():
        db, _ = _ledger()
        by = Editor(me(), None)
        for changed in days.swap(db, name, _day(day), _day(other), (by, by)):
            _say(changed)


def publish(
    name: Name,
    day: DayArg,
    count: Annotated[int, typer.Option("--days", min=1, max=400, help="so many dates from it on")] = 1,
) -> None:
    """Freeze and sign approved dates; exit 1 where one is not approved."""
    left = 0
    with told(), vetting_told():
        db, settings = _ledger()
        for d in runs.dates_from(_day(day), count, settings):
            try:
                _say(publishing.publish(db, settings, name, d, Editor(me(), None)))
            except WrongStepError as error:
                err.print(str(error), markup=False)
                left += 1
    if left:
        raise typer.Exit(NEGATIVE)


def withdraw(
    name: Name, day: DayArg, reason: Annotated[str, typer.Option("--reason", help="published with it")]
) -> None:
    """Take a published date back, for all to see."""
    with told(), vetting_told():
        db, _ = _ledger()
        _say(publishing.withdraw(db, name, _day(day), Editor(me(), None), reason))


def export(
    name: Name,
    first: From,
    count: Days = 31,
    out_file: Annotated[
        Path | None, typer.Option("--out", help=".json, .ndjson, .csv or .ics; default: JSON on the output")
    ] = None,
) -> None:
    """Published days as a file, days to come included: for the site that hosts the game."""
    with told(), vetting_told():
        kind = "json" if out_file is None else out_file.suffix.removeprefix(".")
        if kind not in exports.MEDIA:
            fail(f"--out {out_file}: an export ends in .{', .'.join(exports.MEDIA)}", USAGE)
        db, settings = _ledger()
        wanted = runs.dates_from(owndeals.parse_date(first, "--from"), count, settings)
        with db.read() as conn:
            calendars.load(conn, name)
            found = publishing.in_force(conn, name, wanted[0], wanted[-1])
        data = exports.write(kind, name, found)  # type: ignore[arg-type]
        if out_file is None:
            sys.stdout.buffer.write(data + b"\n")
        else:
            out_file.write_bytes(data)
            err.print(f"wrote {counted(len(found), 'day')} to {out_file}", markup=False)


def audit_command(
    name: Name, limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50, as_json: Json = False
) -> None:
    """Who did what, newest first."""
    with told(), vetting_told():
        db, _ = _ledger()
        lines = audit.entries(db, name, limit=limit)
    if as_json:
        print_json({"entries": [{**vars(line), "at": iso(line.at)} for line in lines]})
        return
    for line in lines:
        out.print(f"{iso(line.at)} {line.by} {line.action} {line.day or ''} {line.detail}", markup=False)


def rotate_key(name: Name) -> None:
    """A new master key for dates vetted from now on."""
    with told(), vetting_told():
        db, settings = _ledger()
        out.print(f"{name} has master key {calendars.rotate_key(db, settings, name, me())}")


def keys(
    new: Annotated[bool, typer.Option("--new", help="make a new one, which signs from now on")] = False,
    as_json: Json = False,
) -> None:
    """Public keys that dailies are signed with."""
    with told(), vetting_told():
        db, settings = _ledger()
        with db.write() as conn:
            if new:
                at = now(conn)
                key = signing.new_key(conn, settings, at)
                audit.add(conn, at, me(), audit.EVERY, "signing-key", key=key)
            found = signing.public_keys(conn)
    if as_json:
        print_json(
            {"keys": [{"id": k.id, "public": k.public.hex(), "retired_at": iso(k.retired_at)} for k in found]}
        )
        return
    for k in found:
        out.print(f"{k.id} {k.public.hex()}" + (" retired" if k.retired_at else ""))


def refit_command(
    name: Name,
    dry: Annotated[bool, typer.Option("--dry", help="only tell, change nothing")] = False,
    as_json: Json = False,
) -> None:
    """Fit predicted win rates to what people won."""
    with told(), vetting_told():
        db, _ = _ledger()
        done = refit.refit(db, name, me(), dry=dry)
    if as_json:
        print_json({"games": done.games, "before": vars(done.before), "after": vars(done.after),
                    "loss_before": done.loss_before, "loss_after": done.loss_after})  # fmt: skip
        return
    table = Table("date", "games", "won", "predicted before", "predicted now", box=box.SIMPLE_HEAD)
    for d in done.days:
        table.add_row(
            d.date, str(d.games), f"{100 * d.wins / d.games:.0f} %", f"{100 * done.before.at(d.b):.0f} %",
            f"{100 * done.after.at(d.b):.0f} %",
        )  # fmt: skip
    out.print(table)
    out.print(f"log loss a game {done.loss_before:.4f} before, {done.loss_after:.4f} now")


def scale(
    variant: Annotated[str, typer.Option(help="a variant, custom ones as JSON")],
    deals: Annotated[int, typer.Option(min=20, help="deals in the sample")] = 200,
    games: Annotated[
        int, typer.Option(min=16, help="games of each deal, all levels together; whole batches")
    ] = 300,
    jobs: Annotated[int, typer.Option("--jobs", min=0, help="processes; 0 is one a core")] = 0,
) -> None:
    """Make the scale of difficulty of a variant by a sample of its deals; it takes its time."""
    from evaluation.vetting.fit import make_scale

    with told(), vetting_told():
        game = resolve(variant_option(variant))
        db, _ = _ledger()
        made = make_scale(game, deals, games, processes(jobs), lambda line: err.print(line, markup=False))
        with db.write() as conn:
            scales.store(conn, made, scales.SAMPLE, now(conn), me())
    out.print(f"{made.variant}: cuts {made.cuts}, casual wins {made.sample['casual_won']}", markup=False)


def check(
    file: Annotated[
        Path | None, typer.Argument(help="a proof, as GET /v1/daily/{calendar}/{date}/proof gives it")
    ] = None,
    url: Annotated[str | None, typer.Option(envvar="SPIDERVET_URL", help="fetch it from a service")] = None,
    daily: Annotated[str | None, typer.Option("--daily", help="CALENDAR/DATE, with --url")] = None,
    key: Annotated[str | None, typer.Option(help="public key in hex; with --url it is fetched")] = None,
    as_json: Json = False,
) -> None:
    """Check how a past day was chosen: signature, key, candidates, cards, solution; exit 1 if not."""
    with told(), vetting_told():
        data, public = _proof(file, url, daily, key)
        if not isinstance(data, dict):
            fail("this is no proof of a daily: expected a JSON object", USAGE)
        try:
            checks = publishing.check_proof(data, public)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            fail(f"this is no proof of a daily: {type(error).__name__} {error}", USAGE)
    if as_json:
        print_json({"checks": [vars(c) for c in checks], "holds": all(c.holds for c in checks)})
    else:
        _print_checks(checks, public)
    if not all(c.holds for c in checks):
        raise typer.Exit(NEGATIVE)


def _proof(
    file: Path | None, url: str | None, daily: str | None, key: str | None
) -> tuple[Any, bytes | None]:
    public = parse_key(key) if key else None
    if file is not None:
        return read_json(file), public
    if url is None or daily is None:
        fail("either a FILE, or --url with --daily CALENDAR/DATE", USAGE)
    client = Client(url)
    data = client.get(f"/v1/daily/{daily}/proof")
    if public is None:
        wanted = data["daily"]["signature"]["key"]
        known = {k["id"]: k["public"] for k in client.get("/v1/daily/keys")["keys"]}
        public = bytes.fromhex(known[wanted])
    return data, public


def _print_checks(checks: Sequence[publishing.Check], public: bytes | None) -> None:
    for c in checks:
        out.print(f"{'ok  ' if c.holds else 'FAIL'} {c.what}", markup=False)
    if public is None:
        out.print("     the signature was not checked: no --key", markup=False)
