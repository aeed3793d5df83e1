"""Shortening lines: never longer, always legal, loops always out."""

from __future__ import annotations

import pytest

from engine import _core, deals, solver
from engine.core import rules_of
from engine.solver import SolverSpec, replay, solve_batch
from engine.variants import NAMED

MEMORY = 64 << 20


def line_of(name: str, seed: int) -> tuple[bytes, tuple[int, ...]]:
    packed = deals.deal(NAMED[name], seed).packed()
    solution = solve_batch(NAMED[name], [packed], SolverSpec(nodes=3_000_000))[0]
    assert solution.verdict is solver.Verdict.SOLVED
    return packed, solution.moves


def shorten(name: str, packed: bytes, line: tuple[int, ...], nodes: int) -> tuple[list[int], int]:
    return _core.shorten(rules_of(NAMED[name]), packed, list(line), nodes, MEMORY)


def move(source: int, target: int, count: int = 1) -> int:
    return source << 11 | target << 7 | count


@pytest.mark.parametrize("name", ["spider-1", "spider-2", "simple-simon-4", "spiderette-1", "black-widow"])
def test_a_shorter_line_wins_by_the_reference_rules(name: str) -> None:
    packed, line = line_of(name, 5)
    shorter, nodes = shorten(name, packed, line, 400_000)
    assert len(shorter) <= len(line)
    assert nodes <= 400_000 + 5_000
    replay(NAMED[name], packed, shorter)
    assert shorten(name, packed, line, 400_000) == (shorter, nodes)


def test_a_budget_buys_a_shorter_line() -> None:
    packed, line = line_of("spider-2", 5)
    assert len(shorten("spider-2", packed, line, 1_000_000)[0]) < len(line) - 5


def test_memory_ends_beams_and_is_counted_in_entries() -> None:
    """Too little of it finds less; more than is used changes nothing."""
    packed, line = line_of("spider-2", 5)
    tight, enough, more = (
        _core.shorten(rules_of(NAMED["spider-2"]), packed, list(line), 1_000_000, memory << 20)
        for memory in (1, 16, 512)
    )
    assert len(tight[0]) > len(enough[0])
    assert enough == more
    replay(NAMED["spider-2"], packed, tight[0])


def test_loops_go_without_a_budget() -> None:
    packed, line = line_of("simple-simon-4", 5)
    plain = shorten("simple-simon-4", packed, line, 0)[0]
    position = _core.Position(rules_of(NAMED["simple-simon-4"]), packed)
    padded: list[int] = []
    for code in line:
        padded.append(code)
        before = position.packed()
        position.apply(code)
        if position.won or padded[-2:] == [code, code]:
            continue
        back = move(code >> 7 & 15, code >> 11, code & 127)
        if back in position.legal_moves():
            position.apply(back)
            if position.packed() == before:
                padded += [back, code]
                position.apply(code)
            else:
                position.undo()
    assert len(padded) > len(line)
    assert len(shorten("simple-simon-4", packed, tuple(padded), 0)[0]) <= len(plain)


def test_an_illegal_line_is_refused_with_its_action() -> None:
    packed, line = line_of("spider-1", 5)
    with pytest.raises(ValueError, match="action 1 is illegal"):
        shorten("spider-1", packed, (move(0, 0, 12), *line), 0)
    with pytest.raises(ValueError, match="is illegal"):
        shorten("spider-1", packed, (*line, line[-1]), 0)
