"""How alike two days' deals look when they are opened: what "minimum variety" of a calendar measures.

An **opening** is the multiset of the cards that end the columns at the start. Two openings differ by the
number of cards of one that have no partner in the other, 0 to the number of columns. The order of columns
does not count: people who meet the same ten cards again in another order feel that they know the deal.
"""

from __future__ import annotations

from collections import Counter

from engine.layouts import Layout


def opening_of(layout: Layout) -> tuple[str, ...]:
    """The end cards of the columns as text, sorted; empty columns add nothing."""
    return tuple(sorted(str(column[-1]) for column in layout.columns if column))


def difference(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Cards of the longer opening without a partner in the other."""
    shared = Counter(a) & Counter(b)
    return max(len(a), len(b)) - shared.total()
