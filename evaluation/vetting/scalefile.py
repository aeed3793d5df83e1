"""Scales as JSON: the shipped ones in evaluation/vetting/data, and the form that the ledger keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from engine.variants import Variant
from evaluation.vetting.scale import Curve, Feature, Rater, Scale

FORMAT = "spidervet-scale/1"
SAMPLE_FORMAT = "spidervet-sample/1"
FOLDER = Path(__file__).parent / "data"


class NoScaleError(LookupError):
    """There is no scale of difficulty for a variant."""


def to_json(scale: Scale) -> dict[str, Any]:
    """The scale as JSON."""
    return {
        "format": FORMAT,
        "variant": scale.variant,
        "variant_key": scale.variant_key,
        "engine": scale.engine,
        "cuts": list(scale.cuts),
        "people": {"slope": scale.people.slope, "step": scale.people.step},
        "raters": [
            {
                "player": r.player,
                "options": dict(r.options),
                "batch": r.batch,
                "categories": list(r.categories),
                "slope": r.slope,
                "steps": list(r.steps),
            }
            for r in scale.raters
        ],
        "features": {name: [f.mean, f.sd, f.weight] for name, f in scale.features.items()},
        "sample": dict(scale.sample),
    }


def from_json(data: Mapping[str, Any]) -> Scale:
    """Read a scale. Raises ValueError for another format."""
    if data.get("format") != FORMAT:
        raise ValueError(f"the scale's format is {data.get('format')!r}, not {FORMAT}")
    easy, medium, hard = data["cuts"]
    return Scale(
        variant=data["variant"],
        variant_key=data["variant_key"],
        engine=data["engine"],
        cuts=(easy, medium, hard),
        people=Curve(data["people"]["slope"], data["people"]["step"]),
        raters=tuple(
            Rater(
                r["player"], r["batch"], tuple(r["categories"]), r["slope"], tuple(r["steps"]), r["options"]
            )
            for r in data["raters"]
        ),
        features={name: Feature(*f) for name, f in data["features"].items()},
        sample=data["sample"],
    )


@cache
def shipped() -> Mapping[str, Scale]:
    """The scales of this release, by the key of their variant's rules."""
    scales = [from_json(json.loads(p.read_text("utf-8"))) for p in sorted(FOLDER.glob("scale-*.json"))]
    return {s.variant_key: s for s in scales}


def write_shipped(scale: Scale) -> Path:
    """Write a scale where `shipped` finds it."""
    path = FOLDER / f"scale-{scale.variant}.json"
    path.write_text(json.dumps(to_json(scale), indent=1) + "\n", "utf-8")
    return path


def write_sample(scale: Scale, tallies: Sequence[Sequence[Sequence[int]]]) -> Path:
    """Write the games that a scale was fitted to: per deal of the sample, per rater, per category."""
    path = FOLDER / f"sample-{scale.variant}.json"
    head = {"format": SAMPLE_FORMAT, "variant": scale.variant, "engine": scale.engine, **scale.sample}
    rows = ",\n".join(json.dumps(row) for row in tallies)
    path.write_text(json.dumps(head)[:-1] + ', "tallies": [\n' + rows + "\n]}\n", "utf-8")
    return path


def read_sample(variant: str) -> list[list[list[int]]]:
    """The games of a shipped scale's sample."""
    data = json.loads((FOLDER / f"sample-{variant}.json").read_text("utf-8"))
    if data.get("format") != SAMPLE_FORMAT:
        raise ValueError(f"the sample's format is {data.get('format')!r}, not {SAMPLE_FORMAT}")
    tallies: list[list[list[int]]] = data["tallies"]
    return tallies


def nearest(variant: Variant) -> tuple[Scale, bool]:
    """The shipped scale of a variant, and whether it is its own: else that of the nearest game, the one with
    the same pack, the same build and group rules and the most columns of the same length.

    Raises NoScaleError where no shipped game has the same pack and the same build and group rules.
    """
    from engine.variants import resolve

    scales = shipped()
    if variant.key in scales:
        return scales[variant.key], True
    alike = [
        (sum(a == b for a, b in zip(v.columns, variant.columns, strict=False)), s)
        for s in scales.values()
        for v in [resolve(s.variant)]
        if (v.decks, v.suits, v.ranks, v.build, v.group_move)
        == (variant.decks, variant.suits, variant.ranks, variant.build, variant.group_move)
    ]
    if not alike:
        raise NoScaleError(
            f"there is no scale of difficulty for {variant.label}: make one with"
            f" spidervet calendar scale --variant {variant.name}"
        )
    return max(alike, key=lambda pair: pair[0])[1], False
