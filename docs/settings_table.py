"""Write docs/settings.md's table anew from the settings class: `python docs/settings_table.py`."""

from pathlib import Path

from evaluation.settings import Settings

PAGE = Path(__file__).parent / "settings.md"
HEAD = "|---|---|---|\n"


def main() -> None:
    lines = []
    for name, field in Settings.model_fields.items():
        default = "" if field.default in (None, "") else field.default
        lines.append(f"| `SPIDERVET_{name.upper()}` | {default} | {field.description} |\n")
    text = PAGE.read_text()
    before, head, _ = text.partition(HEAD)
    PAGE.write_text(before + head + "".join(lines))


if __name__ == "__main__":
    main()
