"""Programs that tests need: without one a test is skipped by its name; in CI, which has all, it fails."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def absent(what: str) -> NoReturn:
    """Skip the test, or fail it in CI, because something is not installed."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not installed, and CI must run this test")
    pytest.skip(f"{what} is not installed")


def need(*names: str) -> str:
    """The path of the first of these programs that is there; else as `absent`."""
    for name in names:
        if path := shutil.which(name):
            return path
    absent(" or ".join(names))
