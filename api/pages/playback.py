"""A game laid out move by move for people: the position, the score and what each move did.

The reference rules play it; nothing here decides what is legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.cards import RANK_LETTERS, Card, Suit
from engine.deals import Deal
from engine.game import IllegalMoveError
from engine.layouts import full_pack
from engine.moves import Entry, MoveError, Remove, Resign, StockDeal, Tableau, Undo, parse_move
from engine.playing import Game
from engine.position import Position
from engine.scoring import WINDOWS_START, score, windows
from engine.variants import Scoring, Variant
from engine.words import counted, plural

SUIT_SIGNS = "♠♥♦♣"
SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
RANK_WORDS = ("", "ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")


def sign(card: Card) -> str:
    """``10♠``: a card as people write it."""
    return f"{'10' if card.rank == 10 else RANK_LETTERS[card.rank]}{SUIT_SIGNS[card.suit]}"


def word(card: Card) -> str:
    """``10 of spades``: a card as people say it."""
    return f"{RANK_WORDS[card.rank]} of {SUIT_WORDS[card.suit]}"


@dataclass(frozen=True)
class Frame:
    """The table after one entry; number 0 is the start.

    did: what the entry did, in words; brief: in signs. score: None without points.
    touched: per column how many cards at its end the entry brought there. moves: actions so far.
    """

    number: int
    entry: str
    did: str
    brief: str
    position: Position
    score: int | None
    moves: int
    undos: int
    touched: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Playback:
    """A game from its start to its last legal entry. fault: why the next entry, if any, was not allowed."""

    deal: Deal
    entries: tuple[Entry, ...]
    frames: tuple[Frame, ...]
    fault: str
    by: str

    @property
    def last(self) -> Frame:
        return self.frames[-1]

    @property
    def won(self) -> bool:
        return self.last.position.off == self.deal.variant.sequences

    def at(self, number: int) -> Frame:
        """The frame of a number, the nearest one for numbers outside."""
        return self.frames[max(0, min(number, len(self.frames) - 1))]


def playback(deal: Deal, texts: Iterable[str], by: str = "") -> Playback:
    """Play entries on the reference rules until the first that is not allowed."""
    game = Game(deal.variant, deal)
    points = Points(deal.variant, game.position)
    at_start = _sequences_off(Position.of(deal), game.position, deal.variant)
    frames = [Frame(0, "", "The deal." + at_start, "", game.position, points.now, 0, 0)]
    entries: list[Entry] = []
    fault = ""
    for number, text in enumerate(texts, 1):
        before = game.position
        try:
            entry = parse_move(text)
            undone = frames[-1].entry
            game.enter(entry)
        except (MoveError, IllegalMoveError) as error:
            fault = f"Entry {number}, {text[:40]!r}: {error}"
            break
        entries.append(entry)
        points.after(game.position, counts=not isinstance(entry, Resign))
        did = described(deal.variant, entry, before, game.position, undone)
        touched = _touched(entry, before, game.position)
        frames.append(
            Frame(
                number,
                str(entry),
                did,
                in_brief(deal.variant, entry, before, game.position),
                game.position,
                points.now,
                game.moves,
                game.undos,
                touched,
            )
        )
    return Playback(deal, tuple(entries), tuple(frames), fault, by)


class Points:
    """The running score under a variant's scoring. The rule itself is `engine.scoring`'s: `windows` gives
    what one step changes."""

    def __init__(self, variant: Variant, position: Position) -> None:
        self._variant, self._last = variant, position
        self.now: int | None = score(variant.scoring, variant, [position.off], position)

    def after(self, position: Position, counts: bool = True) -> None:
        if self.now is None or not counts:
            return
        if self._variant.scoring is Scoring.SOLITAIRE_PLUS:
            self.now = score(Scoring.SOLITAIRE_PLUS, self._variant, [position.off], position)
        else:
            self.now += windows([0, position.off - self._last.off]) - WINDOWS_START
            if self._variant.scoring is Scoring.WINDOWS_FLOOR:
                self.now = max(0, self.now)
        self._last = position


def described(variant: Variant, entry: Entry, before: Position, after: Position, undone: str = "") -> str:
    """What an entry did, in words. undone: the entry before, for an undo."""
    if isinstance(entry, Undo):
        return f"Takes back {undone}." if undone and undone != "undo" else "Takes back one more action."
    if isinstance(entry, Resign):
        return "Resigns."
    if isinstance(entry, Remove):
        head = f"Takes the complete sequence off column {entry.column + 1}."
        return head + _turned_up(before, after)
    tail = _turned_up(before, after) + _sequences_off(before, after, variant)
    if isinstance(entry, StockDeal):
        dealt = len(before.stock) - len(after.stock)
        return f"Deals {counted(dealt, 'card')} from the stock, {len(after.stock)} left.{tail}"
    return _moved(entry, before) + _emptied(entry, after) + tail


def in_brief(variant: Variant, entry: Entry, before: Position, after: Position) -> str:
    """What an entry did, in a few signs: ``9♥…4♥ on 10♠, up K♠``."""
    parts = []
    if isinstance(entry, Tableau):
        cards, target = before.columns[entry.source][-entry.count :], before.columns[entry.target]
        what = sign(cards[0]) + (f"…{sign(cards[-1])}" if entry.count > 1 else "")
        parts.append(f"{what} on {sign(target[-1])}" if target else f"{what} to a gap")
    elif isinstance(entry, StockDeal):
        parts.append(f"{counted(len(before.stock) - len(after.stock), 'card')}, {len(after.stock)} left")
    pairs = enumerate(zip(before.face_down, after.face_down, strict=True))
    up = [sign(after.columns[i][-1]) for i, (was, now) in pairs if now < was]
    parts += [f"up {' '.join(up)}"] if up else []
    gone = Counter(off_suits(variant, after)) - Counter(off_suits(variant, before))
    parts += [f"{SUIT_SIGNS[suit]} done" for suit in sorted(gone.elements())]
    return ", ".join(parts)


def _moved(move: Tableau, before: Position) -> str:
    cards = before.columns[move.source][-move.count :]
    target = before.columns[move.target]
    onto = (
        f"onto {sign(target[-1])} in column {move.target + 1}"
        if target
        else f"into the empty column {move.target + 1}"
    )
    what = (
        sign(cards[0]) if move.count == 1 else f"{sign(cards[0])} to {sign(cards[-1])} ({move.count} cards)"
    )
    return f"Moves {what} from column {move.source + 1} {onto}."


def _emptied(move: Tableau, after: Position) -> str:
    return f" Column {move.source + 1} is empty." if not after.columns[move.source] else ""


def _turned_up(before: Position, after: Position) -> str:
    turned = [
        f"{sign(after.columns[i][-1])} in column {i + 1}"
        for i, (was, now) in enumerate(zip(before.face_down, after.face_down, strict=True))
        if now < was
    ]
    return f" Turns up {' and '.join(turned)}." if turned else ""


def _sequences_off(before: Position, after: Position, variant: Variant) -> str:
    gone = Counter(off_suits(variant, after)) - Counter(off_suits(variant, before))
    words = [SUIT_WORDS[suit] for suit in sorted(gone.elements())]
    if not words:
        return ""
    leaves = plural(len(words), "leaves", "leave")
    return f" A complete sequence of {' and one of '.join(words)} {leaves} the table."


def off_suits(variant: Variant, position: Position) -> list[Suit]:
    """The suits of the sequences that are off the table: what is missing from the pack."""
    held = Counter(card for pile in (*position.columns, position.stock) for card in pile)
    missing = full_pack(variant) - held
    return [card.suit for card in sorted(missing.elements()) if card.rank == 1]


def _touched(entry: Entry, before: Position, after: Position) -> tuple[tuple[int, int], ...]:
    if isinstance(entry, StockDeal):
        dealt = len(before.stock) - len(after.stock)
        grown = [i for i in range(dealt) if len(after.columns[i]) == len(before.columns[i]) + 1]
        return tuple((i, 1) for i in grown)
    if isinstance(entry, Tableau):
        kept = len(after.columns[entry.target]) == len(before.columns[entry.target]) + entry.count
        return ((entry.target, entry.count),) if kept else ()
    return ()


def frames_json(game: Playback, hidden: bool) -> dict[str, Any]:
    """What the page's script steps through: the start in full, then only what each entry changed.

    columns: two letters a card, deepest first; down: face-down cards of each column. c: changed columns by
    number from 0. off: suit letters of the sequences that have left. stock: in deal order. hidden: whether
    face-down cards and the stock are named; else each is ``??``, and what a game turns up is known only from
    the frame on in which it does.
    """
    variant, first = game.deal.variant, game.frames[0].position
    columns = zip(first.columns, first.face_down, strict=True)
    return {
        "by": game.by,
        "sequences": variant.sequences,
        "columns": [_letters(cards, 0 if hidden else down) for cards, down in columns],
        "down": list(first.face_down),
        "stock": _letters(first.stock, 0 if hidden else len(first.stock)),
        "frames": [_frame_json(variant, before, frame, hidden) for before, frame in _pairs(game.frames)],
    }


def _pairs(frames: Sequence[Frame]) -> list[tuple[Frame, Frame]]:
    return list(zip((frames[0], *frames[:-1]), frames, strict=True))


def _frame_json(variant: Variant, before: Frame, frame: Frame, hidden: bool) -> dict[str, Any]:
    old, new = before.position, frame.position
    changed = {
        i: [_letters(new.columns[i], 0 if hidden else new.face_down[i]), new.face_down[i]]
        for i in range(len(new.columns))
        if (old.columns[i], old.face_down[i]) != (new.columns[i], new.face_down[i])
    }
    return {
        "m": frame.entry,
        "d": frame.did,
        "s": frame.score,
        "c": changed,
        "k": len(new.stock),
        "o": "".join(suit.letter for suit in off_suits(variant, new)),
        "h": frame.touched,
    }


def _letters(cards: Sequence[Card], unnamed: int) -> str:
    """Two letters a card; the first ``unnamed`` ones stay unsaid."""
    return "??" * unnamed + "".join(map(str, cards[unnamed:]))
