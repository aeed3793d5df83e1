"""KPatience's saved games (XML): the layout is the first ``<state>``; later states are moves, not read.

Spider (``game-type-options`` is the number of suits; where it is missing it is inferred from the cards) and
Simple Simon. A stock pile's cards are dealt from its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from engine.cards import Card, Suit
from engine.deals import Deal, DealError, deal
from engine.formats.building import Placed, build
from engine.formats.errors import START, FormatError, Spot, UnsayableError, shown
from engine.schemes.generators import deck
from engine.schemes.kpat import deck_in_order
from engine.variants import NAMED, Variant
from engine.words import counted

SUITS = {"spades": Suit.SPADES, "hearts": Suit.HEARTS, "diamonds": Suit.DIAMONDS, "clubs": Suit.CLUBS}
RANKS = "ace,two,three,four,five,six,seven,eight,nine,ten,jack,queen,king".split(",")  # noqa: SIM905
_PILE = re.compile(r"(stack|store|redeals)([0-9])")
STOCK_PILES = 5
_SIMON = ("simplesimon", "simple-simon")


@dataclass
class _Save:
    game: str = ""
    options: str | None = None
    number: str = ""
    spot: Spot = START
    piles: dict[tuple[str, int], list[Placed]] = field(default_factory=dict)

    @property
    def table(self) -> str:
        """What the game calls its columns."""
        return "store" if self.game in _SIMON else "stack"

    def has(self, pile: str, number: int) -> bool:
        """Whether the game has such a pile in its layout."""
        return pile == self.table or (pile == "redeals" and number < STOCK_PILES and self.game not in _SIMON)


def read(text: str, variant: Variant | None = None) -> Deal:
    """Read a saved game's layout. variant: goes before what the file says. Raises FormatError."""
    save = _Reader(text).save
    played = variant or _variant(save)
    columns = [save.piles.get((save.table, i), []) for i in range(10)]
    stock = [p for i in range(STOCK_PILES) for p in reversed(save.piles.get(("redeals", i), []))]
    made = build(played, columns, stock, save.spot)
    try:
        numbered = deal(played, save.number, "kpat")
    except DealError:
        return made
    return numbered if numbered.packed() == made.packed() else made


def _variant(save: _Save) -> Variant:
    if save.game in _SIMON:
        return NAMED["simple-simon-4"]
    suits = save.options
    if suits is None:
        suits = str(len({placed.card.suit for pile in save.piles.values() for placed in pile}))
    variant = NAMED.get(f"spider-{suits}")
    if variant is None:
        raise FormatError(f"{shown(suits)} suits: KPatience's Spider has 1, 2 or 4", save.spot)
    return variant


