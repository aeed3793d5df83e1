from evaluation.settings import Settings
from tests.support.markdown import DOCS, table_names


def test_every_setting_is_documented_with_its_default_and_none_besides() -> None:
    expected = {f"SPIDERVET_{name.upper()}" for name in Settings.model_fields}
    assert table_names("settings.md", r"SPIDERVET_\w+") == expected
    text = (DOCS / "settings.md").read_text()
    for name, field in Settings.model_fields.items():
        line = next(x for x in text.splitlines() if x.startswith(f"| `SPIDERVET_{name.upper()}`"))
        default = "" if field.default in (None, "") else str(field.default)
        assert [cell.strip() for cell in line.split("|")][2] == default
        assert field.description
        assert field.description in line
