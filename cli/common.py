"""What commands share: settings with options laid over them, errors in one form, output."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import orjson
import typer
from pydantic import ValidationError
from rich.console import Console
from sqlalchemy.exc import SQLAlchemyError

from engine.deals import DealError
from engine.variants import VariantError
from evaluation.db import trouble
from evaluation.migrate import SchemaOutOfDateError
from evaluation.plain import plain
from evaluation.settings import Settings, get_settings, unknown_variables
from evaluation.spec import SpecError

USAGE, NEGATIVE = 2, 1
# Without emoji=False the identity spidervet:scorpion:5 would be printed with a picture in its middle.
out = Console(highlight=False, emoji=False, width=None if sys.stdout.isatty() else 160)
err = Console(stderr=True, highlight=False, emoji=False)


def fail(message: str, code: int = NEGATIVE) -> NoReturn:
    """Say what is wrong on standard error and end."""
    err.print(f"spidervet: {message}", markup=False, soft_wrap=True)
    raise typer.Exit(code)


@contextmanager
def told() -> Iterator[None]:
    """Turn the errors that users cause or can mend into one line and an exit code."""
    try:
        yield
    except SpecError as error:
        fail("\n".join(f"{f.field}: {f.message}" for f in error.faults), USAGE)
    except (DealError, VariantError) as error:
        fail(str(error), USAGE)
    except ValidationError as error:
        fail("\n".join(f"{'.'.join(map(str, e['loc']))}: {plain(e)}" for e in error.errors()), USAGE)
    except (SchemaOutOfDateError, OSError) as error:
        fail(_in_words(error))
    except SQLAlchemyError as error:
        fail(f"{trouble(error)} ({str(error).splitlines()[0]})")


def _in_words(error: Exception) -> str:
    """What is wrong with which file, without the system's number of the fault."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror[:1].lower()}{error.strerror[1:]}"
    return str(error)


def settings_with(**options: Any) -> Settings:
    """The settings with the given options over them, also for child processes; None leaves a setting."""
    for name, value in options.items():
        if value is not None:
            os.environ[f"SPIDERVET_{name.upper()}"] = str(value)
    get_settings.cache_clear()
    return get_settings()


def warn_of_unknown() -> None:
    """Name variables that look like settings and have no effect, on standard error."""
    for name in unknown_variables(os.environ):
        err.print(f"spidervet: {name} is not a setting; `spidervet config` lists them", markup=False)


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.buffer.write(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()


def seeds_option(text: str) -> dict[str, Any]:
    """``1-300``, ``7`` or ``1,5,ms12``: a job's ``deals`` without its scheme. Raises SpecError."""
    span = re.fullmatch(r"\s*([0-9]{1,40})\s*-\s*([0-9]{1,40})\s*", text)
    if span:
        first, last = int(span[1]), int(span[2])
        if last < first:
            raise SpecError.at("seeds", f"{text!r} ends before it begins")
        return {"first": str(first), "count": last - first + 1}
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise SpecError.at("seeds", f"{text!r} is not a range such as 1-300 or a list such as 1,5,9")
    return {"seeds": parts}


def variant_option(text: str) -> str | dict[str, Any]:
    """A variant's name, its JSON record or ``@FILE`` with one. Raises SpecError."""
    if text.startswith("@"):
        record = read_json(Path(text[1:]))
    elif text.lstrip().startswith("{"):
        try:
            record = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise SpecError.at("variant", f"not JSON: {error}") from error
    else:
        return text
    if not isinstance(record, dict):
        raise SpecError.at("variant", f"{text}: expected a JSON object")
    return record


def only_with(ctx: typer.Context, option: str, *others: str) -> None:
    """Refuse options of the command line that ``option`` leaves without a meaning. others: those it takes
    beside it. Raises SpecError that names the rest."""
    taken = {option, *others}
    idle = [name for name in _typed(ctx) if name not in taken]
    if idle:
        raise SpecError.at(option, f"{', '.join(idle)} would have no effect beside it")


def _typed(ctx: typer.Context) -> list[str]:
    """The options that stand on the command line, by their long names; not those of the environment."""
    sources = ((p, ctx.get_parameter_source(str(p.name))) for p in ctx.command.params)
    return [
        max(p.opts, key=len)
        for p, source in sources
        if p.param_type_name == "option" and source is not None and source.name == "COMMANDLINE"
    ]


def read_json(path: Path) -> Any:
    """A JSON file, with or without a byte order mark. Raises SpecError naming it."""
    try:
        return orjson.loads(path.read_bytes().removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise SpecError.at(str(path), f"not JSON: {error}") from error
