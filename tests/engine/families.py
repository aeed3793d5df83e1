"""The variants that whole-rule tests run over: every named one, presets, each rule field changed, minis."""

from __future__ import annotations

from typing import Any

from engine.variants import NAMED, Variant, resolve


def _custom(name: str, base: str = "spider-4", **fields: Any) -> Variant:
    return resolve({"base": base, "name": name, **fields})


def _mini(name: str, columns: list[int], face_down: list[int], **fields: Any) -> Variant:
    shape = {"decks": 1, "suits": 2, "ranks": 3, "columns": columns, "face_down": face_down}
    return resolve({"name": name, **shape, **fields})


PRESETS = [
    resolve(f"{name}+{preset}") for name in ("spider-2", "spiderette-4") for preset in ("tavern", "recorded")
]

FIELDS = [
    _custom("same-suit-build", "spiderette-2", build="same-suit"),
    _custom("any-suit-groups", "spider-2", group_move="any-suit"),
    _custom("any-face-up", "spiderette-4", group_move="any-face-up"),
    _custom("deal-allowed", stock_deal_over_empty="allowed"),
    _custom("deal-when-short", "will-o-the-wisp-1", stock_deal_over_empty="allowed-when-short"),
    _custom("by-hand", "spider-1", sequence_removal="optional"),
    _custom("kings-only", "spiderette-1", empty_column_accepts="kings"),
    _custom("gaps-stay", "spider-1", empty_column_accepts="nothing", stock_deal_over_empty="allowed"),
    _custom("no-whole-column", "simple-simon-2", whole_column_to_empty="forbidden"),
    _custom(
        "everything", "scorpion", build="any-suit", empty_column_accepts="any", sequence_removal="optional"
    ),
    _custom("two-columns", "spider-1", columns=[20, 30], face_down=[3, 0], stock_deal_over_empty="allowed"),
    _custom("sixteen", "spider-4", columns=[3] * 16, face_down=[2] * 8 + [0] * 8),
]

MINIS = [
    _mini("mini", [2, 2, 2], [1, 1, 0]),
    _mini("mini-open", [3, 3, 3, 3], [0, 0, 0, 0]),
    _mini("mini-relaxed", [2, 2, 2], [1, 1, 0], stock_deal_over_empty="allowed"),
    _mini("mini-when-short", [2, 2, 2], [1, 0, 0], stock_deal_over_empty="allowed-when-short"),
    _mini("mini-by-hand", [2, 2, 2], [1, 1, 0], sequence_removal="optional"),
    _mini("mini-by-hand-free", [2, 2, 2], [1, 1, 0], sequence_removal="optional",
          stock_deal_over_empty="allowed"),
    _mini("mini-scorpion", [3, 3, 3], [1, 0, 0], build="same-suit", group_move="any-face-up",
          empty_column_accepts="kings", stock_deal_over_empty="allowed"),
    _mini("mini-widow", [2, 3, 2], [1, 2, 0], group_move="any-suit", stock_deal_over_empty="allowed"),
    _mini("mini-tavern", [2, 2, 2], [1, 1, 0], whole_column_to_empty="forbidden"),
    _mini("mini-gaps", [2, 2, 1], [1, 1, 0], empty_column_accepts="nothing", stock_deal_over_empty="allowed"),
    _mini("mini-one-suit", [3, 2, 2], [2, 1, 0], suits=1),
    _mini("mini-two-ranks", [2, 1, 1], [1, 0, 0], ranks=2, suits=4, stock_deal_over_empty="allowed"),
    _mini("mini-short", [2, 1, 1, 1], [1, 0, 0, 0], ranks=2),
]  # fmt: skip

ALL = {variant.label: variant for variant in (*NAMED.values(), *PRESETS, *FIELDS, *MINIS)}
"""By label."""
