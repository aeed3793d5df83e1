"""Words for tables of cards, shared by the templates: who played, what is left, the text form."""

from __future__ import annotations

from collections.abc import Sequence

from api.pages.playback import SUIT_SIGNS, Frame, Playback, off_suits, word
from engine.cards import RANK_LETTERS, Card
from engine.deals import Deal
from engine.endings import Ending
from engine.position import Position
from engine.replay import judge
from engine.variants import Variant
from engine.words import counted

DEAD_BOUND = 2_000
"""Positions looked at to tell whether a game that was broken off was lost already."""


def who(by: str) -> str:
    """A game's heading: ``solver``, ``player:club`` and ``import`` in words."""
    kind, _, rest = by.partition(":")
    if kind == "player":
        return f"Player {rest}"
    return {"solver": "Solver", "import": "Replay", "": "The deal"}.get(by, by)


def rank_sign(card: Card) -> str:
    return "10" if card.rank == 10 else RANK_LETTERS[card.rank]


def suit_sign(card: Card) -> str:
    return SUIT_SIGNS[card.suit]


def stock_words(variant: Variant, position: Position) -> str:
    """What is left to deal. The page's script says the same in the same words."""
    if not position.stock:
        return "Stock empty"
    deals = -(-len(position.stock) // len(position.columns))
    return f"Stock {counted(len(position.stock), 'card')}, {counted(deals, 'deal')} left"


def off_words(variant: Variant, position: Position) -> str:
    """The sequences off the table, with their suits."""
    suits = "".join(SUIT_SIGNS[suit] for suit in off_suits(variant, position))
    return f"Sequences off {position.off} of {variant.sequences}" + (f" {suits}" if suits else "")


def text_lines(frame: Frame, hidden: bool) -> list[str]:
    """The table in words, one line a column."""
    lines = []
    columns = zip(frame.position.columns, frame.position.face_down, strict=True)
    for i, (cards, down) in enumerate(columns, 1):
        if hidden:
            parts = [word(c) + (" (face down)" if k < down else "") for k, c in enumerate(cards)]
        else:
            parts = ([f"{down} face down"] if down else []) + [word(c) for c in cards[down:]]
        lines.append(f"Column {i}: {', '.join(parts) or 'empty'}")
    return lines


def ending_of(deal: Deal, game: Playback) -> str:
    """How a game ended. A player that gave up is ``unfinished`` to the rules; it is shown as no progress."""
    ending = judge(deal.variant, deal, map(str, game.entries), DEAD_BOUND).ending
    if ending is Ending.UNFINISHED and game.by.startswith("player:"):
        return Ending.NO_PROGRESS.value
    return ending.value


def status(game: Playback, frame: Frame) -> str:
    """Where a game stands, in one word."""
    if frame.position.off == game.deal.variant.sequences:
        return "won"
    return "end" if frame.number == len(game.frames) - 1 else "playing"


def comparison(games: Sequence[Playback], endings: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Rows of the table that sets games side by side."""
    rows: list[tuple[str, list[str]]] = [("Ending", list(endings))]
    rows.append(("Moves", [str(g.last.moves) for g in games]))
    rows.append(("Stock deals", [str(sum(f.entry == "deal" for f in g.frames)) for g in games]))
    rows.append(("Sequences off", [f"{g.last.position.off} of {g.deal.variant.sequences}" for g in games]))
    rows.append(("Face down at the end", [str(g.last.position.hidden) for g in games]))
    if all(g.last.score is not None for g in games):
        rows.append((f"Score ({games[0].deal.variant.scoring})", [str(g.last.score) for g in games]))
    rows.append(("First stock deal", [_first(g, "deal") for g in games]))
    rows.append(("First sequence off", [_first_off(g) for g in games]))
    return rows


def _first(game: Playback, entry: str) -> str:
    found = next((f.number for f in game.frames if f.entry == entry), None)
    return "none" if found is None else f"move {found}"


def _first_off(game: Playback) -> str:
    found = next((f.number for f in game.frames if f.position.off), None)
    return "none" if found is None else f"move {found}"


def parting(games: Sequence[Playback]) -> str:
    """Where two games part."""
    if len(games) < 2:
        return ""
    first, second = (tuple(map(str, g.entries)) for g in games[:2])
    for number, (a, b) in enumerate(zip(first, second, strict=False), 1):
        if a != b:
            same = "The first move is" if number == 2 else f"The first {number - 1} moves are"
            before = f"{same} the same; then" if number > 1 else "At the first move"
            return f"{before} {who(games[0].by)} plays {a} and {who(games[1].by)} plays {b}."
    return (
        "One game is the beginning of the other." if len(first) != len(second) else "Both games are the same."
    )
