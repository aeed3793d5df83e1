"""Ways for a worker host to end that do not depend on its main loop."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn


class Patience:
    """Tells when something has been true without a break for a while."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: float | None = None

    def over(self, holds: bool) -> bool:
        """Whether it holds now and has held at every call for that long."""
        if not holds:
            self._since = None
            return False
        if self._since is None:
            self._since = time.monotonic()
        return time.monotonic() - self._since >= self._seconds


def leave(code: int) -> NoReturn:
    """End this process and its children now."""
    _kill_children()
    os._exit(code)


def start_again() -> NoReturn:
    """Become a new process with the same number, command and environment; the children end."""
    _kill_children()
    os.execv(sys.executable, sys.orig_argv)  # noqa: S606


def _kill_children() -> None:
    me = os.getpid()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == me:
                os.kill(int(stat.parent.name), signal.SIGKILL)
