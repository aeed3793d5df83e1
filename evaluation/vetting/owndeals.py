"""A site's own deals with dates: from a file or a request, judged in the same way, nothing replaced.

JSON: a list of ``{"date": "2026-12-01", "id": "pysolfc:spider-4:123"}`` or ``{"date": ..., "deal":
{"format": "spidervet-deal/1", ...}}``, or an object with that list as ``deals``. NDJSON: one such object a
line. CSV: columns ``date`` and ``id``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from engine.deals import Deal, DealError, deal_by_id
from engine.formats import dealjson
from engine.formats.errors import FormatError
from engine.variants import Variant, resolve
from evaluation.spec import SpecError

YEARS = range(1970, 9998)
"""Years of dates, so that whoever looks some days ahead or back finds a date there, too."""
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def parse_date(text: object, field: str) -> date:
    """``2026-12-01``, in the years of `YEARS`. Raises SpecError."""
    try:
        if not isinstance(text, str) or not DATE.fullmatch(text):
            raise ValueError
        found = date.fromisoformat(text)
    except ValueError:
        raise SpecError.at(field, f"{str(text)[:40]!r} is not a date such as 2026-12-01") from None
    if found.year not in YEARS:
        raise SpecError.at(field, f"{found} is not within the years {YEARS[0]} to {YEARS[-1]}")
    return found


def read_deals(items: Sequence[Any], variant: Variant, field: str = "deals") -> dict[date, Deal]:
    """Deals by date. variant: the calendar's own. Raises SpecError naming the item."""
    found: dict[date, Deal] = {}
    if not items:
        raise SpecError.at(field, "the list is empty")
    for i, item in enumerate(items):
        where = f"{field}.{i}"
        if not isinstance(item, dict):
            raise SpecError.at(where, 'expected {"date", "id"} or {"date", "deal"}')
        day = parse_date(item.get("date"), f"{where}.date")
        if day in found:
            raise SpecError.at(f"{where}.date", f"{day} is there twice")
        found[day] = _deal(item, variant, where)
    return found


def _deal(item: dict[str, Any], variant: Variant, where: str) -> Deal:
    unknown = set(item) - {"date", "id", "deal"}
    if unknown:
        raise SpecError.at(where, f"unknown key {min(unknown)[:40]!r}; there are date, id, deal")
    try:
        if item.get("deal") is not None:
            if item.get("id") is not None:
                raise SpecError.at(where, "either id or deal, not both")
            _same_game(item["deal"], variant, f"{where}.deal.variant")
            return dealjson.read(orjson.dumps(item["deal"]).decode(), variant)
        if not isinstance(item.get("id"), str):
            raise SpecError.at(where, "'id' or 'deal' is missing")
        made = deal_by_id(item["id"], variant)
    except (FormatError, DealError, ValueError) as error:
        raise error if isinstance(error, SpecError) else SpecError.at(where, str(error)) from error
    if made.variant.key != variant.key:
        raise SpecError.at(f"{where}.id", f"a deal of {made.variant.label}, not of {variant.label}")
    return made


def _same_game(data: Any, variant: Variant, where: str) -> None:
    """Refuse a deal that says that it is of another game: its cards would be judged by other rules."""
    said = data.get("variant") if isinstance(data, dict) else None
    if said is not None and (game := resolve(said)).key != variant.key:
        raise SpecError.at(where, f"a deal of {game.label}, not of {variant.label}")


def read_file(path: Path, variant: Variant) -> dict[date, Deal]:
    """The deals of a file, by its ending: .json, .ndjson, .csv. Raises SpecError, OSError."""
    data = path.read_bytes()
    try:
        if path.suffix == ".csv":
            items: Any = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
        elif path.suffix == ".ndjson":
            items = [orjson.loads(line) for line in data.splitlines() if line.strip()]
        else:
            items = orjson.loads(data)
    except (UnicodeDecodeError, csv.Error, orjson.JSONDecodeError) as error:
        raise SpecError.at(str(path), f"cannot be read: {error}") from error
    if isinstance(items, dict):
        items = items.get("deals")
    if not isinstance(items, list):
        raise SpecError.at(str(path), "expected a list of deals with dates")
    return read_deals(items, variant, path.name)
