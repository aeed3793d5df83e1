"""Deals as JSON: our own ``spidervet-deal/1``, and Solvitaire's form.

``{"format": "spidervet-deal/1", "id": text, "variant": name or record, "columns": [[deepest card first]],
"face_down": [per column], "stock": [in deal order]}``; a comment may stand under "comment",
and what `show` says of the deal under "outlook".

Solvitaire: ``{"tableau piles": [[deepest first]], "stock": [last element dealt first]}``, lower-case suit for
face-down cards; it names no variant.
"""

from __future__ import annotations

import json
from typing import Any

from engine.cards import Card
from engine.deals import Deal
from engine.formats.board import says_enough
from engine.formats.building import Claim, Placed, build, placed_card
from engine.formats.errors import Spot, UnsayableError, shown
from engine.formats.located import Node, parse
from engine.variants import Variant, VariantError, resolve
from engine.words import counted

FORMAT = "spidervet-deal/1"


def read(text: str, variant: Variant | None = None) -> Deal:
    """Read either form of JSON. variant: needed where the text names none; it goes before the text's own.
    Raises FormatError."""
    node = parse(text)
    if isinstance(node.value, dict) and "tableau piles" in node.value:
        return _read_solvitaire(node, variant)
    members = node.record(
        "deal", ["format", "columns", "stock"], ["id", "variant", "face_down", "comment", "outlook"]
    )
    check_format(members["format"], FORMAT)
    own = read_variant(members["variant"]) if "variant" in members else None
    return read_cards(members, variant or own, members.get("id"), node.spot, strict=variant is None)


def check_format(node: Node, wanted: str) -> None:
    if node.value != wanted:
        raise node.fail(f"format: expected {wanted!r}, not {shown(node.plain())}")


def read_cards(
    members: dict[str, Node], variant: Variant | None, identity: Node | None, end: Spot, *, strict: bool
) -> Deal:
    """The deal of ``columns``, ``face_down`` and ``stock``. identity: what the file calls it. strict: see
    `building.build`. Raises FormatError."""
    if variant is None:
        raise Node(None, end).fail("variant: the text does not name it; say which it is")
    columns = [_column(f"columns[{i}]", node) for i, node in enumerate(members["columns"].items("columns"))]
    if "face_down" in members:
        columns = _turned(columns, members["face_down"])
    stock = [_card(f"stock[{i}]", node) for i, node in enumerate(members["stock"].items("stock"))]
    claim = None
    if identity is not None and identity.value is not None:
        claim = Claim(identity.text("id"), identity.spot)
    return build(variant, columns, stock, end, claim, strict=strict)


def read_variant(node: Node) -> Variant:
    """A variant by name or record. Raises FormatError naming the rule field."""
    try:
        return resolve(node.plain())
    except VariantError as error:
        inner = node.value.get(error.field) if isinstance(node.value, dict) else None
        raise (inner or node).fail(f"variant: {error}") from error


def _column(what: str, node: Node) -> list[Placed]:
    return [_card(f"{what}[{i}]", card) for i, card in enumerate(node.items(what))]


def _card(what: str, node: Node) -> Placed:
    return placed_card(node.text(what), node.spot)


def _turned(columns: list[list[Placed]], node: Node) -> list[list[Placed]]:
    """The columns with their face-down cards marked."""
    counts = node.items("face_down")
    if len(counts) != len(columns):
        raise node.fail(
            f"face_down: {counted(len(counts), 'entry', 'entries')} for {counted(len(columns), 'column')}"
        )
    out = []
    for i, (column, count) in enumerate(zip(columns, counts, strict=True)):
        down = count.whole(f"face_down[{i}]")
        if not 0 <= down <= max(0, len(column) - 1):
            raise count.fail(
                f"face_down[{i}]: {down} of {counted(len(column), 'card')}; the end must be face up"
            )
        out.append([Placed(p.card, k < down, p.spot) for k, p in enumerate(column)])
    return out


def _read_solvitaire(node: Node, variant: Variant | None) -> Deal:
    members = node.record("Solvitaire deal", ["tableau piles"], ["stock"])
    if variant is None:
        raise node.fail("Solvitaire's form does not name its variant; say which it is")
    columns = []
    for i, pile in enumerate(members["tableau piles"].items("tableau piles")):
        what = f"tableau piles[{i}]"
        columns.append([_turnable(f"{what}[{k}]", card) for k, card in enumerate(pile.items(what))])
    stock = members["stock"].items("stock") if "stock" in members else []
    cards = [_card(f"stock[{i}]", card) for i, card in enumerate(stock)]
    return build(variant, columns, cards[::-1], node.spot)


def _turnable(what: str, node: Node) -> Placed:
    text = node.text(what)
    return placed_card(text, node.spot, down=text[-1:].islower())


def deal_object(deal: Deal) -> dict[str, Any]:
    """A deal as the object of ``spidervet-deal/1``."""
    head = {"format": FORMAT, "id": str(deal.identity), "variant": variant_object(deal.variant)}
    return head | cards_object(deal)


def cards_object(deal: Deal) -> dict[str, Any]:
    """``columns``, ``face_down`` and ``stock``."""
    return {
        "columns": [[str(card) for card in column] for column in deal.columns],
        "face_down": list(deal.face_down),
        "stock": [str(card) for card in deal.stock],
    }


def variant_object(variant: Variant) -> str | dict[str, Any]:
    """A variant's label where that is enough to find it again, else its full record."""
    return variant.label if says_enough(variant) else variant.record()


def write(deal: Deal) -> str:
    """``spidervet-deal/1`` on one line."""
    return json.dumps(deal_object(deal)) + "\n"


def write_solvitaire(deal: Deal) -> str:
    """Solvitaire's form. Raises UnsayableError for packs that are not of thirteen ranks."""
    if deal.variant.ranks != 13:
        raise UnsayableError("Solvitaire's form is for packs of thirteen ranks")
    piles = [
        [_solvitaire_name(card, down=i < down) for i, card in enumerate(column)]
        for column, down in zip(deal.columns, deal.face_down, strict=True)
    ]
    out: dict[str, Any] = {"tableau piles": piles}
    if deal.stock:
        out["stock"] = [_solvitaire_name(card, down=False) for card in reversed(deal.stock)]
    return json.dumps(out) + "\n"


def _solvitaire_name(card: Card, *, down: bool) -> str:
    rank = "10" if card.rank == 10 else str(card)[0]
    return rank + (card.suit.letter.lower() if down else card.suit.letter)
