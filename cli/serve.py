"""`spidervet serve`, everything in one command, and `spidervet worker`, one host of workers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.common import fail, settings_with, told, warn_of_unknown
from cli.folder import FolderInUseError, own_folder
from evaluation.logs import configure_logging

Host = Annotated[str | None, typer.Option(help="address to listen on")]
Port = Annotated[int | None, typer.Option(help="port to listen on; 0 takes a free one")]
Workers = Annotated[int | None, typer.Option(min=0, max=1024, help="worker processes; 0 is one a core")]
Data = Annotated[Path | None, typer.Option(help="folder of the ledger and the broker's files")]


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)
    app.command("worker")(worker)


def serve(
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    data: Data = None,
    sample: Annotated[bool, typer.Option("--sample", help="on an empty ledger, submit a small job")] = False,
    api_only: Annotated[bool, typer.Option("--api-only", help="workers run elsewhere")] = False,
) -> None:
    """Run API, dashboard and workers; stop with Ctrl-C, start again to go on."""
    from cli.running import end_now, run_service

    with told():
        warn_of_unknown()
        settings = settings_with(host=host, port=port, workers=workers, data=data)
        configure_logging(settings)
        try:
            with own_folder(settings):
                run_service(settings, sample, api_only)
        except FolderInUseError as error:
            fail(str(error))
    end_now()


def worker(
    concurrency: Annotated[
        int | None, typer.Option(min=0, max=1024, help="processes; 0 is one a core")
    ] = None,
    data: Data = None,
) -> None:
    """Run a Celery worker for the configured broker and ledger."""
    from cli.running import run_host

    with told():
        code = run_host(settings_with(workers=concurrency, data=data))
    raise typer.Exit(code)
