"""`submit`, `watch`, `report`, `cancel`, `retry`, `replan`: a service's API from a shell."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from cli import jobs
from cli.client import Client
from cli.common import NEGATIVE, USAGE, err, fail, only_with, out, print_json, told
from cli.options import Json, Scheme, Url
from cli.progress import Steps
from cli.totals import summary_lines
from cli.vetting import days_table
from engine.words import counted

Job = Annotated[str, typer.Argument(help="the job's id")]
LOCAL = "http://127.0.0.1:8000"
VETTING = "vetting"
"""The kind of job that finds deals for dates."""
FINAL = ("completed", "completed_with_errors", "cancelled", "failed")
RESTART_S = 120.0  # how long a service may be away before `watch` gives up


def _path(job_id: str, below: str = "") -> str:
    """The address of a job; an id is one segment of it, whatever it holds."""
    if not job_id.strip("."):
        fail(f"{job_id!r} is not the id of a job", USAGE)
    return f"/v1/jobs/{quote(job_id, safe='')}{below}"


def register(app: typer.Typer) -> None:
    for command in (submit, watch, report, cancel, retry, replan):
        app.command(command.__name__)(command)


def submit(
    ctx: typer.Context,
    url: Url = LOCAL,
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
    key: Annotated[str | None, typer.Option(help="idempotency key: the same key makes one job")] = None,
    watch_it: Annotated[bool, typer.Option("--watch", help="follow it to its end")] = False,
    as_json: Json = False,
) -> None:
    """Send a job to a service."""
    with told():
        if job is not None:
            only_with(ctx, "--job", "--url", "--seeds", "--key", "--watch", "--json")
        body = jobs.job_data(job, variant, seeds, scheme, player, solver, rng, repeats, scoring, name)
        with Client(url) as client:
            made = client.post("/v1/jobs", body, {"Idempotency-Key": key} if key else None)
            if watch_it:
                _follow(client, made["id"], as_json)
            else:
                print_json(made) if as_json else out.print(made["id"])


def watch(job: Job, url: Url = LOCAL, as_json: Json = False) -> None:
    """Follow a job to its end, then print its arms."""
    with told(), Client(url) as client:
        _follow(client, job, as_json)


def _follow(client: Client, job_id: str, as_json: bool) -> None:
    err.print(f"job {job_id}", markup=False)
    detail = client.get(_path(job_id))
    total = detail["counts"]["total"]
    with (
        Live(_view(detail), console=err, transient=True, refresh_per_second=4) as live,
        Steps(detail["name"], total, "row", quiet=err.is_terminal) as lines,  # where nothing is live
    ):
        while detail["state"] not in FINAL:
            try:
                for event in client.events(_path(job_id, "/events")):
                    if event.kind == "progress":
                        detail |= event.data
                    elif event.kind == "arm":
                        detail["arms"][event.data["arm"]] = event.data
                    elif event.kind == "log":
                        live.console.print(event.data["message"], markup=False, soft_wrap=True)
                    live.update(_view(detail))
                    lines.advance(detail["counts"]["done"] + detail["counts"]["failed"])
            except ConnectionError:
                live.console.print("the connection broke off; the job goes on, asking again")
                time.sleep(1)
            detail = client.get(_path(job_id), RESTART_S)
    if detail.get("kind") == VETTING:
        _tell_run(client.get(f"/v1/vetting/runs/{job_id}"), as_json)
    elif as_json:
        print_json(client.get(_path(job_id, "/report.json")))
    else:
        out.print(jobs.arms_table(detail["arms"], f"{detail['name']}: {detail['state']}", out.width))
    if detail["state"] != "completed":
        fail(f"the job is {detail['state']}", NEGATIVE)


def _tell_run(run: dict[str, Any], as_json: bool) -> None:
    """What a vetting run has found, as `vet` tells it."""
    if as_json:
        print_json(run)
        return
    out.print(days_table(run["days"], f"{run['name']}: {run['state']}"))
    for line in summary_lines(run["summary"]):
        out.print(line, markup=False)


def _view(detail: dict[str, Any]) -> Group:
    counts = detail["counts"]
    done = counts["done"] + counts["failed"]
    eta = "" if detail["eta_s"] is None else f", about {detail['eta_s']:.0f} s left"
    line = Text(f"{detail['state']}: {done} of {counts['total']}{eta}")
    return Group(
        line,
        ProgressBar(total=1.0, completed=detail["progress"], width=60),
        *([jobs.arms_table(detail["arms"], "", err.width)] if detail["arms"] else []),
    )


def report(
    job: Job,
    url: Url = LOCAL,
    out_file: Annotated[Path | None, typer.Option("--out", help="where to; its ending is its format")] = None,
    as_json: Json = False,
) -> None:
    """Fetch a job's report: a table, JSON, or a file."""
    with told(), Client(url) as client:
        if out_file is not None:
            kind = out_file.suffix.removeprefix(".")
            if not kind:
                fail(f"--out {out_file}: its ending must be a report's format, such as .csv", USAGE)
            client.download(_path(job, f"/report.{kind}"), out_file)
            err.print(f"wrote {out_file}", markup=False)
            return
        data = client.get(_path(job, "/report.json"))
    if as_json:
        print_json(data)
    else:
        title = data["job"] + (" (partial)" if data["partial"] else "")
        out.print(jobs.arms_table(data["arms"], title, out.width))


def cancel(job: Job, url: Url = LOCAL, as_json: Json = False) -> None:
    """Stop a job; what is done stays."""
    with told(), Client(url) as client:
        answer = client.post(_path(job, "/cancel"))
    idle = answer["state"] in FINAL and answer["state"] != "cancelled"
    told_as = f"{answer['state']}: there was nothing left to stop" if idle else answer["state"]
    print_json(answer) if as_json else out.print(told_as)


def retry(job: Job, url: Url = LOCAL, as_json: Json = False) -> None:
    """Try a job's failed deals again."""
    with told(), Client(url) as client:
        answer = client.post(_path(job, "/retry"))
    told_as = f"{counted(answer['retried'], 'deal')} again" if answer["retried"] else "no deal had failed"
    print_json(answer) if as_json else out.print(told_as)


def replan(job: Job, url: Url = LOCAL, as_json: Json = False) -> None:
    """Evaluate an older engine version's job anew by the service's version; its rows so far are dropped."""
    with told(), Client(url) as client:
        answer = client.post(_path(job, "/replan"))
    print_json(answer) if as_json else out.print(f"{answer['replanned_from']} -> {answer['engine']}")
