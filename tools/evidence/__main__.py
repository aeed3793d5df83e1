"""`python -m tools.evidence run|page`: run the jobs of docs/evidence through a service; write the page."""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from typing import Annotated

import typer

from tools.evidence.page import OPEN, PAGE, open_file, page
from tools.evidence.run import run as run_jobs
from tools.evidence.store import job_names

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command()
def run(
    jobs: Annotated[
        list[str] | None, typer.Argument(help="names of jobs, * allowed; all without any")
    ] = None,
    size: Annotated[int, typer.Option(help="deals a slice")] = 200,
    minutes: Annotated[float, typer.Option(help="start no slice after this long")] = 60.0,
    python: Annotated[str, typer.Option(help="the interpreter whose spidervet serves")] = sys.executable,
    workers: Annotated[int, typer.Option(help="worker processes")] = 2,
) -> None:
    """Run what is still to run of the jobs, one slice of each in turn. Can be stopped and run again."""
    wanted = [n for glob in jobs or ["*"] for n in job_names() if fnmatch(n, glob)]
    if not wanted:
        raise typer.BadParameter(f"no job file under docs/evidence/jobs fits {', '.join(jobs or [])}")
    run_jobs(wanted, size, 60 * minutes, python, workers)


@app.command("page")
def write_page() -> None:
    """Write docs/winnability.md and docs/evidence/open.txt from the files of docs/evidence."""
    PAGE.write_text(page(), "utf-8")
    OPEN.write_text(open_file(), "utf-8")


if __name__ == "__main__":
    app()
