"""What a benchmark prints about itself: its command line and the machine it runs on."""

from __future__ import annotations

import platform
import shlex
import sys
from pathlib import Path


def command(name: str) -> str:
    """The command line of the running benchmark module, to be typed again."""
    return shlex.join(["python", "-m", f"benchmarks.{name}", *sys.argv[1:]])


def machine() -> str:
    """The processor's name, where the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text()
        names = [t.split(":", 1)[1].strip() for t in text.splitlines() if t.startswith("model name")]
        name = names[0] if names else platform.processor()
    except OSError:
        name = platform.processor()
    return f"{name}, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
