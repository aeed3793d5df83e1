"""The pages about rules, deals and files against the code: nothing missing, nothing that is not there."""

from __future__ import annotations

import dataclasses
import re
from enum import StrEnum
from pathlib import Path

from engine.deals import SCHEMES
from engine.endings import DEAD_BOUND, Ending
from engine.formats import Format
from engine.formats.errors import MAX_BYTES
from engine.replay import MAX_ENTRIES
from engine.variants import (
    ALIASES,
    NAMED,
    PRESETS,
    Build,
    DealOverEmpty,
    EmptyAccepts,
    GroupMove,
    Removal,
    Scoring,
    Variant,
    WholeColumn,
)

ROOT = Path(__file__).parents[2]
RULES, DEALS, FORMATS = ((ROOT / "docs" / f"{page}.md").read_text() for page in ("rules", "deals", "formats"))
ENUMS: dict[str, type[StrEnum]] = {
    "build": Build,
    "group_move": GroupMove,
    "stock_deal_over_empty": DealOverEmpty,
    "sequence_removal": Removal,
    "empty_column_accepts": EmptyAccepts,
    "whole_column_to_empty": WholeColumn,
    "scoring": Scoring,
}


def rows(page: str, heading: str) -> list[list[str]]:
    """The body rows of the first table under a heading."""
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_record_is_documented_field_by_field_with_every_value() -> None:
    documented = {row[0].strip("`"): row[1] for row in rows(RULES, "The record")}
    assert set(documented) == {f.name for f in dataclasses.fields(Variant)}
    for field, choices in ENUMS.items():
        assert set(re.findall(r"`([a-z-]+)`", documented[field])) - {"remove"} == set(choices)


def test_the_table_of_games_is_the_registry() -> None:
    named: list[str] = []
    for row in rows(RULES, "Named variants"):
        first, *others = row[0].split()
        named.append(first)
        named += [first[:-1] + other[1:] for other in others]
    assert named == list(NAMED)


def test_aliases_presets_endings_and_bounds_are_documented() -> None:
    assert "solitaire-plus-easy, -medium, -challenging" in RULES
    assert {a for a in ALIASES if a.startswith("solitaire-plus")} == {
        f"solitaire-plus-{level}" for level in ("easy", "medium", "challenging")
    }
    for preset in PRESETS:
        assert f"**{preset}**" in RULES
    assert {row[0].strip("`") for row in rows(RULES, "How games end")} == set(Ending)
    assert f"{DEAD_BOUND:,}" in RULES
    assert f"{MAX_ENTRIES:,}" in FORMATS
    assert f"{MAX_BYTES:,}" in FORMATS


def test_the_table_of_schemes_is_the_registry() -> None:
    section = DEALS.split("Which scheme deals which variant")[1]
    table = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    names = [cell.strip() for cell in table[0]][1:]
    assert names == list(SCHEMES)
    dealt: dict[str, set[str]] = {name: set() for name in names}
    for row in table[2:]:
        for game in row[0].split(","):
            for name, cell in zip(names, row[1:], strict=True):
                if cell.strip() == "yes":
                    dealt[name].add(game.strip())
    for name in names[1:]:
        assert dealt[name] == set(SCHEMES[name].variants)


def test_every_file_format_is_documented() -> None:
    table = rows("#" + FORMATS, "Files")
    assert [re.findall(r"`([a-z]+)`", row[0])[0] for row in table] == list(Format)


def test_every_reported_fault_is_documented_and_has_a_test_by_name() -> None:
    """``faults.tsv``: who reported a fault, as in the table, and how the names of its tests begin."""
    lines = (ROOT / "tests" / "data" / "faults.tsv").read_text().splitlines()
    reported = dict(line.split("\t") for line in lines)
    assert [row[0] for row in rows(RULES, "Faults reported in other programs")] == list(reported)
    files = ("test_faults.py", "test_deals.py")
    text = "".join((ROOT / "tests" / "engine" / file).read_text() for file in files)
    for start in " ".join(reported.values()).split():
        assert f"\ndef test_{start}_" in text, start
