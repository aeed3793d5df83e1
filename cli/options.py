"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import completion

Json = Annotated[bool, typer.Option("--json", help="print JSON")]
Scheme = Annotated[
    str,
    typer.Option(
        "--scheme",
        help="how seeds are numbered, as `spidervet schemes` lists",
        autocompletion=completion.schemes,
    ),
]
Url = Annotated[str, typer.Option("--url", envvar="SPIDERVET_URL", help="address of the service")]
