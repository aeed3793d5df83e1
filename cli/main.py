"""The `spidervet` command: one Typer application, one module a group of commands.

A module adds its commands in `register(app)`. Exit codes: 0, 1 for a negative answer or a failure,
2 for bad usage.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from cli import bench, calendar, deals, evaluate, info, ledger, remote, serve, single, tokens, vetting
from cli.helptext import plain_flags

GROUPS: tuple[Callable[[typer.Typer], None], ...] = (
    serve.register,
    evaluate.register,
    deals.register,
    single.register,
    remote.register,
    ledger.register,
    tokens.register,
    vetting.register,
    calendar.register,
    bench.register,
    info.register,
)

app = typer.Typer(
    name="spidervet",
    help="Evaluate Spider-family solitaire deals: honest players, a proving solver, rates and reports.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _register in GROUPS:
    _register(app)
plain_flags(app)


def main() -> None:
    """Entry point of the console script."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
