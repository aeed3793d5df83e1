"""`spidervet token …`: who may use the service."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.common import USAGE, fail, out, print_json, settings_with, told
from cli.options import Json
from evaluation.access.roles import Limits, Role
from evaluation.access.tokens import (
    TokenError,
    TokenView,
    any_tokens,
    create_token,
    list_tokens,
    revoke_token,
)
from evaluation.db import Database
from evaluation.migrate import require_head, upgrade


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Tokens: who may use the service, in which role.", no_args_is_help=True)
    group.command("create")(create)
    group.command("list")(list_command)
    group.command("revoke")(revoke)
    app.add_typer(group, name="token")


def _ledger() -> Database:
    """The ledger; a SQLite one that is not there yet is made, as `serve` would."""
    db = Database.from_settings(settings_with())
    if db.sqlite:
        upgrade(db)
    require_head(db)
    return db


def create(
    name: Annotated[str, typer.Argument(help="whose token it is; jobs carry this name as owner")],
    role: Annotated[Role, typer.Option(help="what it may do")] = Role.SUBMITTER,
    days: Annotated[float | None, typer.Option(min=0, help="how long it lasts; default: no end")] = None,
    open_jobs: Annotated[int | None, typer.Option(min=0, help="jobs open at once")] = None,
    seeds: Annotated[int | None, typer.Option(min=0, help="deals in one job")] = None,
    nodes: Annotated[int | None, typer.Option(min=0, help="solver nodes of one job in all")] = None,
    rate: Annotated[int | None, typer.Option(min=1, help="requests a minute")] = None,
    out_file: Annotated[
        Path | None,
        typer.Option("--out", help="write it to this new file, readable by its owner only"),
    ] = None,
    if_none: Annotated[bool, typer.Option("--if-none", help="do nothing where any token exists")] = False,
    if_missing: Annotated[
        bool, typer.Option("--if-missing", help="do nothing where a token of this name exists")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a token. Its text is shown this once; the ledger keeps only a hash."""
    with told():
        db = _ledger()
        names = {t.name for t in list_tokens(db)}
        if (if_none and any_tokens(db)) or (if_missing and name in names):
            return
        limits = Limits(open_jobs, seeds, nodes, rate)
        try:
            with _secret_file(out_file) as write:
                text = create_token(db, name, role, days=days, limits=limits)
                write(text + "\n")
        except TokenError as error:
            fail(str(error), USAGE)
    if as_json:
        print_json({"name": name, "role": role.value, "token": None if out_file else text})
    elif out_file is None:
        out.print(text, markup=False)


@contextmanager
def _secret_file(path: Path | None) -> Iterator[Callable[[str], object]]:
    """A new file that only its owner can read, opened before there is a secret to lose; gone after a failure.

    Raises OSError where it exists or cannot be made.
    """
    if path is None:
        yield lambda _: None
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    try:
        with os.fdopen(descriptor, "w") as file:
            yield file.write
    except BaseException:
        path.unlink()
        raise


def list_command(as_json: Json = False) -> None:
    """Every token: name, role, state, limits. Never its text."""
    with told():
        tokens = list_tokens(_ledger())
    if as_json:
        print_json({"tokens": [_json(t) for t in tokens]})
        return
    if not tokens:
        out.print("no token yet; `spidervet token create NAME` makes one", markup=False)
        return
    table = Table("id", "name", "role", "state", "limits", "created", "last used")
    for t in tokens:
        limits = ", ".join(f"{name} {most}" for name, most in vars(t.limits).items() if most is not None)
        used = _time(t.used_at) or "never"
        table.add_row(t.id, t.name, t.role.value, t.state, limits, _time(t.created_at), used)
    out.print(table)


def _json(token: TokenView) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "role": token.role.value,
        "state": token.state,
        "limits": vars(token.limits),
        "created_at": _time(token.created_at),
        "expires_at": _time(token.expires_at),
        "revoked_at": _time(token.revoked_at),
        "used_at": _time(token.used_at),
    }


def _time(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def revoke(wanted: Annotated[str, typer.Argument(metavar="ID|NAME")], as_json: Json = False) -> None:
    """End a token and the browser sessions it opened."""
    with told():
        try:
            token = revoke_token(_ledger(), wanted)
        except TokenError as error:
            fail(str(error))
    if as_json:
        print_json(_json(token))
    else:
        out.print(f"{token.name} ({token.id}) is revoked")
