"""Paired differences: against published figures and closed forms, and n = 0."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from evaluation.paired import Pairs, mcnemar, newcombe

COUNTS = st.integers(0, 5_000)


def test_the_interval_is_the_published_one() -> None:
    """Newcombe 1998, method 10 on 36, 12, 2, 0."""
    found = newcombe(Pairs(36, 12, 2, 0))
    assert (round(found.lo, 4), round(found.hi, 4)) == (0.0569, 0.3404)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_intervals_hold_the_difference_and_turn_with_the_arms(e: int, f: int, g: int, h: int) -> None:
    pairs = Pairs(e, f, g, h)
    lo, hi = pairs.interval
    assert -1 <= lo <= hi <= 1
    back = Pairs(e, g, f, h).interval
    assert (back.lo, back.hi) == pytest.approx((-hi, -lo), abs=1e-12)
    if pairs.difference is not None:
        assert lo - 1e-9 <= pairs.difference <= hi + 1e-9


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_exact_binomial_test(a: int, b: int) -> None:
    expected = binomtest(a, a + b).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(expected, rel=1e-8)


def test_nothing_is_known_of_no_pairs() -> None:
    nothing = Pairs(0, 0, 0, 0, undecided=9)
    assert nothing.n == 0
    assert nothing.difference is None
    assert tuple(nothing.interval) == (-1.0, 1.0)
    assert nothing.p_value == 1.0
    assert nothing.to_json()["undecided"] == 9


def test_huge_counts_neither_overflow_nor_vanish() -> None:
    assert 0 <= mcnemar(1_000_000, 900_000) < 1e-100
    assert mcnemar(1_000_000, 1_000_000) == 1.0
