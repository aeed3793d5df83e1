"""Joins value files into one: the mean of all their nets. What one has seen too little of, another may know.

    python -m tools.join_values value-a.json value-b.json --out value-expert-spider-1.json

The nets must have as many units each. Nets that know fewer inputs go by those they name.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine import _core
from engine.weights import net_of


def joined(files: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One file. Raises ValueError where nets differ in size or have a last bias outside their units."""
    known = max((file["inputs"] for file in files), key=len)
    nets = [net_of(file, known) for file in files]
    if len({len(net.bias) // net.nets for net in nets}) > 1:
        raise ValueError("the nets differ in units")
    if any(net.last_bias for net in nets):
        raise ValueError("a net has a last bias of its own, which is no part of its units")
    first = np.concatenate([np.reshape(net.first, (len(known), -1)) for net in nets], axis=1)
    return {
        "format": "spidervet-value/1",
        "made": {"mean of": [file["made"] for file in files]},
        "inputs": list(known),
        "nets": sum(net.nets for net in nets),
        "caution": 0,
        "first": first.ravel().tolist(),
        "bias": [weight for net in nets for weight in net.bias],
        "last": [weight for net in nets for weight in net.last],
        "last_bias": 0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("values", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    file = joined([json.loads(path.read_text("utf-8")) for path in args.values])
    net_of(file, _core.feature_names())
    args.out.write_text(json.dumps(file))


if __name__ == "__main__":
    main()
