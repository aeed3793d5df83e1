"""The few SVG pieces that charts are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape


def chart(width: float, height: float, label: str, parts: Iterable[str]) -> str:
    """A whole drawing. label: what it shows, for those who do not see it."""
    body = "".join(parts)
    return (
        f'<svg class="chart" viewBox="0 0 {n(width)} {n(height)}" width="{n(width)}" height="{n(height)}"'
        f' role="img" aria-label="{escape(label)}">{body}</svg>'
    )


def line(x1: float, y1: float, x2: float, y2: float, name: str) -> str:
    return f'<line class="{name}" x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}"/>'


def box(x: float, y: float, width: float, height: float, name: str, title: str = "") -> str:
    """A rectangle, with a title that shows when pointed at."""
    inside = f"<title>{escape(title)}</title>" if title else ""
    size = f'x="{n(x)}" y="{n(y)}" width="{n(max(0.0, width))}" height="{n(max(0.0, height))}"'
    return f'<rect class="{name}" {size}>{inside}</rect>' if inside else f'<rect class="{name}" {size}/>'


def dot(x: float, y: float, radius: float, name: str) -> str:
    return f'<circle class="{name}" cx="{n(x)}" cy="{n(y)}" r="{n(radius)}"/>'


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{n(x)}" y="{n(y)}" text-anchor="{anchor}">{escape(words)}</text>'


def path(points: Iterable[tuple[float, float]], name: str, close: bool = False) -> str:
    """A line through points; closed, an area."""
    way = " ".join(f"{'M' if i == 0 else 'L'}{n(x)} {n(y)}" for i, (x, y) in enumerate(points))
    return f'<path class="{name}" d="{way}{"Z" if close else ""}"/>'


def n(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def nice_step(span: float, wanted: int) -> float:
    """A step of 1, 2 or 5 times a power of ten that cuts a span into about as many parts as wanted."""
    if span <= 0:
        return 1.0
    raw = span / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(raw))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)


def short(value: float) -> str:
    """A number for an axis: ``1.2k``, ``3M``, ``0.5``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
