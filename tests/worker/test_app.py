"""What a worker host makes of its processes' ends."""

from __future__ import annotations

import logging
import sys
from types import TracebackType

import pytest
from billiard.einfo import ExceptionWithTraceback
from billiard.exceptions import WorkerLostError

from worker.app import REQUESTS, but_lost_processes

Raised = tuple[type[BaseException], BaseException, TracebackType | None]


def raised(error: Exception) -> Raised:
    """What a handler of ``error`` sees."""
    try:
        raise error
    except type(error):
        kind, value, trace = sys.exc_info()
    assert kind is not None
    assert value is not None
    return kind, value, trace


@pytest.mark.parametrize(
    ("error", "shown"),
    [(WorkerLostError("signal 9 (SIGKILL)"), False), (ValueError("a fault of ours"), True), (None, True)],
)
def test_only_the_traceback_of_a_process_that_died_is_left_out(error: Exception | None, shown: bool) -> None:
    told = None
    if error is not None:
        kind, value, trace = raised(error)
        told = (kind, ExceptionWithTraceback(value, trace), trace)  # as the pool hands it on
    record = logging.LogRecord(
        REQUESTS, logging.ERROR, __file__, 1, "Task handler raised error: %r", (error,), told
    )
    assert but_lost_processes(record) is shown
