from engine.levels import LEVELS, OPTIONS, Choice, Number
from engine.players import Level
from tests.support.markdown import DOCS, table_names


def test_every_player_option_is_documented_with_its_values_and_none_besides() -> None:
    known = set(OPTIONS) | {level.value for level in Level}
    assert table_names("player.md", r"[a-z_]+") == known
    text = (DOCS / "player.md").read_text()
    for name, option in OPTIONS.items():
        cells = next(x for x in text.splitlines() if x.startswith(f"| `{name}`")).split("|")
        if isinstance(option, Number):
            assert cells[2].strip() == f"{option.least} to {option.most}"
        elif isinstance(option, Choice):
            assert cells[2].strip() == ", ".join(option.words)
        assert [cells[3].strip(), cells[4].strip()] == [shown(LEVELS[x][name]) for x in ("club", "expert")]
        assert cells[5].strip() == option.help


def shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
