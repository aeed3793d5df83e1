"""The engine does no I/O, reads no clock and no environment, logs nothing, and shares no random state."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine"
MODULES = sorted(path.relative_to(ENGINE).as_posix() for path in ENGINE.rglob("*.py"))
FORBIDDEN = {
    "os",
    "time",
    "datetime",
    "logging",
    "socket",
    "subprocess",
    "threading",
    "secrets",
    "tempfile",
    "uuid",
}
WITH_SHIPPED_DATA = {"weights.py", "schedules.py"}
"""They read files that are part of the package, once."""
GUESTS = {"guests.py"}
"""Finds players of other packages, and times their games as the native core times its own."""


def tree_of(module: str) -> ast.Module:
    return ast.parse((ENGINE / module).read_text())


def imported(module: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    return names


@pytest.mark.parametrize("module", MODULES)
def test_no_module_imports_what_reaches_outside(module: str) -> None:
    assert not imported(module) & (FORBIDDEN - {"time"} if module in GUESTS else FORBIDDEN)
    if module not in WITH_SHIPPED_DATA | GUESTS:
        assert not imported(module) & {"importlib", "pathlib"}


@pytest.mark.parametrize("module", MODULES)
def test_no_module_opens_prints_or_draws_from_the_global_generator(module: str) -> None:
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input", "eval", "exec"}
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random":
            assert node.attr == "Random"
