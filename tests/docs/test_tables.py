import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from evaluation.settings import Settings
from evaluation.spec import JobSpec

DOCS = Path(__file__).parents[2] / "docs"


def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_tables", DOCS / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(tables().PAGES))
def test_a_page_lists_what_the_code_has(name: str) -> None:
    """Settings, routes, commands and packages: none missing, none gone, each with its present meaning."""
    assert (DOCS / name).read_text() == tables().page(name), "run make docs"


def test_the_table_of_commands_names_options_as_they_are_typed() -> None:
    line = next(
        row for row in (DOCS / "cli.md").read_text().splitlines() if row.startswith("| `spidervet verify`")
    )
    assert line.rpartition(" | ")[2] == "`FILE` `--recheck` `--json` |"


def test_every_field_of_a_job_is_documented() -> None:
    text = (DOCS / "api.md").read_text()
    assert [
        name for name in JobSpec.model_fields if f'"{name}"' not in text and f"`{name}`" not in text
    ] == []


def test_every_setting_says_what_it_means() -> None:
    assert all(field.description for field in Settings.model_fields.values())
