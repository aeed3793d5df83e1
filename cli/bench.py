"""`spidervet bench`: record runs over ranges of numbers, and the solver's signature."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.common import NEGATIVE, USAGE, fail, out, print_json, settings_with, told
from engine.core import Control
from engine.variants import resolve
from engine.words import counted
from evaluation import record as records
from evaluation.signature import signature

app = typer.Typer(no_args_is_help=True, help="Measure the solver.")


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="bench")


@app.command("signature")
def signature_() -> None:
    """Total nodes over fixed deals of every named variant: the same on every machine."""
    print_json(signature())


@app.command("record")
def record(
    first: Annotated[int, typer.Option("--from", min=0, help="first number")],
    last: Annotated[int, typer.Option("--to", min=0, help="last number")],
    variant: Annotated[str, typer.Option("--variant", help="a variant")] = "spider-4",
    scheme: Annotated[str, typer.Option("--scheme", help="how deals are numbered")] = "pysolfc",
    nodes: Annotated[int | None, typer.Option("--nodes", min=1, help="budget in nodes")] = None,
    memory_mb: Annotated[
        int | None, typer.Option("--memory-mb", min=1, max=1 << 20, help="bound on tables")
    ] = None,
    file: Annotated[Path, typer.Option("--file", help="results; an existing one is continued")] = Path(
        "record.ndjson"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="print the summary as JSON")] = False,
) -> None:
    """Search a range of numbers and keep every result in a file; run again, it goes on where it stopped.

    Exit 1 if any deal of the range stays open.
    """
    if last < first:
        fail(f"--to {last} comes before --from {first}", USAGE)
    with told():
        bound = settings_with().solver_memory_mb if memory_mb is None else memory_mb
        conditions = records.Conditions.of(resolve(variant), scheme, nodes, bound)
        try:
            _run(file, conditions, range(first, last + 1), quiet=as_json)
            _, entries = records.read(file)
        except records.RecordError as error:
            fail(str(error), USAGE)
    summary = records.summary(e for e in entries.values() if first <= int(e.seed) <= last)
    _show(summary, as_json)
    if summary["open"] or summary["deals"] < last - first + 1:
        raise typer.Exit(NEGATIVE)


def _run(file: Path, conditions: records.Conditions, seeds: range, *, quiet: bool) -> None:
    """In a thread of its own: an interrupt cancels the search, and what was done is in the file."""
    control = Control()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            records.run(file, conditions, seeds, control, lambda e: None if quiet else _tell(e))
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    before = signal.signal(signal.SIGINT, lambda *_: control.cancel())
    try:
        thread.start()
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    if failed:
        raise failed[0]


def _tell(entry: records.Entry) -> None:
    reason = f" ({entry.reason})" if entry.reason else ""
    length = f", {counted(entry.length, 'move')}" if entry.length is not None else ""
    out.print(f"{entry.seed}: {entry.verdict}{reason}{length}, {counted(entry.positions, 'position')}")


def _show(summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(summary)
        return
    out.print(
        f"{counted(summary['deals'], 'deal')}: {summary['solved']} solved,"
        f" {summary['unsolvable']} unsolvable, {summary['unknown']} unknown; positions {summary['positions']}"
    )
    if summary["open"]:
        out.print(f"open: {', '.join(summary['open'])}")
