"""What people can be told about why a deal is hard: plain counts over its cards, and words for them.

Nothing here decides a label; games do. The counts are compared with what is usual in the variant's sample,
and those that usually go with hard or easy deals are put into words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.deals import Deal
from engine.game import legal_moves, played, start
from engine.moves import StockDeal, Tableau, action_of
from engine.players import PlayerSpec, play_batch
from engine.position import Position
from evaluation.vetting.scale import Feature, Scale

WORTH_SAYING = 0.04
"""Least difference in difficulty, in standard deviations of the sample, that is put into words."""
UNUSUAL = 0.7
"""Standard deviations from the usual that make a count worth a word."""
MOST_SAID = 5


def hidden_kings(deal: Deal) -> float:
    """Kings that lie face down, or on other cards of their column: they block what is under them."""
    return sum(card.rank == deal.variant.ranks for column in deal.columns for card in column[1:])


def kings_at_bottom(deal: Deal) -> float:
    """Kings at the bottom of a column, where they are at home."""
    return sum(bool(column) and column[0].rank == deal.variant.ranks for column in deal.columns)


def blocked_aces(deal: Deal) -> float:
    """Cards that lie over the Aces of the table, all Aces together: none can be used before they are off."""
    return sum(len(c) - 1 - i for c in deal.columns for i, card in enumerate(c) if card.rank == 1)


def open_aces(deal: Deal) -> float:
    """Aces that end a column at the start: nothing can be put on them."""
    return sum(bool(column) and column[-1].rank == 1 for column in deal.columns)


def first_moves(deal: Deal) -> float:
    """Legal moves at the start, counting each pair of columns once."""
    position = start(deal.variant, deal)
    moves = [m for m in legal_moves(deal.variant, position) if isinstance(m, Tableau)]
    return len({(m.source, m.target) for m in moves})


def suited_moves(deal: Deal) -> float:
    """Moves at the start that join cards of one suit."""
    position = start(deal.variant, deal)
    return sum(_joins(position, m) for m in legal_moves(deal.variant, position) if isinstance(m, Tableau))


def _joins(position: Position, move: Tableau) -> bool:
    end = position.columns[move.target]
    return bool(end) and end[-1].suit == position.columns[move.source][-move.count].suit


def early_turns(deal: Deal) -> float:
    """Face-down cards that the hint player turns up before the first stock deal."""
    game = play_batch(deal.variant, [deal.packed()], PlayerSpec("hint"), [1], judge=False)[0]
    position = start(deal.variant, deal)
    before = position.hidden
    for code in game.moves if game else ():
        action = action_of(code)
        if isinstance(action, StockDeal):
            break
        position = played(deal.variant, position, action)
    return before - position.hidden


def last_row_kings(deal: Deal) -> float:
    """Kings in the last row of the stock: they come on top of everything when no more rows follow."""
    row = len(deal.stock) % len(deal.columns) or min(len(deal.columns), len(deal.stock))
    return sum(card.rank == deal.variant.ranks for card in deal.stock[len(deal.stock) - row :])


def late_aces(deal: Deal) -> float:
    """Aces still in the stock at the start."""
    return sum(card.rank == 1 for card in deal.stock)


@dataclass(frozen=True)
class Words:
    """How a count is said: one, many (with {n}), none, and the usual."""

    one: str
    many: str


FEATURES: Mapping[str, tuple[Callable[[Deal], float], Words]] = MappingProxyType(
    {
        "hidden_kings": (
            hidden_kings,
            Words("1 King lies on other cards of the table", "{n} Kings lie on other cards of the table"),
        ),
        "kings_at_bottom": (
            kings_at_bottom,
            Words("1 King is at the bottom of its column", "{n} Kings are at the bottom of their columns"),
        ),
        "blocked_aces": (
            blocked_aces,
            Words("1 card lies over the Aces of the table", "{n} cards lie over the Aces of the table"),
        ),
        "open_aces": (
            open_aces,
            Words(
                "1 Ace ends a column, where nothing goes on it",
                "{n} Aces end columns, where nothing goes on them",
            ),
        ),
        "first_moves": (first_moves, Words("1 move at the start", "{n} moves at the start")),
        "suited_moves": (
            suited_moves,
            Words("1 move in suit at the start", "{n} moves in suit at the start"),
        ),
        "early_turns": (
            early_turns,
            Words(
                "1 card turns up before the first stock deal with plain moves",
                "{n} cards turn up before the first stock deal with plain moves",
            ),
        ),
        "last_row_kings": (
            last_row_kings,
            Words("1 King comes with the last stock deal", "{n} Kings come with the last stock deal"),
        ),
        "late_aces": (late_aces, Words("1 Ace is still in the stock", "{n} Aces are still in the stock")),
    }
)


def features_of(deal: Deal) -> dict[str, float]:
    """Every count of a deal, by name."""
    return {name: float(count(deal)) for name, (count, _) in FEATURES.items()}


@dataclass(frozen=True)
class Reason:
    """One remark. harder: whether such deals are usually harder; size: by how much, in the sample's
    standard deviations of difficulty."""

    text: str
    harder: bool
    size: float


def reasons(scale: Scale, deal: Deal) -> list[Reason]:
    """What is unusual about the deal and usually matters, the weightiest first; may be none."""
    found = []
    for name, value in features_of(deal).items():
        usual = scale.features.get(name)
        if usual is None or usual.sd <= 0:
            continue
        if name == "suited_moves" and deal.variant.suits == 1:
            continue  # every move is, and is counted already
        away = (value - usual.mean) / usual.sd
        size = away * usual.weight
        if abs(away) >= UNUSUAL and abs(size) >= WORTH_SAYING:
            found.append(Reason(_said(name, value, usual), size > 0, round(abs(size), 3)))
    return sorted(found, key=lambda r: -r.size)[:MOST_SAID]


def _said(name: str, value: float, usual: Feature) -> str:
    words = FEATURES[name][1]
    count = int(value)
    text = words.one if count == 1 else words.many.format(n=count or "no")
    return f"{text} (usually {usual.mean:.1f})"


def explained(scale: Scale, deal: Deal) -> list[str]:
    """The reasons as lines: ``harder: 6 Kings lie on other cards of the table (usually 4.2)``."""
    return [f"{'harder' if r.harder else 'easier'}: {r.text}" for r in reasons(scale, deal)]