class _Reader:
    """An expat reader of the first state. It refuses document types, so that no entity expands."""

    def __init__(self, text: str) -> None:
        self.save = _Save()
        self._pile: list[Placed] | None = None
        self._states = 0
        self._in_state = False
        self._depth = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype
        try:
            self._parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            spot = Spot(error.lineno, error.offset + 1)
            raise FormatError(f"not XML: {expat.errors.messages[error.code]}", spot) from error
        if not self._states:
            raise FormatError("no <state>: there is no layout in this file", self.save.spot)

    def _fail(self, message: str) -> FormatError:
        return FormatError(message, self._spot())

    def _spot(self) -> Spot:
        return Spot(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1)

    def _doctype(self, *_: object) -> None:
        raise self._fail("a document type declaration: saved games have none")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            self._game(name, attributes)
        elif name == "state":
            self._states += 1
            self._in_state = self._states == 1
        elif self._in_state and name == "move":
            self._pile = self._move(attributes)
        elif self._in_state and name == "card":
            self._card(attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name == "state":
            self._in_state = False
        elif name == "move":
            self._pile = None

    def _game(self, name: str, attributes: dict[str, str]) -> None:
        if name != "kpat-game":
            raise self._fail(f"<{name[:40]}>: expected <kpat-game>")
        game = attributes.get("game-type", "")
        if game not in ("spider", *_SIMON):
            raise self._fail(f"game-type {shown(game)}: only spider and simplesimon are read")
        options, number = attributes.get("game-type-options"), attributes.get("deal-number", "")
        self.save = _Save(game, options, number, self._spot())

    def _move(self, attributes: dict[str, str]) -> list[Placed]:
        name = attributes.get("pile", "")
        match = _PILE.fullmatch(name)
        if not match or not self.save.has(match[1], int(match[2])):
            raise self._fail(f"pile {shown(name)} in the layout: expected the table or the stock only")
        pile = self.save.piles.setdefault((match[1], int(match[2])), [])
        position = attributes.get("position")
        if position != str(len(pile)):
            raise self._fail(
                f"position {shown(position)} in {name}, which holds {counted(len(pile), 'card')}"
            )
        return pile

    def _card(self, attributes: dict[str, str]) -> None:
        if self._pile is None:
            raise self._fail("a card outside of <move>")
        suit, rank, turn = (attributes.get(key, "") for key in ("suit", "rank", "turn"))
        if suit not in SUITS or rank not in RANKS:
            raise self._fail(f"{shown(rank)} of {shown(suit)} is not a card")
        if turn not in ("face-up", "face-down"):
            raise self._fail(f"turn {shown(turn)}: expected face-up or face-down")
        card = Card(RANKS.index(rank) + 1, SUITS[suit])
        self._pile.append(Placed(card, turn == "face-down", self._spot()))


def write(deal: Deal) -> str:
    """A saved game at its start. A deal that has no KPatience number gets number 0, which KPatience itself
    never deals. Raises UnsayableError for games that KPatience does not have."""
    simon = _same_table(deal.variant, NAMED["simple-simon-4"])
    if not simon and not _same_table(deal.variant, NAMED[f"spider-{deal.variant.suits}"]):
        raise UnsayableError(f"KPatience has no game with the cards of {deal.variant.name}")
    game = 'game-type="simplesimon"'
    if not simon:
        game = f'game-type="spider" game-type-options="{deal.variant.suits}"'
    number = deal.seed if deal.scheme == "kpat" else "0"
    ids = _Ids(deck("CDHS", ranks_first=True) if simon else deck_in_order(deal.variant.suits))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<kpat-game {game} deal-number="{number}">']
    lines.append('\t<state game-specific-state="0" current="true">')
    for i in range(0, len(deal.stock), 10):
        lines += _pile(ids, f"redeals{i // 10}", deal.stock[i : i + 10][::-1], 10)
    for i, (column, down) in enumerate(zip(deal.columns, deal.face_down, strict=True)):
        lines += _pile(ids, f"{'store' if simon else 'stack'}{i}", column, down)
    return "\n".join([*lines, "\t</state>", "</kpat-game>", ""])


def _same_table(a: Variant, b: Variant) -> bool:
    return (a.decks, a.suits, a.ranks, a.columns) == (b.decks, b.suits, b.ranks, b.columns)


class _Ids:
    """KPatience's numbers for cards: place in the unshuffled deck << 16 | suit C D H S << 8 | rank."""

    def __init__(self, cards: list[Card]) -> None:
        self._left: dict[Card, list[int]] = {}
        for place, card in enumerate(cards):
            self._left.setdefault(card, []).append(place)

    def take(self, card: Card) -> str:
        place = self._left[card].pop(0)
        return f"{place << 16 | 'CDHS'.index(card.suit.letter) << 8 | card.rank:07}"


def _pile(ids: _Ids, pile: str, cards: tuple[Card, ...], down: int) -> list[str]:
    """One <move> for the face-down cards, one for the others."""
    lines: list[str] = []
    for first, part, turn in ((0, cards[:down], "face-down"), (down, cards[down:], "face-up")):
        if part:
            lines.append(f'\t\t<move pile="{pile}" position="{first}">')
            lines += [f"\t\t\t{_element(ids, card, turn)}" for card in part]
            lines.append("\t\t</move>")
    return lines


def _element(ids: _Ids, card: Card, turn: str) -> str:
    suit, rank = f"{card.suit.name.lower()}", RANKS[card.rank - 1]
    return f'<card id="{ids.take(card)}" suit="{suit}" rank="{rank}" turn="{turn}"/>'
