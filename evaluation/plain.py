"""What is wrong with a value, in plain words: for people who filled in a form or wrote a command."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from engine.words import counted

PRINTED = r"^[^\x00-\x1f\x7f-\x9f]*$"
"""Text without control characters: PostgreSQL keeps no NUL, and names are printed on terminals."""
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "there is no such field",
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "less_than": "must be less than {lt}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "finite_number": "must be a number",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
}
for _types, _words in {
    ("int_parsing", "int_type", "int_from_float"): "must be a whole number",
    ("float_parsing", "float_type"): "must be a number",
    ("model_type", "model_attributes_type", "dict_type"): "must be a JSON object",
}.items():
    _WORDS |= dict.fromkeys(_types, _words)
_LENGTHS = {
    "string_too_long": ("max_length", "character", "", "fewer"),
    "string_too_short": ("min_length", "character", "", "more"),
    "too_long": ("max_length", "entry", "entries", "fewer"),
    "too_short": ("min_length", "entry", "entries", "more"),
}
"""Bound, what is counted, its plural where it is no plain one, and on which side of the bound."""


def plain(item: ErrorDetails) -> str:
    """One fault of a validation; pydantic's own words where there are no better ones."""
    if item.get("ctx", {}).get("pattern") == PRINTED:
        return "must have no line feeds or other control characters"
    if (bound := _LENGTHS.get(item["type"])) is not None:
        limit, thing, things, side = bound
        return f"must have {counted(item['ctx'][limit], thing, things)} or {side}"
    words = _WORDS.get(item["type"])
    if words is None:
        return item["msg"].removeprefix("Value error, ")
    return words.format(**item.get("ctx", {}))


def merged(faults: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What is wrong by field. A field that may be one of several kinds has a fault for each; they are told as
    one: ``must be a whole number, or must be text``."""
    told: dict[str, list[str]] = {}
    for field, message in faults:
        known = told.setdefault(field, [])
        if message not in known:
            known.append(message)
    return {field: ", or ".join(messages) for field, messages in told.items()}


def first_fault(error: ValidationError, otherwise: str) -> str:
    """The first fault with the field it is in; ``otherwise`` names what has no field."""
    item = error.errors()[0]
    return f"{'.'.join(map(str, item['loc'])) or otherwise}: {plain(item)}"
