"""Keys and seeds, to the bit: vectors that hold for ever, and the recipe of the docs written out."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import date
from pathlib import Path

import pytest

from evaluation.vetting.keys import (
    KeyFormatError,
    candidate_seed,
    commitment,
    day_key,
    new_master_key,
    parse_key,
)

VECTORS = json.loads((Path(__file__).parents[2] / "data/vetting/keys.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["days"], ids=lambda v: f"{v['calendar']} {v['date']}")
def test_vectors(vector: dict[str, object]) -> None:
    key = day_key(
        bytes.fromhex(VECTORS["master_key"]), str(vector["calendar"]), date.fromisoformat(str(vector["date"]))
    )
    assert key.hex() == vector["day_key"]
    assert commitment(key) == vector["day_key_sha256"]
    assert [str(candidate_seed(key, n)) for n in (1, 2, 3)] == vector["seeds"]


def test_the_recipe_of_the_docs() -> None:
    master = bytes(range(32))
    mine = hmac.new(master, b"spidervet-daily/1\ndaily\n2026-12-01", hashlib.sha256).digest()
    assert day_key(master, "daily", date(2026, 12, 1)) == mine
    seed = hmac.new(mine, b"candidate/2", hashlib.sha256).digest()[:8]
    assert candidate_seed(mine, 2) == int.from_bytes(seed, "big")


def test_days_and_calendars_have_keys_of_their_own() -> None:
    master = new_master_key()
    keys = {day_key(master, name, date(2026, 12, d)) for name in ("a", "b") for d in (1, 2)}
    assert len(keys) == 4


@pytest.mark.parametrize("text", ["", "00", "zz" * 32, "00" * 33])
def test_what_is_no_key_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(KeyFormatError) as error:
        parse_key(text)
    assert "zz" not in str(error.value)


def test_candidates_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="counted from 1"):
        candidate_seed(bytes(32), 0)
