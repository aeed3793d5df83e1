"""Run jobs in slices through a service, breadth first: any stop leaves something of each."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterator, Sequence

from tools.evidence.stack import Api, stack
from tools.evidence.store import Slice, current, job_data, load, part, plan_of, save, spec_hash, summarise


def run(names: Sequence[str], size: int, seconds: float, python: str, workers: int) -> None:
    """Run slices of ``size`` deals of each job in turn until all are done or ``seconds`` are over.

    What an older engine or an older question gave is dropped where a new slice takes its place.
    """
    python = os.path.abspath(python)  # servers start in folders of their own
    engine = _version(python)
    until = time.monotonic() + seconds
    with stack(python, workers) as api:
        for name, first, count in _todo(names, size, engine):
            if time.monotonic() > until:
                return
            _one(api, name, first, count, engine)


def _todo(names: Sequence[str], size: int, engine: str) -> Iterator[tuple[str, int, int]]:
    """(job, first seed, deals) of the slices still to run, one of each job before the next of any."""
    left = list(names)
    while left:
        for name in list(left):
            data = job_data(name)
            deals = data["deals"]
            kept = [s for s in load(name) if current(data, s, engine)]
            done = sum(s.count for s in kept)
            if done >= deals["count"]:
                left.remove(name)
                continue
            yield name, deals["first"] + done, min(size, deals["count"] - done)


def _one(api: Api, name: str, first: int, count: int, engine: str) -> None:
    data = job_data(name)
    body = part(data, first, count)
    start = time.monotonic()
    arms = summarise(plan_of(body), api.run(body), engine)
    wall = round(time.monotonic() - start, 1)
    kept = tuple(s for s in load(name) if current(data, s, engine))
    save(name, (*kept, Slice(first, count, spec_hash(data), engine, machine(), wall, arms)))
    print(f"{name}: deals {first} to {first + count - 1}, {wall:.0f} s", flush=True)


def machine() -> str:
    """Processors and architecture, as a reader would describe the machine."""
    return f"{len(os.sched_getaffinity(0))} processors, {platform.machine()}, {platform.system()}"


def _version(python: str) -> str:
    code = "from evaluation.versions import engine_version; print(engine_version())"
    command = [python, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd="/").stdout.strip()
