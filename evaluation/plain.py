"""What is wrong with a value, in plain words: for people who filled in a form or wrote a command."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "there is no such field",
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "less_than": "must be less than {lt}",
    "string_too_long": "must have {max_length} characters or fewer",
    "string_too_short": "must have {min_length} characters or more",
    "too_long": "must have {max_length} entries or fewer",
    "too_short": "must have {min_length} entries or more",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "finite_number": "must be a number",
} | dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "must be a whole number") | dict.fromkeys(
    ("float_parsing", "float_type"), "must be a number"
)  # fmt: skip


def plain(item: ErrorDetails) -> str:
    """One fault of a validation; pydantic's own words where there are no better ones."""
    words = _WORDS.get(item["type"])
    if words is None:
        return item["msg"].removeprefix("Value error, ")
    return words.format(**item.get("ctx", {}))


def first_fault(error: ValidationError, otherwise: str) -> str:
    """The first fault with the field it is in; ``otherwise`` names what has no field."""
    item = error.errors()[0]
    return f"{'.'.join(map(str, item['loc'])) or otherwise}: {plain(item)}"
