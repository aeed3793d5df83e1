"""Many deals at once in packed form (`engine.core`); the default scheme deals natively."""

from __future__ import annotations

from collections.abc import Sequence

from engine import _core
from engine.deals import deal
from engine.variants import Variant


def packed_deals(variant: Variant, seeds: Sequence[str], scheme: str) -> list[bytes]:
    """Packed start positions of canonical seeds, in their order. Raises DealError as `deals.deal` does."""
    if scheme != "spidervet":
        return [deal(variant, seed, scheme).packed() for seed in seeds]
    return _core.spidervet_deals(
        variant.decks,
        variant.suits,
        variant.ranks,
        variant.columns,
        variant.face_down,
        [int(seed) for seed in seeds],
    )
