"""`spidervet evaluate`: a whole job on this machine, without a server."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from cli import jobs
from cli.common import NEGATIVE, USAGE, fail, only_with, out, print_json, settings_with, told
from cli.options import Scheme
from cli.progress import Quiet, Steps
from evaluation.ledger.views import JobView
from evaluation.local import local_report
from evaluation.reports.document import Report
from evaluation.reports.files import WRITERS, write_report
from evaluation.schema import JobState
from evaluation.spec import parse_spec, plan_job


def register(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)


def evaluate(
    ctx: typer.Context,
    variant: jobs.Variants = None,
    seeds: jobs.Seeds = None,
    scheme: Scheme = "spidervet",
    player: jobs.Players = None,
    solver: jobs.Solver = None,
    rng: jobs.Rng = 1,
    repeats: jobs.Repeats = 1,
    scoring: jobs.Scorings = None,
    name: jobs.Name = "",
    job: jobs.JobFile = None,
    jobs_: Annotated[int, typer.Option("--jobs", min=0, help="processes; 0 is one a core")] = 0,
    out_file: Annotated[
        list[Path] | None,
        typer.Option("--out", help=f"report file, ending in .{', .'.join(WRITERS)}; repeatable"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the report as JSON")] = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate deals on this machine and report; no server needed."""
    with told():
        settings = settings_with(log_level=os.environ.get("SPIDERVET_LOG_LEVEL", "WARNING"))
        for path in out_file or ():
            if path.suffix.removeprefix(".") not in WRITERS:
                fail(f"--out {path}: a report ends in .{', .'.join(WRITERS)}", USAGE)
            if not path.absolute().parent.is_dir():
                fail(f"--out {path}: there is no folder {path.absolute().parent}", USAGE)
        if job is not None:
            only_with(ctx, "--job", "--seeds", "--jobs", "--out", "--json", "--quiet")
        data = jobs.job_data(job, variant, seeds, scheme, player, solver, rng, repeats, scoring, name)
        plan = plan_job(parse_spec(data), settings)
        processes = jobs_ or len(os.sched_getaffinity(0))
        with ExitStack() as stack:
            steps = stack.enter_context(ExitStack())
            shown = steps.enter_context(Steps(plan.name, plan.units * len(plan.arms), "row", quiet=quiet))

            def progress(view: JobView) -> None:
                shown.advance(view.counts.done + view.counts.failed)

            report = stack.enter_context(local_report(plan, settings, processes, progress))
            steps.close()
            _deliver(report, out_file or [], as_json)
            state = report.detail.job.state
    if state is not JobState.COMPLETED:
        fail(f"the job is {state.value}; the report holds what was done", NEGATIVE)


def _deliver(report: Report, files: list[Path], as_json: bool) -> None:
    for path in files:
        write_report(report, path)
    if as_json:
        print_json(report.to_json())
    else:
        out.print(jobs.arms_table(report.to_json()["arms"], report.detail.job.name, out.width))
        for path in files:
            out.print(f"wrote {path}", markup=False)
