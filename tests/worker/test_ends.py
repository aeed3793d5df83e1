"""How a worker host ends when its main loop does not help."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.service import wait_for
from worker import ends


def test_patience_runs_out_only_without_a_break(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    patience = ends.Patience(10)
    assert not patience.over(True)
    now[0] += 9
    assert not patience.over(True)
    assert not patience.over(False)
    now[0] += 9
    assert not patience.over(True)
    now[0] += 10
    assert patience.over(True)


PROGRAM = """
import os, subprocess, sys, time
from worker import ends
if os.environ.get("AGAIN"):
    print("again", os.getpid(), sys.argv[1:], flush=True)
    sys.exit(0)
child = subprocess.Popen(["sleep", "600"])
print("first", os.getpid(), child.pid, flush=True)
os.environ["AGAIN"] = "1"
ends.{how}
"""


def _run(tmp_path: Path, how: str) -> tuple[int, list[list[str]]]:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(how=how))
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, str(file), "--word"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    return done.returncode, [line.split() for line in done.stdout.splitlines()]


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_starting_again_keeps_number_and_command_and_ends_the_children(tmp_path: Path) -> None:
    code, (first, again) = _run(tmp_path, "start_again()")
    assert code == 0
    assert again[:2] == ["again", first[1]]
    assert again[2] == "['--word']"
    wait_for("the child's end", lambda: _gone(int(first[2])), 10)


def test_leaving_ends_the_children_too(tmp_path: Path) -> None:
    code, (first,) = _run(tmp_path, "leave(3)")
    assert code == 3
    wait_for("the child's end", lambda: _gone(int(first[2])), 10)
    with pytest.raises(ProcessLookupError):
        os.kill(int(first[1]), signal.SIGCONT)
