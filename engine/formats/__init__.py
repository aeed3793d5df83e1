"""Files of deals and games, in text and out of it. Nothing here opens a file; see docs/formats.md."""

from __future__ import annotations

from enum import StrEnum

from engine.deals import Deal
from engine.formats import board, dealjson, kpat
from engine.formats.errors import FormatError, text_of
from engine.formats.errors import UnsayableError as UnsayableError
from engine.variants import Variant


class Format(StrEnum):
    """What `spidervet show --format` writes."""

    TEXT = "text"
    JSON = "json"
    PYSOLFC = "pysolfc"
    SOLVITAIRE = "solvitaire"
    KPAT = "kpat"


_WRITERS = {
    Format.TEXT: board.write,
    Format.JSON: dealjson.write,
    Format.PYSOLFC: board.write_pysolfc,
    Format.SOLVITAIRE: dealjson.write_solvitaire,
    Format.KPAT: kpat.write,
}


def write_deal(deal: Deal, form: Format = Format.TEXT) -> str:
    """A deal in a format. Raises UnsayableError where the format has no words for it."""
    return _WRITERS[form](deal)


def read_deal(data: str | bytes, variant: Variant | None = None) -> Deal:
    """A deal from a file in any format, found out by how it begins.

    variant: needed for formats that do not name it; it goes before what the file names.
    Raises FormatError with line and column.
    """
    text = text_of(data)
    begin = text.lstrip()
    if not begin:
        raise FormatError("the file is empty")
    if begin[0] in "{[":
        return dealjson.read(text, variant)
    if begin.startswith(("<?xml", "<kpat", "<!")):
        return kpat.read(text, variant)
    return board.read(text, variant)
