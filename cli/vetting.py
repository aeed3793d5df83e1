"""`spidervet vet`: judge candidates for a range of dates, on this machine or by a service's workers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

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
    settings_with,
    told,
    variant_option,
)
from cli.options import Json
from cli.progress import Quiet, Steps
from cli.totals import summary_lines
from engine.deals import Deal
from engine.words import counted, plural
from evaluation.db import Database, now
from evaluation.ledger.views import JobView, get_job
from evaluation.ledger.workers import list_workers, live_processes
from evaluation.migrate import require_head, upgrade
from evaluation.plain import plain
from evaluation.settings import Settings
from evaluation.spec import SpecError
from evaluation.vetting import calendars, owndeals, records, runs, scales
from evaluation.vetting.calendars import CalendarSpec
from evaluation.vetting.errors import VettingError
from evaluation.vetting.keys import KeyFormatError, new_master_key, parse_key
from evaluation.vetting.local import finish_here, own_ledger
from evaluation.vetting.report import range_json
from evaluation.vetting.scalefile import NoScaleError
from evaluation.vetting.summary import summary_of_run

ADHOC = "vet"
FOLLOW_S = 0.5
QUICK_DEALS, QUICK_GAMES = 60, 100
"""Sample of a scale that is made on the way."""


def register(app: typer.Typer) -> None:
    app.command("vet")(vet)


def vet(
    ctx: typer.Context,
    first: Annotated[str, typer.Option("--from", help="first date, 2026-12-01")],
    days: Annotated[int, typer.Option("--days", min=1, help="how many dates")] = 1,
    calendar: Annotated[str | None, typer.Option("--calendar", help="a calendar of the ledger")] = None,
    variant: Annotated[str | None, typer.Option("--variant", help="a variant, without a calendar")] = None,
    difficulty: Annotated[
        str | None, typer.Option("--difficulty", help="easy, medium, hard, expert or any")
    ] = None,
    deals: Annotated[
        Path | None, typer.Option("--deals", help="a site's own deals with dates: .json, .ndjson or .csv")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="also dates whose proposal nobody has approved")
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(
            envvar="SPIDERVET_MASTER_KEY",
            help="master key (64 hex digits) without a calendar; else a new one",
        ),
    ] = None,
    rng: Annotated[int, typer.Option(min=0, help="first rng number of the rated games")] = 1,
    games: Annotated[int | None, typer.Option(min=32, help="most rated games of one deal")] = None,
    candidates: Annotated[int | None, typer.Option(min=1, help="most candidates for one date")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="solver budget of one deal")] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=0, help="processes; 0 is one a core")] = 0,
    url: Annotated[str | None, typer.Option(envvar="SPIDERVET_URL", help="let a service do it")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find a deal for each date that is proved winnable and as hard as asked; exit 1 where one is missing."""
    with told(), vetting_told():
        start = owndeals.parse_date(first, "--from")
        if (calendar is None) == (variant is None):
            fail("either --calendar, or --variant with --difficulty", USAGE)
        _check_options(ctx, calendar, url)
        if url is not None and calendar is not None:
            found = _by_service(Client(url), calendar, start, days, deals, again, quiet)
        elif calendar is not None:
            found = _on_ledger(calendar, start, days, deals, again, jobs, quiet)
        else:
            effort = {"rng": rng, "games": games, "candidates": candidates, "solver_nodes": nodes}
            spec = _adhoc(str(variant), difficulty or "any", effort)
            found = _alone(spec, start, days, deals, key, jobs, quiet)
    if as_json:
        print_json(found)
    else:
        out.print(days_table(found["days"]))
        for day in found["days"]:
            if not day["fits"]:
                out.print(f"{day['date']}: {day['note'] or 'no deal'}", markup=False)
        for line in summary_lines(found["summary"]):
            out.print(line, markup=False)
        if found["calendar"] is None:
            out.print(f"their master key, with which --key finds them again: {found['master_key']}")
    if not all(day["fits"] for day in found["days"]):
        raise typer.Exit(NEGATIVE)


def _check_options(ctx: typer.Context, calendar: str | None, url: str | None) -> None:
    """Refuse options that the way of vetting asked for does not look at. Raises SpecError."""
    always = ("--from", "--days", "--deals", "--json", "--quiet")
    if calendar is None:
        effort = ("--rng", "--games", "--candidates", "--nodes", "--jobs")
        only_with(ctx, "--variant", "--difficulty", "--key", *effort, *always)
    elif url is None:
        only_with(ctx, "--calendar", "--again", "--jobs", *always)
    else:
        only_with(ctx, "--url", "--calendar", "--again", *always)


