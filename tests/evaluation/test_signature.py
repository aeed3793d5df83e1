"""The bench signature: the search does on this machine what it did on the one that wrote the file.

A change of search, weights or schedules writes it anew: `spidervet bench signature >
tests/data/bench_signature.json`, and says so in its commit."""

from __future__ import annotations

import json
from pathlib import Path

from engine.variants import NAMED
from evaluation.signature import signature


def test_the_signature_is_the_recorded_one() -> None:
    path = Path(__file__).parent.parent / "data" / "bench_signature.json"
    recorded = json.loads(path.read_text())
    assert set(recorded) == {*NAMED, "total"}
    assert signature() == recorded
