"""Progress of long commands: a bar for people, lines for files, nothing where it is not wanted."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from cli import progress
from cli.progress import PLAIN_EVERY_S, PLAIN_FIRST_S, Steps


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that progress goes by; tests set it."""
    at = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: at[0])
    return at


def plain() -> Console:
    return Console(file=io.StringIO(), force_terminal=False)


def lines(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_file_gets_a_line_now_and_then_and_one_at_the_end(clock: list[float]) -> None:
    console = plain()
    with Steps("vetting", 7, "date", console=console) as shown:
        for second in range(int(PLAIN_FIRST_S + PLAIN_EVERY_S) + 5):
            clock[0] = 100 + second
            shown.advance(second // 5, f"{second} candidates looked at")
        clock[0] += 0.5
        shown.advance(7)
        shown.advance(7)
    assert lines(console) == [
        "vetting: 0 of 7 dates, 2 candidates looked at, 2 s",
        "vetting: 2 of 7 dates, 12 candidates looked at, 12 s",
        "vetting: 7 of 7 dates, 16 s",
    ]


def test_what_is_quick_says_nothing(clock: list[float]) -> None:
    console = plain()
    with Steps("vetting", 2, "date", console=console) as shown:
        shown.advance(1)
        shown.advance(2)
    assert lines(console) == []


def test_quiet_says_nothing_however_long(clock: list[float]) -> None:
    for console in (plain(), Console(file=io.StringIO(), force_terminal=True)):
        with Steps("vetting", 2, "date", quiet=True, console=console) as shown:
            clock[0] += 100
            shown.advance(1)
        assert lines(console) == []


def test_one_thing_is_told_as_one() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with Steps("vetting", 1, "date", console=console) as shown:
        shown.advance(0)
    assert isinstance(console.file, io.StringIO)
    assert "0 of 1 date " in console.file.getvalue()


def test_a_terminal_gets_a_bar_that_is_gone_afterwards() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with Steps("a [b]job[/b]", 7, "date", console=console) as shown:
        shown.advance(3, "9 candidates looked at")
    assert isinstance(console.file, io.StringIO)
    written = console.file.getvalue()
    assert "3 of 7 dates, 9 candidates looked at" in written
    assert "a [b]job[/b]" in written
    assert written.rstrip().endswith("\x1b[2K"), "the bar's line is wiped"