class vetting_told:  # noqa: N801 (a context manager)
    """Vetting's own errors as one line: 2 for what was asked wrongly, else 1."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, NoScaleError | KeyFormatError):
            fail(str(error), USAGE)
        if isinstance(error, VettingError):
            fail(str(error), NEGATIVE)


def _adhoc(variant: str, difficulty: str, effort: dict[str, Any]) -> CalendarSpec:
    """The calendar that stands for a variant and a difficulty. Raises SpecError."""
    given = {k: v for k, v in effort.items() if v is not None}
    try:
        return CalendarSpec.model_validate(
            {"name": ADHOC, "variant": variant_option(variant), "difficulty": difficulty, "effort": given}
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = first["loc"][0] if first["loc"] else "variant"
        raise SpecError.at(f"--{where}", plain(first)) from error


def _alone(
    spec: CalendarSpec, start: date, days: int, deals: Path | None, key: str | None, jobs: int, quiet: bool
) -> dict[str, Any]:
    settings = settings_with(log_level=os.environ.get("SPIDERVET_LOG_LEVEL", "WARNING"))
    master = parse_key(key) if key is not None else new_master_key()
    with own_ledger(settings, processes(jobs)) as (db, own):
        calendars.create(db, own, spec, "local", master)
        found = _vetted(db, own, spec.name, start, days, deals, False, processes(jobs), quiet)
    return {"calendar": None, "master_key": master.hex(), **found}


def _on_ledger(
    name: str, start: date, days: int, deals: Path | None, again: bool, jobs: int, quiet: bool
) -> dict[str, Any]:
    settings = settings_with(log_level=os.environ.get("SPIDERVET_LOG_LEVEL", "WARNING"))
    db = opened(settings)
    found = _vetted(db, settings, name, start, days, deals, again, processes(jobs), quiet)
    return {"calendar": name, **found}


def opened(settings: Settings) -> Database:
    """The ledger, up to date; a new one is made where there is none."""
    db = Database.from_settings(settings)
    if db.sqlite:
        upgrade(db)
    require_head(db)
    return db


def processes(jobs: int) -> int:
    return jobs or len(os.sched_getaffinity(0))


def _vetted(
    db: Database,
    settings: Settings,
    name: str,
    start: date,
    days: int,
    deals: Path | None,
    again: bool,
    jobs: int,
    quiet: bool,
) -> dict[str, Any]:
    with db.read() as conn:
        spec = calendars.load(conn, name).spec
    _ensure_scale(db, spec, jobs, quiet)
    with db.read() as conn:
        own = owndeals.read_file(deals, spec.game) if deals is not None else {}
        dates = runs.dates_from(start, days, settings)
        if own:
            own = _within(own, start, days)
        plan = runs.plan_run(conn, settings, name, dates, own, "local", again=again)
    began = time.monotonic()
    looked_at = _looked_at(db, name, plan.dates)
    with Steps(
        "vetting" if name == ADHOC else f"vetting {name}", len(plan.dates), "date", quiet=quiet
    ) as shown:

        def advance(view: JobView) -> None:
            tried = _looked_at(db, name, plan.dates) - looked_at
            shown.advance(
                dates_done(view.counts.done, len(plan.dates)), f"{counted(tried, 'candidate')} looked at"
            )

        job_id = runs.submit_run(db, settings, plan)
        if not _followed(db, settings, job_id, advance):
            finish_here(db, settings, job_id, jobs, advance)
    return {
        "job": job_id,
        "seconds": round(time.monotonic() - began, 1),
        "summary": _total(db, plan),
        "days": read_days(db, name, plan.dates),
    }


def _total(db: Database, plan: runs.RunPlan) -> dict[str, Any]:
    with db.read() as conn:
        return summary_of_run(conn, plan).to_json()


def dates_done(units: int, dates: int) -> int:
    """Of a run's units all but the last are dates; the last settles the choice among them."""
    return min(units, dates)


def _looked_at(db: Database, name: str, dates: Sequence[date]) -> int:
    with db.read() as conn:
        return records.count(conn, name, dates[0], dates[-1])


def _within(own: dict[date, Deal], start: date, days: int) -> dict[date, Deal]:
    """The deals of some dates; says how many others there were. Raises SpecError where none is left."""
    kept = {d: deal for d, deal in own.items() if 0 <= (d - start).days < days}
    if not kept:
        raise SpecError.at(
            "--deals",
            f"no deal for {start}" + (f" and the {counted(days - 1, 'day')} after it" if days > 1 else ""),
        )
    if len(kept) < len(own):
        others = len(own) - len(kept)
        verb = plural(others, "is", "are")
        err.print(
            f"{others} of {counted(len(own), 'deal')} {verb} of other dates and left out",
            markup=False,
        )
    return kept


