"""The OpenAPI description as a file, so that changes show in review. ``make golden`` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path

from api.app import create_app
from evaluation.settings import Settings

PATH = Path(__file__).parents[1] / "data" / "golden" / "openapi.json"


def description() -> str:
    """The description by default settings, without the engine's version, which new weights change too."""
    found = create_app(Settings()).openapi()
    return json.dumps({**found, "info": {**found["info"], "version": ""}}, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(description(), "utf-8")
