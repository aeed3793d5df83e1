"""Write the tables of docs that say what the code has (`PAGES`) anew.

Run ``make docs``; `tests/docs/test_tables.py` fails while a page differs from what this writes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from api.app import create_app
from cli.main import app as cli_app
from evaluation.settings import Settings

DOCS = Path(__file__).parent
ROOMS = ("engine", "evaluation", "api", "worker", "cli", "tools", "benchmarks")
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def settings_table() -> Iterator[str]:
    yield "| variable | default | meaning |\n|---|---|---|\n"
    for name, field in Settings.model_fields.items():
        default = "" if field.default in (None, "") else field.default
        yield f"| `SPIDERVET_{name.upper()}` | {default} | {field.description} |\n"


def api_table() -> Iterator[str]:
    yield "| route | what it does |\n|---|---|\n"
    for path, methods in create_app(Settings()).openapi()["paths"].items():
        for method, operation in methods.items():
            yield f"| `{method.upper()} {path}` | {operation['summary']} |\n"


def cli_table() -> Iterator[str]:
    yield "| command | what it does | options |\n|---|---|---|\n"
    yield from _commands(typer.main.get_command(cli_app), "spidervet")


def _commands(command: Any, name: str) -> Iterator[str]:
    """A row for each command below one. Typer's parameters are not click's: ask for their kind."""
    inner = getattr(command, "commands", None)
    if inner:
        for word, part in inner.items():
            yield from _commands(part, f"{name} {word}")
        return
    shown = [p.opts[0] if p.param_type_name == "option" else p.name.upper() for p in command.params]
    options = " ".join(f"`{o}`" for o in shown if o != "--help")
    summary = " ".join((command.help or "").split("\n\n")[0].split())
    yield f"| `{name}` | {summary} | {options} |\n"


def rooms_table() -> Iterator[str]:
    yield "| package | what is in it |\n|---|---|\n"
    for top in ROOMS:
        for path in sorted((DOCS.parent / top).rglob("__init__.py")):
            said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
            if said:
                name = path.parent.relative_to(DOCS.parent)
                yield f"| `{name}` | {' '.join(said.partition(chr(10) * 2)[0].split())} |\n"


PAGES = {
    "settings.md": settings_table, "api.md": api_table, "cli.md": cli_table, "architecture.md": rooms_table,
}  # fmt: skip


def page(name: str) -> str:
    """A page's text with its table written anew."""
    before, begin, rest = (DOCS / name).read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"docs/{name} has no marked table")
    return before + begin + "".join(PAGES[name]()) + end + after


def main() -> None:
    for name in PAGES:
        (DOCS / name).write_text(page(name))


if __name__ == "__main__":
    main()
