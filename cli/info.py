"""`config`, `version`, `health`, `players`: what this installation is and can."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from pydantic import SecretStr
from rich.table import Table

from cli.client import Client
from cli.common import out, print_json, settings_with, told
from engine.players import Level
from evaluation.settings import Settings
from evaluation.versions import engine_version

Json = Annotated[bool, typer.Option("--json", help="print JSON")]
Url = Annotated[str, typer.Option("--url", envvar="SPIDERVET_URL", help="address of the service")]


def register(app: typer.Typer) -> None:
    app.command("players")(players)
    app.command("config")(config)
    app.command("health")(health)
    app.command("version")(version)


def players(as_json: Json = False) -> None:
    """The player levels."""
    if as_json:
        print_json({"players": [{"name": level.value} for level in Level]})
    else:
        for level in Level:
            out.print(level.value)


def config(as_json: Json = False) -> None:
    """Every setting in force; secrets are masked."""
    with told():
        settings = settings_with()
    values = {f"SPIDERVET_{n.upper()}": _shown(getattr(settings, n)) for n in Settings.model_fields}
    if as_json:
        print_json(values)
        return
    table = Table("setting", "value", "meaning")
    for name, field in Settings.model_fields.items():
        variable = f"SPIDERVET_{name.upper()}"
        table.add_row(variable, str(values[variable]), field.description or "")
    out.print(table)


def _shown(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "**********"
    return value if isinstance(value, int | float | None) else str(value)


def health(url: Url = "http://127.0.0.1:8000", as_json: Json = False) -> None:
    """Whether a service is ready; exit 1 if not."""
    with told():
        answer = Client(url).get("/readyz")
    if as_json:
        print_json(answer)
    else:
        out.print(f"{answer['status']}: {answer['worker_processes']} worker processes")


def version(as_json: Json = False) -> None:
    """The version of this program and its engine."""
    if as_json:
        print_json({"version": engine_version(), "engine": engine_version()})
    else:
        out.print(f"spidervet {engine_version()}")
