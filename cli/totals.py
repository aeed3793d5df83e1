"""Totals over vetted dates, in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.words import counted


def summary_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """What `Summary.to_json` says, a line a subject."""
    dates, held = data["dates"], data["held"]
    yield f"dates with a deal: {held} of {dates}, {data['borderline']} of them borderline"
    done = data["rejected"] + data["fitting"]
    open_ = data["candidates"] - done
    yield (
        f"{counted(data['candidates'], 'candidate')}: {data['fitting']} fit, {data['rejected']} refused"
        + (f", {open_} under way" if open_ else "")
        + (f" ({_counts(data['refused'])})" if data["refused"] else "")
    )
    each = f", {data['seconds'] / held:.1f} a deal held" if held else ""
    yield (
        f"{counted(data['games'], 'rated game')}, {counted(data['positions'], 'position')} searched;"
        f" {data['seconds']:,.1f} s of processor time{each}"
    )
    for name, what, unit in (("par", "par", 1), ("win_rate", "people win, predicted, %", 100)):
        if data[name] is not None:
            low, mid, high = (f"{unit * data[name][k]:.4g}" for k in ("least", "median", "most"))
            yield f"{what}: {low}" + (f" to {high}, median {mid}" if high != low else "")
    for day in data["weekdays"]:
        missing = f"; {day['missing']} without a deal" if day["missing"] else ""
        asked, labels = _counts(day["wanted"]), _counts(day["labels"]) or "nothing"
        yield f"{day['name']}: asked {asked}; held {labels}{missing}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())
