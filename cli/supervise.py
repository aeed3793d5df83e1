"""Keeping a worker host alive beside the API, and stopping it in steps."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from signal import SIGKILL, SIGQUIT, SIGTERM

import structlog

log = structlog.get_logger("spidervet.serve")
BACKOFF_S = (0.5, 1.0, 2.0, 5.0, 10.0)
STEADY_S = 30.0


class WorkerProcess:
    """A child that is started again when it dies, with growing pauses while it keeps dying.

    It has a session of its own, so that Ctrl-C reaches only the parent, which then stops it in order:
    SIGTERM (finish or hand back), SIGQUIT, SIGKILL.
    """

    def __init__(self, command: Sequence[str], grace_s: float) -> None:
        self._command = list(command)
        self._grace_s = grace_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="supervisor", daemon=True)
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Tell the child to stop; does not wait."""
        with self._lock:
            self._stopping.set()
            if self._child is not None and self._child.poll() is None:
                self._child.send_signal(SIGTERM)

    def stop(self) -> None:
        """Stop the child, harder each time it does not go."""
        self.ask_to_stop()
        child = self._child
        if child is not None:
            for wait_s, stronger in ((self._grace_s, SIGQUIT), (3.0, SIGKILL)):
                try:
                    child.wait(wait_s)
                    break
                except subprocess.TimeoutExpired:
                    log.warning("worker.slow_to_stop", signal=stronger.name)
                    child.send_signal(stronger)
            child.wait()
        self._thread.join()

    def _keep(self) -> None:
        quick_deaths = 0
        while not self._stopping.is_set():
            with self._lock:
                if self._stopping.is_set():
                    return
                self._child = subprocess.Popen(self._command, start_new_session=True)  # noqa: S603
            started = time.monotonic()
            code = self._child.wait()
            if self._stopping.is_set():
                return
            quick_deaths = 0 if time.monotonic() - started > STEADY_S else quick_deaths + 1
            pause_s = BACKOFF_S[min(quick_deaths, len(BACKOFF_S) - 1)]
            log.error("worker.died", code=code, again_in_s=pause_s)
            self._stopping.wait(pause_s)
