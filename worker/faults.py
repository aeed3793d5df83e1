"""Faults on purpose, for tests of recovery: a deal that crashes or hangs whoever evaluates it.

Set by ``SPIDERVET_TEST_FAULT`` as ``KIND:SEED``; KIND is ``crash`` (a segmentation fault), ``kill`` (what
the kernel does when the machine is out of memory), ``memory`` (the process may have no more memory and asks
for more), ``raise`` (an exception) or ``hang`` (no progress for ever). Empty in every real run.
"""

from __future__ import annotations

import os
import resource
import signal
import time

from evaluation.ledger.claim import Lease
from evaluation.ledger.context import ArmContext


class InjectedFaultError(RuntimeError):
    """Raised by the fault ``raise``."""


def inject(fault: str, context: ArmContext, lease: Lease) -> None:
    """Do the fault if the chunk holds its seed."""
    kind, _, seed = fault.partition(":")
    repeats = context.spec.repeats
    deals = range(lease.start // repeats, (lease.start + lease.size - 1) // repeats + 1)
    if all(context.source.seed(i) != seed for i in deals):
        return
    if kind == "raise":
        raise InjectedFaultError(f"fault on deal {seed}")
    if kind == "hang":
        time.sleep(3600)
    if kind == "memory":
        _run_out_of_memory()
    os.kill(os.getpid(), signal.SIGKILL if kind == "kill" else signal.SIGSEGV)


def _run_out_of_memory() -> None:
    """Raises MemoryError, and leaves the process with its limits as they were."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (512 * 2**20, before[1]))
    try:
        bytearray(2**31)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
