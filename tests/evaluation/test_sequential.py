import random

import pytest

from evaluation.sequential import FIRST_LOOK, always_valid, always_valid_winnability, next_look
from evaluation.stats import wilson


def test_looks_are_fixed_and_grow() -> None:
    looks, n = [], 0
    while n < 100_000:
        n = next_look(n)
        looks.append(n)
    assert looks[0] == FIRST_LOOK
    assert looks == sorted(set(looks))
    assert all(next_look(n - 1) == n for n in looks)
    assert len(looks) < 500


@pytest.mark.parametrize(("hits", "n"), [(0, 50), (3, 50), (50, 50), (400, 1000), (99_000, 100_000)])
def test_the_interval_holds_the_share_and_is_wider_than_wilsons(hits: int, n: int) -> None:
    valid, fixed = always_valid(hits, n), wilson(hits, n)
    assert valid.lo <= hits / n <= valid.hi
    assert valid.half_width > fixed.half_width


def test_the_edges_solve_the_defining_equation() -> None:
    import math

    hits, n, a = 30, 100, 0.5
    for p in always_valid(hits, n):
        log_m = (
            math.lgamma(a + hits) + math.lgamma(a + n - hits) - math.lgamma(2 * a + n)
            - (2 * math.lgamma(a) - math.lgamma(2 * a))
            - hits * math.log(p) - (n - hits) * math.log1p(-p)
        )  # fmt: skip
        assert log_m == pytest.approx(math.log(20), abs=1e-6)


def test_peeking_at_every_look_misses_no_more_often_than_promised() -> None:
    """Wilson's interval, looked at in the same way, misses far more often than its 5 %."""
    rng = random.Random(11)
    runs, missed, wilson_missed = 200, 0, 0
    for _ in range(runs):
        hits, n, bad, bad_wilson = 0, 0, False, False
        while n < 1500:
            look = next_look(n)
            hits += sum(rng.random() < 0.3 for _ in range(look - n))
            n = look
            lo, hi = always_valid(hits, n)
            bad |= not lo <= 0.3 <= hi
            lo, hi = wilson(hits, n)
            bad_wilson |= not lo <= 0.3 <= hi
        missed += bad
        wilson_missed += bad_wilson
    assert missed / runs <= 0.05
    assert wilson_missed / runs > 0.12


def test_unknown_deals_keep_winnability_open() -> None:
    assert always_valid_winnability(0, 200, 200).half_width > 0.49
    lo, hi = always_valid_winnability(150, 10, 200)
    assert lo < 0.75
    assert hi > 0.80


def test_no_trials_know_nothing() -> None:
    assert always_valid(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="3 hits of 2"):
        always_valid(3, 2)
