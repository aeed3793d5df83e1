"""How many a second, over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.charts.bars import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from evaluation.charts.svg import chart, line, nice_step, path, short, text


@dataclass(frozen=True)
class Rate:
    """start: seconds since the first of them. per_s: mean over its slice."""

    start_s: float
    per_s: float


def rate_chart(rates: Sequence[Rate], slice_s: float, label: str) -> str:
    """A line with the area under it; empty text for fewer than two slices."""
    if len(rates) < 2:
        return ""
    top = max(r.per_s for r in rates) or 1.0
    span = rates[-1].start_s + slice_s
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    foot = HEIGHT - BOTTOM

    def x(at_s: float) -> float:
        return LEFT + wide * at_s / span

    points = [(x(r.start_s + slice_s / 2), foot - tall * r.per_s / top) for r in rates]
    area = [(points[0][0], foot), *points, (points[-1][0], foot)]
    parts = [
        line(LEFT, foot, WIDTH - RIGHT, foot, "axis"),
        path(area, "shade", close=True),
        path(points, "trace"),
    ]
    step = nice_step(top, 3)
    level = step
    while level <= top:
        y = foot - tall * level / top
        parts += [line(LEFT, y, WIDTH - RIGHT, y, "tick"), text(LEFT - 5, y + 4, short(level), "end")]
        level += step
    parts += [text(LEFT, HEIGHT - 7, "0 s"), text(WIDTH - RIGHT, HEIGHT - 7, _span(span), "end")]
    return chart(WIDTH, HEIGHT, label, parts)


def _span(seconds: float) -> str:
    for size, unit in ((3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"
