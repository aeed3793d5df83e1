"""The reference rules in plain Python: the judge. Small and readable; `_core` is the fast one.

Everything is a function of a variant and a position. `playing` keeps a game's history and undo,
`outlook` tells dead positions. The rules and their sources are docs/rules.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import RANK_LETTERS, Card
from engine.layouts import Layout
from engine.moves import Action, Remove, StockDeal, Tableau
from engine.position import Position
from engine.variants import Build, DealOverEmpty, EmptyAccepts, GroupMove, Removal, Variant, WholeColumn
from engine.words import counted, plural


class IllegalMoveError(ValueError):
    """A move that the rules forbid, with the reason for people. Names only cards that lie face up."""


def start(variant: Variant, layout: Layout) -> Position:
    """The first position of a deal; under automatic removal, complete sequences leave at once."""
    return settled(variant, Position.of(layout))


def won(variant: Variant, position: Position) -> bool:
    """Whether the last sequence is off. Tested before anything else."""
    return position.off == variant.sequences


def stuck(variant: Variant, position: Position) -> bool:
    """Whether the game is not won and no action is legal."""
    return not won(variant, position) and next(_moves(variant, position), None) is None


def legal_moves(variant: Variant, position: Position) -> list[Action]:
    """Every legal action in canonical order: moves by source, then count, then target, ascending; then
    removals by column; the stock deal last. None once the game is won."""
    return list(_moves(variant, position))


def _moves(variant: Variant, position: Position) -> Iterator[Action]:
    if won(variant, position):
        return
    for source, cards in enumerate(position.columns):
        for count in range(1, movable(variant, position, source) + 1):
            above = cards[-count].rank + 1
            for target, others in enumerate(position.columns):
                # The rank alone rules out most targets; what it lets through is judged in full.
                fits = not others or others[-1].rank == above
                if fits and _placing_fault(variant, position, source, target, count) is None:
                    yield Tableau(source, target, count)
    if variant.sequence_removal is Removal.OPTIONAL:
        yield from (Remove(i) for i in range(len(position.columns)) if complete(variant, position, i))
    if _deal_fault(variant, position) is None:
        yield StockDeal()


def movable(variant: Variant, position: Position, column: int) -> int:
    """How many cards at a column's end lift together under the group rule; any lower part may, too."""
    cards, down = position.columns[column], position.face_down[column]
    if variant.group_move is GroupMove.ANY_FACE_UP:
        return len(cards) - down
    if not cards:
        return 0
    any_suit = variant.group_move is GroupMove.ANY_SUIT
    count, upper = 1, cards[-1]
    for lower in cards[-2 : down - len(cards) - 1 : -1]:
        if lower.rank != upper.rank + 1 or not (any_suit or lower.suit == upper.suit):
            break
        count, upper = count + 1, lower
    return count


def complete(variant: Variant, position: Position, column: int) -> bool:
    """Whether a column ends in a whole sequence: highest rank to Ace, one suit, every card face up."""
    cards, down = position.columns[column], position.face_down[column]
    if len(cards) - down < variant.ranks:
        return False
    tail = cards[-variant.ranks :]
    return all(c.suit == tail[0].suit and c.rank == variant.ranks - i for i, c in enumerate(tail))


def why_illegal(variant: Variant, position: Position, action: Action) -> str | None:
    """Why the rules forbid an action, for people; None for a legal one."""
    if won(variant, position):
        return "the game is already won"
    if isinstance(action, StockDeal):
        return _deal_fault(variant, position)
    if isinstance(action, Remove):
        return _remove_fault(variant, position, action.column)
    return _move_fault(variant, position, action)


def _move_fault(variant: Variant, position: Position, move: Tableau) -> str | None:
    source, target, count = move.source, move.target, move.count
    for column in (source, target):
        if not 0 <= column < len(position.columns):
            return f"there is no column {column + 1}: columns are 1 to {len(position.columns)}"
    cards, down = position.columns[source], position.face_down[source]
    if not cards:
        return f"column {source + 1} is empty"
    if not 1 <= count <= len(cards):
        return f"column {source + 1} holds {counted(len(cards), 'card')}, not {count}"
    if count > len(cards) - down:
        open_ = counted(len(cards) - down, "face-up card")
        return f"column {source + 1} has {open_}, not {count}: face-down cards stay"
    if count > movable(variant, position, source):
        kind = "same-suit run" if variant.group_move is GroupMove.SAME_SUIT else "run going down by one rank"
        return f"{' '.join(map(str, cards[-count:]))} in column {source + 1} is not a {kind}"
    return _placing_fault(variant, position, source, target, count)


