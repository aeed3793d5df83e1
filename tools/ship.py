"""Puts fitted numbers into engine/data, where the players read them.

    python -m tools.ship weights spider-4 weights-spider-4.json      what tools.tune_weights wrote
    python -m tools.ship value spider-4 value-spider-4.json          what tools.train_value wrote

Counts the weights' version up: workers of another version do not take part in a job.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "engine" / "data"


def dumped(data: dict[str, Any]) -> str:
    """JSON with one line for each value of the first two levels, so that changes can be read."""
    lines = []
    for key, value in data.items():
        if isinstance(value, dict) and value:
            inner = ",\n    ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f"  {json.dumps(key)}: {{\n    {inner}\n  }}")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    kind, name, source = sys.argv[1], sys.argv[2], json.loads(Path(sys.argv[3]).read_text())
    weights = DATA / "weights.json"
    shipped = json.loads(weights.read_text())
    shipped["version"] += 1
    if kind == "weights":
        how = source["how"]
        shipped["sets"][name] = source["weights"]
        shipped["made"][name] = (
            f"tools.tune_weights {how['variant']}, width {how['width']}, depth {how['depth']}, "
            f"{how['games']} games a candidate, seeds from {how['first']}"
        )
    else:
        (DATA / f"value-{name}.json").write_text(dumped(source))
    weights.write_text(dumped(shipped))


if __name__ == "__main__":
    main()
