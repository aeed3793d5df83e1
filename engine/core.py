"""The one place where Python meets the native core: rules, packed deals, moves and control.

Everything else in the project imports `game`, `players` and `solver`; only those import this.

A **packed position** is bytes: number of columns C, sequences already off, stock cards S, then C
column lengths, C face-down counts, the columns' cards left to right (deepest first), and the stock
in deal order; one byte a card (`cards.Card.code`).

A **move code** is 16 bits: ``source << 11 | target << 7 | count`` with columns counted from 0. The
stock deal is 0x8000; ``remove`` has source = target.
"""

from __future__ import annotations

from functools import lru_cache

from engine import _core
from engine.variants import Build, DealOverEmpty, EmptyAccepts, GroupMove, Removal, Variant, WholeColumn

Control = _core.Control
"""Shared with a running native call: ``cancel()`` stops it at the next look, ``done`` counts finished deals
and ``nodes`` the rated positions of the deals finished and of the one under way."""


@lru_cache(maxsize=256)
def rules_of(variant: Variant) -> _core.Rules:
    """The native form of a variant's rule fields (layout excluded: that comes with each deal)."""
    return _core.Rules(
        columns=len(variant.columns),
        ranks=variant.ranks,
        suits=variant.suits,
        sequences=variant.sequences,
        build=list(Build).index(variant.build),
        group_move=list(GroupMove).index(variant.group_move),
        stock_deal_over_empty=list(DealOverEmpty).index(variant.stock_deal_over_empty),
        sequence_removal=list(Removal).index(variant.sequence_removal),
        empty_column_accepts=list(EmptyAccepts).index(variant.empty_column_accepts),
        whole_column_to_empty=list(WholeColumn).index(variant.whole_column_to_empty),
        move_limit=variant.move_limit or 0,
    )
