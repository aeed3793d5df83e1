"""`spidervet db …`: the ledger's schema, its sums, its age."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.common import NEGATIVE, fail, out, print_json, settings_with, told
from cli.options import Json
from engine.words import counted
from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.ledger.prune import prune
from evaluation.migrate import require_head, upgrade


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="The ledger: schema, sums, age.", no_args_is_help=True)
    group.command("upgrade")(upgrade_command)
    group.command("check")(check_command)
    group.command("prune")(prune_command)
    app.add_typer(group, name="db")


def upgrade_command() -> None:
    """Bring the ledger's schema to this program's version."""
    with told():
        out.print(f"the ledger is at {upgrade(Database.from_settings(settings_with()))}")


def check_command(as_json: Json = False) -> None:
    """Recount every job from its rows; exit 1 where a sum differs."""
    with told():
        db = Database.from_settings(settings_with())
        require_head(db)
        result = check_ledger(db)
    if as_json:
        print_json({"jobs": result.jobs, "rows": result.rows, "faults": [vars(f) for f in result.faults]})
    else:
        out.print(
            f"{counted(result.jobs, 'job')}, {counted(result.rows, 'row')} recounted,"
            f" {counted(len(result.faults), 'fault')}"
        )
        for fault in result.faults:
            out.print(f"{fault.where}: {fault.what}", markup=False)
    if result.faults:
        raise typer.Exit(NEGATIVE)


def prune_command(
    days: Annotated[
        float | None, typer.Option(min=0, help="age in days; default: the retention setting")
    ] = None,
    as_json: Json = False,
) -> None:
    """Remove finished jobs that are older than the retention."""
    with told():
        settings = settings_with()
        age = settings.retention_days if days is None else days
        if days is None and age == 0:
            fail("SPIDERVET_RETENTION_DAYS is 0 (keep everything); say --days N")
        removed = prune(Database.from_settings(settings), age)
    if as_json:
        print_json({"removed": removed})
    else:
        out.print(f"removed {counted(len(removed), 'job')}")
