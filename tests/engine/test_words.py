"""Singular and plural."""

from __future__ import annotations

import pytest

from engine.words import counted


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("card",), "0 cards"),
        (1, ("card",), "1 card"),
        (12_000, ("rated game",), "12,000 rated games"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
        (-1, ("point",), "-1 points"),
    ],
)
def test_how_many_there_are(number: int, words: tuple[str, ...], said: str) -> None:
    assert counted(number, *words) == said
