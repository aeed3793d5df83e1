"""Charts: well-formed, nothing outside the drawing, counts kept, empty for nothing."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.charts.bars import Part, binned, histogram, padded, stacked
from evaluation.charts.rates import Rate, rate_chart
from evaluation.charts.svg import nice_step, short
from evaluation.charts.whiskers import Axis, Whisker, around_zero, axis_scale, whisker

COUNTS = st.dictionaries(st.integers(-500, 5_000_000), st.integers(0, 9999), max_size=60)
SHARES = st.floats(0, 1)


def drawn(svg: str) -> ElementTree.Element:
    """The drawing as XML, every mark inside its box."""
    root = ElementTree.fromstring(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for node in root.iter():
        for key, most in (
            ("x", width),
            ("x1", width),
            ("x2", width),
            ("cx", width),
            ("y", height),
            ("cy", height),
        ):
            if key in node.attrib:
                assert -0.01 <= float(node.attrib[key]) <= most + 0.01
        if node.tag == "rect":
            assert float(node.attrib["x"]) + float(node.attrib["width"]) <= width + 0.01
            assert float(node.attrib["y"]) + float(node.attrib["height"]) <= height + 0.01
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"]
    return root


@given(COUNTS)
def test_bins_keep_every_value(counts: dict[int, int]) -> None:
    bins = binned(counts)
    assert sum(b.count for b in bins) == sum(counts.values())
    assert len(bins) <= 45
    for b in bins:
        assert b.count == sum(n for value, n in counts.items() if b.lo <= value < b.hi)


@given(COUNTS)
def test_histograms_are_well_formed(counts: dict[int, int]) -> None:
    svg = histogram(counts, 'a <label> & "more"', "moves")
    if not any(counts.values()):
        assert svg == ""
        return
    marks = list(drawn(svg).iter("rect"))
    said = [re.search(r": (\d+)$", n[0].text or "") for n in marks]
    assert sum(int(m[1]) for m in said if m) == sum(counts.values())


@given(SHARES, SHARES, SHARES)
def test_whiskers_lie_on_their_axis(a: float, b: float, c: float) -> None:
    lo, at, hi = sorted((a, b, c))
    root = drawn(whisker(Whisker(lo, hi, at, "label", (at, hi)), Axis()))
    (point,) = root.iter("circle")
    ends = [float(n.attrib["x1"]) for n in root.iter("line") if n.attrib["class"] == "whisker"][1:]
    assert ends[0] - 0.01 <= float(point.attrib["cx"]) <= ends[1] + 0.01


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), max_size=5))
def test_differences_share_an_axis_with_zero_in_the_middle(ends: list[tuple[float, float]]) -> None:
    whiskers = [Whisker(min(e), max(e), None, "x") for e in ends]
    axis = around_zero(whiskers)
    assert axis.lo == -axis.hi
    assert all(w.hi <= axis.hi + 1e-9 or axis.hi == 1.0 for w in whiskers)
    assert axis.x(0) == 120
    drawn(axis_scale(axis))


def test_stacked_bars_fill_their_width() -> None:
    root = drawn(stacked([Part("solved", 3), Part("unknown", 0), Part("unsolvable", 1)], "verdicts"))
    widths = [float(n.attrib["width"]) for n in root.iter("rect")][1:]
    assert widths == [315, 105]
    assert len(list(drawn(stacked([Part("solved", 0)], "none")).iter("rect"))) == 1


def test_rates_need_two_slices() -> None:
    assert rate_chart([Rate(0, 5)], 3, "x") == ""
    root = drawn(rate_chart([Rate(0, 5), Rate(3, 0), Rate(6, 7)], 3, "x"))
    assert len(list(root.iter("path"))) == 2


@pytest.mark.parametrize(("span", "parts", "step"), [(10, 5, 2), (100, 4, 50), (0.9, 4, 0.5), (7, 40, 0.2)])
def test_steps_are_round(span: float, parts: int, step: float) -> None:
    assert nice_step(span, parts) == pytest.approx(step)


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (999, "999"), (1000, "1k"), (1250, "1.25k"), (3e6, "3M"), (2.5e9, "2.5G")]
)
def test_axis_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text


@given(COUNTS)
def test_few_bins_get_empty_ones_beside_them(counts: dict[int, int]) -> None:
    bins = binned(counts)
    wider = padded(bins)
    assert len(wider) == (max(len(bins), 7) if bins else 0)
    assert [b for b in wider if b.count] == [b for b in bins if b.count]
    assert all(a.hi == b.lo for a, b in pairwise(wider))
    if bins and bins[0].lo >= 0:
        assert wider[0].lo >= 0


def test_the_foot_of_a_single_value_has_each_number_once() -> None:
    numbers = [t.text for t in drawn(histogram({102: 1}, "moves", "moves")).iter("text")]
    assert len(set(numbers)) == len(numbers)
