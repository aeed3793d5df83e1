"""The kept figures of random playouts: every named game, and the signature that no machine changes."""

from __future__ import annotations

from pathlib import Path

from benchmarks.playouts import signature
from engine.variants import NAMED

PAGE = Path(__file__).parents[2] / "benchmarks" / "playouts.md"


def test_the_kept_signatures_are_what_the_rules_play_now() -> None:
    table = [line.strip("|\n").split("|") for line in PAGE.read_text().splitlines() if line.startswith("|")]
    kept = {row[0].strip(): int(row[-1].replace(",", "")) for row in table[2:]}
    assert kept == {name: signature(variant) for name, variant in NAMED.items()}
    assert f"its sum is {sum(kept.values()):,}." in PAGE.read_text()
