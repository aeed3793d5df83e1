"""No dead link in the docs: files and headings that are linked to are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.markdown import DOCS

ROOT = DOCS.parent
PAGES = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
FOLDERS = "api|benchmarks|cli|deploy|docs|engine|evaluation|tests|tools|worker"
PATH = re.compile(rf"(?<![\w/.])(?:{FOLDERS})/[\w/*-]*(?:/|\.[a-z]+)(?![\w/])")
MODULE = re.compile(r"python -m ((?:benchmarks|tests|tools)[\w.]+)")
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


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_programs_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text()
    assert [p for p in set(PATH.findall(text)) if not list(ROOT.glob(p.rstrip("/")))] == []
    modules = {m.rstrip(".").replace(".", "/") for m in MODULE.findall(text)}
    found = {m for m in modules for end in (".py", "/__main__.py") if (ROOT / (m + end)).exists()}
    assert modules == found


def test_the_index_names_every_document() -> None:
    linked = set(LINK.findall((DOCS / "index.md").read_text()))
    assert {page.name for page in DOCS.glob("*.md") if page.name != "index.md"} <= linked
