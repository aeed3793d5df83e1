"""The description of the API is the one that was reviewed."""

from __future__ import annotations

from difflib import unified_diff

from tests.api.golden import PATH, description


def test_the_api_is_as_the_golden_description_says() -> None:
    kept, found = PATH.read_text("utf-8").splitlines(), description().splitlines()
    changed = "\n".join(unified_diff(kept, found, "golden", "this program", lineterm=""))
    assert not changed, f"the API changed; if that is meant, run `make golden` and commit:\n{changed}"
