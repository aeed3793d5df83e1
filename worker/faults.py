"""Faults on purpose, for tests of recovery: a deal that crashes or hangs whoever evaluates it.

Set by ``SPIDERVET_TEST_FAULT`` as ``KIND:SEED``; KIND is ``crash`` (a segmentation fault), ``memory``
(the kernel's kill), ``raise`` (an exception) or ``hang`` (no progress for ever). Empty in every real run.
"""

from __future__ import annotations

import os
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
    os.kill(os.getpid(), signal.SIGKILL if kind == "memory" else signal.SIGSEGV)
