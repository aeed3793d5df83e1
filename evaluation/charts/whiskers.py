"""Intervals as whiskers on one axis: a mark for the estimate, a line from end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.charts.svg import box, chart, dot, line, nice_step, text

WIDTH, ROW, EDGE = 240.0, 22.0, 8.0


@dataclass(frozen=True)
class Whisker:
    """An estimate with its interval. undecided: the span that undecided deals leave open, if any."""

    lo: float
    hi: float
    at: float | None
    label: str
    undecided: tuple[float, float] | None = None


@dataclass(frozen=True)
class Axis:
    """What all whiskers of a table share."""

    lo: float = 0.0
    hi: float = 1.0

    def x(self, value: float) -> float:
        share = (value - self.lo) / (self.hi - self.lo)
        return EDGE + (WIDTH - 2 * EDGE) * max(0.0, min(1.0, share))

    def ticks(self) -> list[float]:
        step = nice_step(self.hi - self.lo, 4)
        first = round(self.lo / step)
        last = round(self.hi / step)
        marks = [k * step for k in range(first, last + 1)]
        return [m for m in marks if self.lo - 1e-9 <= m <= self.hi + 1e-9]


def around_zero(whiskers: Sequence[Whisker]) -> Axis:
    """An axis for differences: zero in its middle."""
    reach = max([abs(end) for w in whiskers for end in (w.lo, w.hi)] or [0.0])
    reach = min(1.0, max(0.01, reach * 1.1))
    return Axis(-reach, reach)


def whisker(w: Whisker, axis: Axis) -> str:
    """One row's drawing; rows of a table with the same axis line up."""
    y = ROW / 2
    parts = [
        line(axis.x(t), 0, axis.x(t), ROW, "zero" if t == 0 and axis.lo < 0 else "tick") for t in axis.ticks()
    ]
    if w.undecided is not None:
        a, b = (axis.x(v) for v in w.undecided)
        parts.append(box(a, y - 4, b - a, 8, "undecided-span"))
    a, b = axis.x(w.lo), axis.x(w.hi)
    parts += [
        line(a, y, b, y, "whisker"),
        line(a, y - 4, a, y + 4, "whisker"),
        line(b, y - 4, b, y + 4, "whisker"),
    ]
    if w.at is not None:
        parts.append(dot(axis.x(w.at), y, 4, "point"))
    return chart(WIDTH, ROW, w.label, parts)


def axis_scale(axis: Axis) -> str:
    """The numbers of the axis, for the head of the column."""
    signed = axis.lo < 0
    parts = []
    for tick in axis.ticks():
        words = f"{100 * tick:+.3g}" if signed and tick else f"{100 * tick:.3g}"
        at = axis.x(tick)
        anchor = "start" if at <= EDGE + 1 else "end" if at >= WIDTH - EDGE - 1 else "middle"
        parts.append(
            text(
                at - (EDGE if anchor == "start" else -EDGE if anchor == "end" else 0), 11, words + "%", anchor
            )
        )
    return chart(WIDTH, 14, "scale in per cent", parts)
