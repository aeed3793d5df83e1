"""Text boards: PySolFC's, one line a column, and our own form, with variant, identity, stock and comments.

Our own form::

    # comment, to the end of the line
    variant: spider-4
    id: spidervet:spider-4:12345
    : (5S) (KH) 7D          one line a column, deepest card first, (XX) or <XX> face down
    stock: AS 2D ...        in deal order, over as many such lines as wanted

PySolFC's board text is the column lines alone, without the colon; a ``Founds:`` line is read if it is empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.deals import Deal
from engine.formats.building import Claim, Placed, build, placed_card
from engine.formats.errors import START, FormatError, Spot, UnsayableError, shown
from engine.variants import NAMED, Variant, VariantError, resolve

_LABELLED = re.compile(r"\s*([A-Za-z]*)\s*:(.*)", re.DOTALL)
_TOKEN = re.compile(r"\S+")
_MARKED = re.compile(r"<([^<>()]*)>|\(([^<>()]*)\)")
_NO_FOUNDATION = re.compile(r"(\s*[SHDC]-0)*\s*")


@dataclass
class _Board:
    columns: list[list[Placed]] = field(default_factory=list)
    stock: list[Placed] = field(default_factory=list)
    variant: Variant | None = None
    claim: Claim | None = None
    end: Spot = START


def read(text: str, variant: Variant | None = None) -> Deal:
    """Read a board in either form. variant: needed where the text names none; it goes before the text's own,
    whose identity is then kept only if it is one of that variant. Raises FormatError."""
    board = _Board()
    for number, line in enumerate(text.splitlines(), 1):
        _read_line(board, line.split("#", 1)[0], number)
    if not board.columns:
        raise FormatError("no column: an empty board", board.end)
    played = variant or board.variant
    if played is None:
        raise FormatError("the text does not name its variant; say which it is", board.end)
    return build(played, board.columns, board.stock, board.end, board.claim, strict=variant is None)


def _read_line(board: _Board, line: str, number: int) -> None:
    if not line.strip():
        return
    board.end = Spot(number, len(line.rstrip()))
    match = _LABELLED.fullmatch(line)
    label, rest = (match[1].lower(), match[2]) if match else ("", line)
    shift = len(line) - len(rest)
    spot = Spot(number, len(line) - len(line.lstrip()) + 1)
    if label == "":
        board.columns.append(_cards(rest, number, shift))
    elif label == "stock":
        board.stock += _stock(rest, number, shift)
    elif label == "variant":
        board.variant = _variant(rest.strip(), spot)
    elif label == "id":
        board.claim = Claim(rest.strip(), spot)
    elif label != "founds":
        raise FormatError(f"unknown line {shown(label)}: expected cards, stock, variant, id or Founds", spot)
    elif not _NO_FOUNDATION.fullmatch(rest):
        raise FormatError("cards on the foundations: this is no start position", spot)


def _cards(text: str, number: int, shift: int) -> list[Placed]:
    out = []
    for match in _TOKEN.finditer(text):
        spot = Spot(number, shift + match.start() + 1)
        marked = _MARKED.fullmatch(match[0])
        name = (marked[1] or marked[2] or "") if marked else match[0]
        out.append(placed_card(name, spot, down=marked is not None))
    return out


def _stock(text: str, number: int, shift: int) -> list[Placed]:
    cards = _cards(text, number, shift)
    for placed in cards:
        if placed.down:
            raise FormatError("stock cards carry no face-down mark", placed.spot)
    return cards


def _variant(text: str, spot: Spot) -> Variant:
    try:
        return resolve(text)
    except VariantError as error:
        raise FormatError(str(error), spot) from error


def write(deal: Deal) -> str:
    """Our own form. A custom variant stands in a comment only: reading it back wants the variant."""
    stated = says_enough(deal.variant)
    lines = [f"variant: {deal.variant.label}" if stated else f"# variant {deal.variant.label}"]
    lines.append(f"id: {deal.identity}")
    lines += [f": {column}".rstrip() for column in _columns(deal, "(", ")")]
    row = len(deal.columns)
    for i in range(0, len(deal.stock), row):
        lines.append("stock: " + " ".join(map(str, deal.stock[i : i + row])))
    return "\n".join(lines) + "\n"


def says_enough(variant: Variant) -> bool:
    """Whether the variant's label is enough to find it again: named ones, with presets."""
    try:
        return NAMED.get(variant.label) == variant or resolve(variant.label) == variant
    except VariantError:
        return False


def write_pysolfc(deal: Deal) -> str:
    """PySolFC's board text. Raises UnsayableError for a deal with a stock."""
    if deal.stock:
        raise UnsayableError(f"PySolFC's board text has no place for the stock of {deal.variant.name}")
    return "".join(f"{column}\n" for column in _columns(deal, "<", ">"))


def _columns(deal: Deal, left: str, right: str) -> list[str]:
    return [
        " ".join(f"{left}{card}{right}" if i < down else str(card) for i, card in enumerate(column))
        for column, down in zip(deal.columns, deal.face_down, strict=True)
    ]
