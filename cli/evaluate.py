"""`spidervet evaluate`: a whole job on this machine, without a server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cli import jobs
from cli.common import NEGATIVE, USAGE, err, fail, out, print_json, settings_with, told
from evaluation.ledger.views import JobView
from evaluation.local import local_report
from evaluation.reports.document import Report
from evaluation.reports.files import WRITERS, write_report
from evaluation.schema import JobState
from evaluation.spec import parse_spec, plan_job


def register(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)


def evaluate(
    variant: jobs.Variants = None,
    seeds: jobs.Seeds = None,
    scheme: jobs.Scheme = "spidervet",
    player: jobs.Players = None,
    solver: jobs.Solver = None,
    rng: jobs.Rng = 1,
    repeats: jobs.Repeats = 1,
    scoring: jobs.Scorings = None,
    name: jobs.Name = "",
    job: jobs.JobFile = None,
    jobs_: Annotated[int, typer.Option("--jobs", min=0, help="processes; 0 is one a core")] = 0,
    out_file: Annotated[
        list[Path] | None, typer.Option("--out", help="report file; its ending is its format")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the report as JSON")] = False,
) -> None:
    """Evaluate deals on this machine and report; no server needed."""
    with told():
        settings = settings_with(log_level=os.environ.get("SPIDERVET_LOG_LEVEL", "WARNING"))
        for path in out_file or ():
            if path.suffix.removeprefix(".") not in WRITERS:
                fail(f"--out {path}: a report ends in .{', .'.join(WRITERS)}", USAGE)
            if not path.absolute().parent.is_dir():
                fail(f"--out {path}: there is no folder {path.absolute().parent}", USAGE)
        data = jobs.job_data(job, variant, seeds, scheme, player, solver, rng, repeats, scoring, name)
        plan = plan_job(parse_spec(data), settings)
        processes = jobs_ or len(os.sched_getaffinity(0))
        with _bar() as bar:
            task = bar.add_task(plan.name, total=plan.units * len(plan.arms))

            def progress(view: JobView) -> None:
                bar.update(task, completed=view.counts.done + view.counts.failed)

            with local_report(plan, settings, processes, progress) as report:
                bar.stop()
                _deliver(report, out_file or [], as_json)
                state = report.detail.job.state
    if state is not JobState.COMPLETED:
        fail(f"the job is {state.value}; the report holds what was done", NEGATIVE)


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=err, transient=True)


def _deliver(report: Report, files: list[Path], as_json: bool) -> None:
    for path in files:
        write_report(report, path)
    if as_json:
        print_json(report.to_json())
    else:
        out.print(jobs.arms_table(report.to_json()["arms"], report.detail.job.name, out.width))
        for path in files:
            out.print(f"wrote {path}", markup=False)
