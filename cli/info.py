"""`config`, `version`, `health`, `players`: what this installation is and can."""

from __future__ import annotations

import socket
from typing import Annotated, Any

import typer
from pydantic import SecretStr
from rich.table import Table

from cli.client import Client
from cli.common import fail, out, print_json, settings_with, told, warn_of_unknown
from cli.options import Json, Url
from engine.players import PlayerInfo, catalog
from evaluation.db import Database
from evaluation.ledger.workers import list_workers
from evaluation.settings import Settings
from evaluation.versions import engine_version


def register(app: typer.Typer) -> None:
    app.command("players")(players)
    app.command("config")(config)
    app.command("health")(health)
    app.command("version")(version)


def players(as_json: Json = False) -> None:
    """The player levels, and players that other packages bring."""
    found = catalog()
    if as_json:
        print_json({"players": [player_json(info) for info in found]})
        return
    for info in found:
        out.print(info.name if info.origin == "level" else f"{info.name} ({info.origin})")


def player_json(info: PlayerInfo) -> dict[str, Any]:
    """A player's entry in lists."""
    return {"name": info.name, "origin": info.origin, "options": dict(info.options)}


def config(as_json: Json = False) -> None:
    """Every setting in force; secrets are masked."""
    with told():
        warn_of_unknown()
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


def health(
    url: Url = "http://127.0.0.1:8000",
    worker: Annotated[
        bool, typer.Option("--worker", help="ask the ledger for a live worker of this host instead")
    ] = False,
    as_json: Json = False,
) -> None:
    """Whether a service is ready, or this host's worker alive; exit 1 if not."""
    with told():
        if worker:
            _worker_health(as_json)
            return
        with Client(url) as client:
            answer = client.get("/readyz")
    if as_json:
        print_json(answer)
    else:
        out.print(f"{answer['status']}: {answer['worker_processes']} worker processes")


def _worker_health(as_json: bool) -> None:
    settings = settings_with()
    host = socket.gethostname()
    workers = [
        w
        for w in list_workers(Database.from_settings(settings, pooled=False), settings.worker_stale_s)
        if w.host == host and w.state in ("ready", "draining")
    ]
    if not workers:
        fail(f"no worker of host {host} has reported within {settings.worker_stale_s:.0f} s")
    if as_json:
        print_json({"status": "ok", "workers": [w.id for w in workers]})
    else:
        out.print(f"ok: {len(workers)} worker hosts at work on {host}")


def version(as_json: Json = False) -> None:
    """The version of this program and its engine."""
    if as_json:
        print_json({"version": engine_version(), "engine": engine_version()})
    else:
        out.print(f"spidervet {engine_version()}")