def _placing_fault(variant: Variant, position: Position, source: int, target: int, count: int) -> str | None:
    """Why cards that may be lifted may not be put on the target column."""
    if source == target:
        return f"column {source + 1} cannot move onto itself"
    cards = position.columns[source]
    base = cards[-count]
    if not position.columns[target]:
        return _emptiness_fault(variant, base, source, target, whole=count == len(cards))
    end = position.columns[target][-1]
    if end.rank != base.rank + 1:
        if base.rank == variant.ranks:
            return f"{base} goes on no card: it has the highest rank"
        wanted = RANK_LETTERS[base.rank + 1]
        return f"{base} does not go on {end}: it needs a card one rank higher, {wanted}"
    if variant.build is Build.SAME_SUIT and end.suit != base.suit:
        return f"{base} does not go on {end}: this game builds in suit"
    return None


def _emptiness_fault(variant: Variant, base: Card, source: int, target: int, *, whole: bool) -> str | None:
    if variant.empty_column_accepts is EmptyAccepts.NOTHING:
        return f"column {target + 1} is empty and stays so: nothing goes into empty columns in this game"
    if variant.empty_column_accepts is EmptyAccepts.KINGS and base.rank != variant.ranks:
        return f"{base} does not go into empty column {target + 1}: only a {RANK_LETTERS[variant.ranks]} does"
    if whole and variant.whole_column_to_empty is WholeColumn.FORBIDDEN:
        return f"all of column {source + 1} may not move into an empty column in this game"
    return None


def _deal_fault(variant: Variant, position: Position) -> str | None:
    if not position.stock:
        return "the stock is empty"
    if variant.stock_deal_over_empty is DealOverEmpty.ALLOWED or all(position.columns):
        return None
    short = position.on_table < len(position.columns)
    if variant.stock_deal_over_empty is DealOverEmpty.WHEN_SHORT and short:
        return None
    if short:
        return (
            f"every column needs a card before dealing, but {counted(position.on_table, 'card')}"
            f" {plural(position.on_table, 'is', 'are')} left for"
            f" {len(position.columns)} columns: the stock can never be dealt again"
        )
    empty = [i for i, cards in enumerate(position.columns, 1) if not cards]
    if len(empty) == 1:
        return f"column {empty[0]} is empty: fill it before dealing"
    return f"columns {', '.join(map(str, empty))} are empty: fill them before dealing"


def _remove_fault(variant: Variant, position: Position, column: int) -> str | None:
    if variant.sequence_removal is not Removal.OPTIONAL:
        return "complete sequences leave by themselves in this game"
    if not 0 <= column < len(position.columns):
        return f"there is no column {column + 1}: columns are 1 to {len(position.columns)}"
    if not complete(variant, position, column):
        highest = RANK_LETTERS[variant.ranks]
        return f"column {column + 1} does not end in a complete face-up {highest} to A of one suit"
    return None


def apply(variant: Variant, position: Position, action: Action) -> Position:
    """The position after an action and all it brings about: cards turning up, sequences leaving.

    Raises IllegalMoveError with the reason.
    """
    fault = why_illegal(variant, position, action)
    if fault is not None:
        raise IllegalMoveError(fault)
    return played(variant, position, action)


def played(variant: Variant, position: Position, action: Action) -> Position:
    """As `apply` for an action known to be legal."""
    if isinstance(action, StockDeal):
        after = _dealt(position)
    elif isinstance(action, Remove):
        after = _taken(variant, position, action.column)
    else:
        after = _moved(position, action)
    return settled(variant, after)


def _moved(position: Position, move: Tableau) -> Position:
    columns, down = list(position.columns), list(position.face_down)
    lifted = columns[move.source][-move.count :]
    columns[move.source] = columns[move.source][: -move.count]
    columns[move.target] += lifted
    _turn_up(columns, down, move.source)
    return Position(tuple(columns), tuple(down), position.stock, position.off)


def _dealt(position: Position) -> Position:
    """One card to each column, or to the leftmost ones where fewer are left; the whole row goes down
    before anything else is looked at."""
    row = min(len(position.columns), len(position.stock))
    columns = [
        cards + position.stock[i : i + 1] if i < row else cards for i, cards in enumerate(position.columns)
    ]
    return Position(tuple(columns), position.face_down, position.stock[row:], position.off)


def _taken(variant: Variant, position: Position, column: int) -> Position:
    columns, down = list(position.columns), list(position.face_down)
    columns[column] = columns[column][: -variant.ranks]
    _turn_up(columns, down, column)
    return Position(tuple(columns), tuple(down), position.stock, position.off + 1)


def _turn_up(columns: list[tuple[Card, ...]], down: list[int], column: int) -> None:
    """A face-down card that has become a column's end turns up at once."""
    if columns[column] and down[column] == len(columns[column]):
        down[column] -= 1


def settled(variant: Variant, position: Position) -> Position:
    """Under automatic removal, take complete sequences off every column until none is left."""
    if variant.sequence_removal is not Removal.AUTOMATIC:
        return position
    # A sequence ends in an Ace. Most columns do not, and every action comes by here.
    aces = [i for i, cards in enumerate(position.columns) if cards and cards[-1].rank == 1]
    for column in aces:
        while complete(variant, position, column):
            position = _taken(variant, position, column)
    return position
