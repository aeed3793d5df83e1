"""Progress of long commands on standard error: a bar on a terminal, a plain line now and then elsewhere.

Standard output stays free for the answer, so that it can go to a file or a pipe.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Annotated, Protocol

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from cli.common import err
from engine.words import plural

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress on standard error")]
PLAIN_FIRST_S, PLAIN_EVERY_S = 2.0, 10.0
"""Seconds until the first plain line and between two: a log of an hour has some hundred of them."""


class Shown(Protocol):
    """Something that shows how far a command is."""

    def advance(self, done: int, note: str = "") -> None:
        """Tell how much is done, and what else there is to say of it."""


class Steps:
    """The progress of one thing, while it is entered. what: its name; unit: what is counted, one of them."""

    def __init__(
        self, what: str, total: int, unit: str, *, quiet: bool = False, console: Console | None = None
    ) -> None:
        console, units = console or err, plural(total, unit)
        self._shown: _Bar | _Lines | _Nothing
        if quiet:
            self._shown = _Nothing()
        elif console.is_terminal:
            self._shown = _Bar(console, what, total, units)
        else:
            self._shown = _Lines(console, what, total, units)

    def __enter__(self) -> Shown:
        self._shown.start()
        return self._shown

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shown.stop()


class _Nothing:
    def start(self) -> None: ...

    def stop(self) -> None: ...

    def advance(self, done: int, note: str = "") -> None: ...


class _Bar:
    """For people at a terminal; it is gone when the answer comes."""

    def __init__(self, console: Console, what: str, total: int, unit: str) -> None:
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn(
                "{task.completed} of {task.total} {task.fields[unit]}{task.fields[note]}", markup=False
            ),
            TimeElapsedColumn(),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task(what, total=total, unit=unit, note="")

    def start(self) -> None:
        self._bar.start()

    def stop(self) -> None:
        self._bar.stop()

    def advance(self, done: int, note: str = "") -> None:
        self._bar.update(self._task, completed=done, note=f", {note}" if note else "")


class _Lines:
    """For files and logs: a line once it has taken a moment, one every `PLAIN_EVERY_S`, one when all is done.
    What is quick says nothing."""

    def __init__(self, console: Console, what: str, total: int, unit: str) -> None:
        self._console, self._what, self._total, self._unit = console, what, total, unit
        self._began = time.monotonic()
        self._next, self._whole = self._began + PLAIN_FIRST_S, False

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def advance(self, done: int, note: str = "") -> None:
        at = time.monotonic()
        quick = at < self._began + PLAIN_FIRST_S
        whole = done >= self._total and not quick
        if self._whole or (at < self._next and not whole):
            return
        self._next, self._whole = at + PLAIN_EVERY_S, whole
        rest = f", {note}" if note else ""
        line = f"{self._what}: {done} of {self._total} {self._unit}{rest}, {at - self._began:.0f} s"
        self._console.print(line, markup=False, soft_wrap=True)
