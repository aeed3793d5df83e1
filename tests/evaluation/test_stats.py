import random
import statistics
from collections import Counter

import pytest
from scipy.stats import binomtest

from evaluation.stats import Interval, percentile, wilson, winnability


@pytest.mark.parametrize(
    ("hits", "n"), [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (127, 300), (999_999, 1_000_000)]
)
def test_wilson_equals_scipy(hits: int, n: int) -> None:
    expected = binomtest(hits, n).proportion_ci(0.95, method="wilson")
    assert wilson(hits, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trials_know_nothing() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0)
    assert winnability(0, 0, 0) == Interval(0.0, 1.0)


def test_more_hits_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="5 hits of 4 trials"):
        wilson(5, 4)


def test_unknown_deals_count_both_ways() -> None:
    lo, hi = winnability(40, 10, 50)
    assert lo == wilson(40, 100).lo
    assert hi == wilson(90, 100).hi


def test_all_unknown_leaves_nearly_everything_open() -> None:
    lo, hi = winnability(0, 0, 20)
    assert (lo, hi) == (0.0, 1.0)


def test_percentiles_equal_a_sorted_list() -> None:
    rng = random.Random(1)
    for n in (1, 2, 3, 10, 101):
        values = [rng.randrange(20) for _ in range(n)]
        counts = Counter(values)
        assert percentile(counts, 0.5) == statistics.median(values)
        if n > 1:
            tenths = statistics.quantiles(values, n=10, method="inclusive")
            assert percentile(counts, 0.1) == pytest.approx(tenths[0])
            assert percentile(counts, 0.9) == pytest.approx(tenths[-1])


def test_percentile_of_nothing_is_none() -> None:
    assert percentile({}, 0.5) is None
