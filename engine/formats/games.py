"""Games, replays and solutions as JSON: ``spidervet-game/1``.

``{"format": "spidervet-game/1", "variant": full record or name, "id": text or null, "deal": {"columns",
"face_down", "stock"}, "moves": ["3>7x4", "deal", ...], "by": "solver", "engine": version}``. The deal may be
left out where the id names one that a scheme deals; by, engine and comment may be left out.
"""

from __future__ import annotations

import json
from typing import Any

from engine.deals import Deal, DealError, deal_by_id
from engine.formats.dealjson import cards_object, check_format, read_cards, read_variant
from engine.formats.errors import text_of
from engine.formats.located import Node, parse
from engine.moves import MoveError, parse_move
from engine.replay import MAX_ENTRIES, GameRecord
from engine.variants import Variant

FORMAT = "spidervet-game/1"


def read_game(data: str | bytes) -> GameRecord:
    """Read a game. Its moves must be moves; whether they are legal is `replay`'s business.

    Raises FormatError with line and column.
    """
    node = parse(text_of(data))
    members = node.record("game", ["format", "variant", "moves"], ["id", "deal", "by", "engine", "comment"])
    check_format(members["format"], FORMAT)
    variant = read_variant(members["variant"])
    deal = read_its_deal(node, members, variant)
    moves = members["moves"].items("moves")
    if len(moves) > MAX_ENTRIES:
        raise members["moves"].fail(f"moves: {len(moves)} of them; at most {MAX_ENTRIES} are judged")
    by, engine = (members[key].text(key) if key in members else "" for key in ("by", "engine"))
    return GameRecord(deal, tuple(_move(i, move) for i, move in enumerate(moves)), by, engine)


def read_its_deal(node: Node, members: dict[str, Node], variant: Variant) -> Deal:
    """The deal of a game or proof: its cards, or what its id deals. Raises FormatError."""
    identity = members.get("id")
    if "deal" in members:
        cards = members["deal"].record("deal", ["columns", "stock"], ["face_down"])
        return read_cards(cards, variant, identity, members["deal"].spot, strict=True)
    if identity is None or identity.value is None:
        raise node.fail("'deal' is missing, and there is no 'id' to deal it from")
    try:
        made = deal_by_id(identity.text("id"), variant)
    except (DealError, ValueError) as error:
        raise identity.fail(f"id: {error}") from error
    if made.variant != variant:
        raise identity.fail(f"id: a deal of {made.variant.label}, but the game is {variant.label}")
    return made


def _move(number: int, node: Node) -> str:
    text = node.text(f"moves[{number}]")
    try:
        return str(parse_move(text))
    except MoveError as error:
        raise node.fail(f"moves[{number}]: {error}") from error


def game_object(record: GameRecord) -> dict[str, Any]:
    """A game as the object of ``spidervet-game/1``."""
    return {
        "format": FORMAT,
        "variant": record.deal.variant.record(),
        "id": str(record.deal.identity),
        "deal": cards_object(record.deal),
        "moves": list(record.moves),
        "by": record.by,
        "engine": record.engine,
    }


def write_game(record: GameRecord) -> str:
    return json.dumps(game_object(record)) + "\n"
