"""How alike two days' deals look when they are opened: what "minimum variety" of a calendar measures.

An **opening** is the multiset of the cards that end the columns at the start. Two openings differ by the
number of cards of one that have no partner in the other, 0 to the number of columns. The order of columns
does not count: people who meet the same ten cards again in another order feel that they know the deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date

from engine.layouts import Layout
from engine.words import counted, plural
from evaluation.vetting.calendars import Variety
from evaluation.vetting.candidates import Candidate, Refusal

Opening = tuple[str, ...]


def opening_of(layout: Layout) -> tuple[str, ...]:
    """The end cards of the columns as text, sorted; empty columns add nothing."""
    return tuple(sorted(str(column[-1]) for column in layout.columns if column))


def difference(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Cards of the longer opening without a partner in the other."""
    shared = Counter(a) & Counter(b)
    return max(len(a), len(b)) - shared.total()


def refused_by_variety(
    candidate: Candidate, near: Mapping[date, Opening], variety: Variety
) -> Refusal | None:
    """What a neighbouring day has against a deal. near: the openings of the days around it."""
    mine = opening_of(candidate.deal)
    for day, other in sorted(near.items()):
        cards = difference(mine, other)
        if cards < variety.cards:
            least = f"{variety.cards} {plural(variety.cards, 'is', 'are')} asked for"
            text = (
                f"its opening differs from {day.isoformat()}'s by {counted(cards, 'card')};"
                f" {least} within {counted(variety.days, 'day')}"
            )
            return Refusal("variety", text, 0.1 * (variety.cards - cards))
    return None
