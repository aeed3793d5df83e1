"""Reading the project's own docs."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def table_names(page: str, pattern: str) -> set[str]:
    """First cells of a page's tables that match: what the page documents."""
    text = (DOCS / page).read_text()
    cells = re.findall(r"^\| *`([^`]+)`", text, re.MULTILINE)
    return {cell for cell in cells if re.fullmatch(pattern, cell)}
