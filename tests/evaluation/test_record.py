"""Record runs: resumed, never mixed, torn files mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.core import Control
from engine.deals import deal
from engine.moves import code_of, parse_move
from engine.solver import replay
from engine.variants import NAMED
from evaluation.record import Conditions, Entry, RecordError, read, run, summary

VARIANT = NAMED["simple-simon-1"]
CONDITIONS = Conditions.of(VARIANT, "spidervet", 50_000, 512)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path, told = tmp_path / "r.ndjson", list[Entry]()
    run(path, CONDITIONS, range(1, 6), Control(), told.append)
    run(path, CONDITIONS, range(1, 13), Control(), told.append)
    assert [e.seed for e in told] == [str(n) for n in range(1, 13)]
    found, entries = read(path)
    assert found == CONDITIONS
    assert list(entries.values()) == told
    counts = summary(entries.values())
    assert counts["solved"] + counts["unsolvable"] + counts["unknown"] == 12
    assert counts["open"] == [e.seed for e in told if e.verdict == "unknown"]


def test_solved_entries_carry_lines_that_win(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    run(path, CONDITIONS, range(1, 6), Control())
    solved = [e for e in read(path)[1].values() if e.verdict == "solved"]
    assert solved
    for entry in solved:
        codes = [code_of(parse_move(m), VARIANT) for m in entry.moves.split(",")]  # type: ignore[arg-type]
        assert len(codes) == entry.length
        replay(VARIANT, deal(VARIANT, entry.seed).packed(), codes)


def test_a_torn_last_line_is_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    run(path, CONDITIONS, range(1, 5), Control())
    whole = path.read_text()
    path.write_text(whole[:-20])
    assert len(read(path)[1]) == 3
    run(path, CONDITIONS, range(1, 5), Control())
    again = read(path)[1]
    assert {s: e.moves for s, e in again.items()} == {
        e.seed: e.moves for e in map(entry_of, whole.splitlines()[1:])
    }


def test_a_head_without_its_lines_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    run(path, CONDITIONS, [], Control())
    path.write_text(path.read_text().rstrip("\n"))
    run(path, CONDITIONS, [1], Control())
    assert list(read(path)[1]) == ["1"]


def test_bytes_that_are_no_text_and_seeds_that_are_numbers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    run(path, CONDITIONS, [1], Control())
    text = path.read_text()
    path.write_text(text.replace('"seed": "1"', '"seed": 1'))
    with pytest.raises(RecordError, match="line 2: seed 1 is not text"):
        read(path)
    path.write_bytes(text.encode() + b"\xff\n")
    with pytest.raises(RecordError, match="not a text file"):
        read(path)


def entry_of(line: str) -> Entry:
    return Entry(**json.loads(line))


def test_a_cancelled_run_leaves_what_is_done(tmp_path: Path) -> None:
    path, control = tmp_path / "r.ndjson", Control()
    run(path, CONDITIONS, range(1, 100), control, lambda _: control.cancel())
    assert 1 <= len(read(path)[1]) < 99


@pytest.mark.parametrize(("nodes", "memory"), [(60_000, 512), (50_000, 256)])
def test_other_conditions_are_refused(tmp_path: Path, nodes: int, memory: int) -> None:
    path = tmp_path / "r.ndjson"
    run(path, CONDITIONS, [1], Control())
    other = Conditions.of(VARIANT, "spidervet", nodes, memory)
    with pytest.raises(RecordError, match="made with"):
        run(path, other, [2], Control())


@pytest.mark.parametrize("text", ["{}\n", "x\n", '{"format": "spidervet-record/1"}\n'])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.ndjson"
    path.write_text(text)
    with pytest.raises(RecordError, match=r"r\.ndjson"):
        run(path, CONDITIONS, [1], Control())


def test_no_deals_have_no_figures() -> None:
    assert summary([])["positions"] == {"mean": None, "median": None, "most": None}
