"""No dead link in the docs: files and headings that are linked to are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.markdown import DOCS

ROOT = DOCS.parent
PAGES = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """The anchors that a page's headings give."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_what_a_page_links_to_is_there(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    for link in LINK.findall(text):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        target, _, anchor = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in anchors(file.read_text()), f"{page.name} links to {link}"


def test_the_index_names_every_document() -> None:
    linked = set(LINK.findall((DOCS / "index.md").read_text()))
    assert {page.name for page in DOCS.glob("*.md") if page.name != "index.md"} <= linked