def _ensure_scale(db: Database, spec: CalendarSpec, jobs: int, quiet: bool) -> None:
    """A game that nobody has made a scale for gets a small one now, which stays in the ledger."""
    from evaluation.vetting.fit import make_scale

    try:
        with db.read() as conn:
            scales.scale_for(conn, spec.game)
    except NoScaleError:
        err.print(
            f"{spec.game.label} has no scale of difficulty: making a small one from {QUICK_DEALS} deals"
            " (spidervet calendar scale makes a better one)",
            markup=False,
        )
        made = make_scale(spec.game, QUICK_DEALS, QUICK_GAMES, jobs, lambda line: said(line, quiet))
        with db.write() as conn:
            scales.store(conn, made, scales.SAMPLE, now(conn), "vet")


def said(line: str, quiet: bool) -> None:
    """A line of progress on standard error."""
    if not quiet:
        err.print(line, markup=False, soft_wrap=True)


def read_days(db: Database, name: str, dates: Sequence[date]) -> list[dict[str, Any]]:
    """The dates as `vet --json` prints them; gaps between them left out."""
    with db.read() as conn:
        span = (dates[-1] - dates[0]).days + 1
        every = range_json(conn, name, [dates[0] + timedelta(days=i) for i in range(span)])
    wanted = {d.isoformat() for d in dates}
    return [d for d in every if d["date"] in wanted]


def _followed(db: Database, settings: Settings, job_id: str, advance: Callable[[JobView], None]) -> bool:
    """Wait for the workers of a service on the same ledger. False once none is alive: they may be those of
    a command that was killed a moment ago, or has ended its own run."""
    while live_processes(list_workers(db, settings.worker_stale_s)):
        view = get_job(db, job_id, settings)
        advance(view)
        if view.state.final:
            return True
        time.sleep(FOLLOW_S)
    return False


def _by_service(
    client: Client, calendar: str, start: date, days: int, deals: Path | None, again: bool, quiet: bool
) -> dict[str, Any]:
    body: dict[str, Any] = {"calendar": calendar, "from": start.isoformat(), "days": days, "again": again}
    if deals is not None:
        spec = client.get(f"/v1/vetting/calendars/{calendar}")
        game = CalendarSpec.model_validate({"name": calendar, "variant": spec["variant"]}).game
        from engine.formats.dealjson import deal_object

        own = _within(owndeals.read_file(deals, game), start, days)
        body["deals"] = [{"date": d.isoformat(), "deal": deal_object(x)} for d, x in own.items()]
    made = client.post("/v1/vetting", body)
    dates = made["counts"]["total"] - 1
    with Steps(f"vetting {calendar}", dates, "date", quiet=quiet) as shown:
        while made["state"] in ("queued", "running", "cancelling"):
            time.sleep(1)
            made = client.get(f"/v1/jobs/{made['id']}")
            shown.advance(dates_done(made["counts"]["done"], dates))
    found: dict[str, Any] = client.get(f"/v1/vetting/runs/{made['id']}")
    return found


def days_table(days: Sequence[dict[str, Any]], title: str = "") -> Table:
    """Dates as a table."""
    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("date", "state", "deal", "asked", "label", "people win", "par"):
        table.add_column(heading, no_wrap=True)
    for heading in ("candidate", "why"):
        table.add_column(heading)
    for day in days:
        low, high = day["win_interval"] or (0.0, 1.0)
        rate = (
            "–"
            if day["win_rate"] is None
            else f"{100 * day['win_rate']:.0f} % ({100 * low:.0f}–{100 * high:.0f})"
        )
        table.add_row(
            day["date"],
            day["state"],
            (day["id"] if day["held"] else None) or "–",
            day["wanted"],
            (day["difficulty"] or "–") + ("?" if day["borderline"] else ""),
            rate,
            "–" if day["par"] is None else str(day["par"]),
            _candidate_told(day),
            "; ".join(day["why"][:2]),
        )
    return table


def _candidate_told(day: dict[str, Any]) -> str:
    """The candidate that a date holds; else the one that came nearest, whose figures stand beside it."""
    if day["candidate"] is None:
        return "–"
    number = str(day["candidate"]["number"])
    return number if day["held"] else f"nearest: {number}"
