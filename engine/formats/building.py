"""From cards at places in a text to a deal: what every reader of this package ends with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.cards import Card
from engine.deals import Deal, DealId, deal_by_id, laid_out
from engine.formats.errors import START, FormatError, Spot, shown
from engine.layouts import Layout, LayoutError, fitted, full_pack
from engine.schemes.tables import face_down as usual_face_down
from engine.variants import Variant, VariantError, resolve
from engine.words import counted


@dataclass(frozen=True)
class Placed:
    """A card of a file. down: marked as face down."""

    card: Card
    down: bool
    spot: Spot


@dataclass(frozen=True)
class Claim:
    """An identity that a file states for its cards."""

    text: str
    spot: Spot


def placed_card(text: str, spot: Spot, down: bool = False) -> Placed:
    """Read a card of a file. Raises FormatError."""
    if len(text) > 3:
        raise FormatError(f"{shown(text, 20)} is not a card", spot)
    try:
        return Placed(Card.parse(text), down, spot)
    except ValueError as error:
        raise FormatError(str(error), spot) from error


def build(
    variant: Variant,
    columns: Sequence[Sequence[Placed]],
    stock: Sequence[Placed],
    end: Spot = START,
    claim: Claim | None = None,
    *,
    strict: bool = True,
) -> Deal:
    """The deal of a file's cards.

    Where no card of the columns is marked face down, the variant's usual ones are. claim: what the file says
    the deal is; it must be what that identity deals. strict: an identity of another variant is an error;
    else it is passed over. Raises FormatError.
    """
    _check_columns(variant, columns, end)
    _check_surplus(variant, [card for pile in (*columns, stock) for card in pile])
    cards = tuple(tuple(placed.card for placed in column) for column in columns)
    if any(placed.down for column in columns for placed in column):
        down = tuple(_down(i, column) for i, column in enumerate(columns, 1))
    else:
        down = _usual(variant, cards)
    layout = Layout(cards, down, tuple(placed.card for placed in stock))
    try:
        fitted(variant, layout)
    except LayoutError as error:
        raise FormatError(str(error), end) from error
    return _claimed(variant, layout, claim, strict) if claim else laid_out(variant, layout)


def _check_columns(variant: Variant, columns: Sequence[Sequence[Placed]], end: Spot) -> None:
    wanted = len(variant.columns)
    if len(columns) != wanted:
        surplus = columns[wanted] if len(columns) > wanted else ()
        spot = surplus[0].spot if surplus else end
        raise FormatError(f"{counted(len(columns), 'column')}; {variant.name} has {wanted}", spot)


def _check_surplus(variant: Variant, cards: Sequence[Placed]) -> None:
    """Points at the first card that there are too many of."""
    wanted, seen = full_pack(variant), Counter[Card]()
    for placed in cards:
        seen[placed.card] += 1
        if not wanted[placed.card]:
            raise FormatError(f"{variant.name} is not played with {placed.card}", placed.spot)
        if seen[placed.card] > wanted[placed.card]:
            most = {1: "once", 2: "twice"}.get(wanted[placed.card], f"{wanted[placed.card]} times")
            raise FormatError(f"{placed.card} once too often: {variant.name} has it {most}", placed.spot)


def _down(number: int, column: Sequence[Placed]) -> int:
    """How many cards of a column are face down; they must be its deepest ones."""
    down = sum(placed.down for placed in column)
    for placed in column[down:]:
        if placed.down:
            raise FormatError(f"column {number}: a face-down card lies on a face-up one", placed.spot)
    return down


def _usual(variant: Variant, cards: Sequence[Sequence[Card]]) -> tuple[int, ...]:
    """The variant's face-down counts; zeros where the columns' lengths are not its own, which is an error
    that `fitted` words better."""
    if sorted(map(len, cards)) != sorted(variant.columns):
        return (0,) * len(cards)
    return usual_face_down(variant, cards)


def _claimed(variant: Variant, layout: Layout, claim: Claim, strict: bool) -> Deal:
    made = laid_out(variant, layout)
    if str(made.identity) == claim.text:
        return made
    try:
        identity = DealId.parse(claim.text)
        if not strict and not _names(identity, variant):
            return made
        if identity.scheme == made.scheme:
            raise FormatError(f"id: these cards are {made.identity}", claim.spot)
        named = deal_by_id(claim.text, variant)
    except ValueError as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"id: {error}", claim.spot) from error
    if named.variant != variant:
        raise FormatError(f"id: a deal of {named.variant.label}, not of {variant.label}", claim.spot)
    if named.packed() != layout.packed():
        raise FormatError(f"id: {claim.text} deals other cards than these", claim.spot)
    return named


def _names(identity: DealId, variant: Variant) -> bool:
    try:
        return identity.variant == variant.label or resolve(identity.variant) == variant
    except VariantError:
        return False
