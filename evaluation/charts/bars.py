"""Histograms and stacked shares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.charts.svg import box, chart, line, nice_step, short, text

WIDTH, HEIGHT = 420.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 10.0, 10.0, 22.0
MOST_BINS, FEWEST_BINS = 40, 7


@dataclass(frozen=True)
class Bin:
    """Values from lo on and below hi, and how many."""

    lo: float
    hi: float
    count: int


def binned(counts: Mapping[int, int], most: int = MOST_BINS) -> list[Bin]:
    """Counted whole numbers in bins of one whole width, about as many as given at most; none for none."""
    held = {value: times for value, times in counts.items() if times > 0}
    if not held:
        return []
    first, last = min(held), max(held)
    width = max(1, math.ceil(nice_step(last - first + 1, most)))
    start = math.floor(first / width) * width
    bins = [0] * ((last - start) // width + 1)
    for value, times in held.items():
        bins[(value - start) // width] += times
    return [Bin(start + i * width, start + (i + 1) * width, count) for i, count in enumerate(bins)]


def padded(bins: list[Bin], fewest: int = FEWEST_BINS) -> list[Bin]:
    """Few bins with empty ones on both sides, so that one value is not drawn as a wall."""
    bins = list(bins)
    while bins and len(bins) < fewest:
        width = bins[-1].hi - bins[-1].lo
        bins.append(Bin(bins[-1].hi, bins[-1].hi + width, 0))
        if bins[0].lo >= width and len(bins) < fewest:
            bins.insert(0, Bin(bins[0].lo - width, bins[0].lo, 0))
    return bins


def histogram(counts: Mapping[int, int], label: str, unit: str) -> str:
    """How often each value came; empty text for no values. unit: what is counted along the axis."""
    bins = padded(binned(counts))
    if not bins:
        return ""
    top = max(b.count for b in bins)
    wide = (WIDTH - LEFT - RIGHT) / len(bins)
    tall = HEIGHT - TOP - BOTTOM
    parts = [line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis")]
    parts += _levels(top, tall)
    for i, b in enumerate(bins):
        high = tall * b.count / top
        span = f"{b.lo:g}" if b.hi - b.lo == 1 else f"{b.lo:g} to {b.hi - 1:g}"
        said = f"{span} {unit}: {b.count}"
        parts.append(box(LEFT + i * wide + 0.5, HEIGHT - BOTTOM - high, wide - 1, high, "mark", said))
    parts += _scale(bins[0].lo, bins[-1].hi)
    return chart(WIDTH, HEIGHT, label, parts)


def _levels(top: float, tall: float) -> list[str]:
    """Faint lines across with their numbers."""
    step = max(1.0, nice_step(top, 3))
    parts = []
    level = step
    while level <= top:
        y = HEIGHT - BOTTOM - tall * level / top
        parts += [line(LEFT, y, WIDTH - RIGHT, y, "tick"), text(LEFT - 5, y + 4, short(level), "end")]
        level += step
    return parts


def _scale(first: float, last: float) -> list[str]:
    """Numbers along the foot: whole ones, since what is counted is."""
    step = max(1.0, nice_step(last - first, 5))
    parts = []
    value = math.ceil(first / step) * step
    while value <= last:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (value - first) / (last - first)
        anchor = "end" if x > WIDTH - 24 else "middle"
        parts.append(text(x, HEIGHT - 7, short(value), anchor))
        value += step
    return parts


@dataclass(frozen=True)
class Part:
    """One piece of a stacked bar. name: its class."""

    name: str
    count: int


def stacked(parts: Sequence[Part], label: str) -> str:
    """Shares of a whole, left to right; an empty track for nothing."""
    total = sum(p.count for p in parts)
    drawn = [box(0, 0, WIDTH, 18, "bar-track")]
    x = 0.0
    for p in parts:
        if not p.count:
            continue
        width = WIDTH * p.count / total
        drawn.append(box(x, 0, width, 18, p.name, f"{p.name}: {p.count} of {total}"))
        x += width
    return chart(WIDTH, 18, label, drawn)
