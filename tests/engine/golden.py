"""Golden files: perft counts, deals and one playthrough for every variant. ``make golden`` writes them anew.

They are read by people when rules change: a diff of them is what a change of rules does to games.

- ``perft/NAME.json``: for three positions of a deal (its start, and after a short and a long random line) how
  many lines of 1, 2, ... actions there are, and at the greatest depth how many start with each move.
- ``deals/NAME.txt``: the text form of a deal.
- ``games/NAME.txt``: a game, won if the solver wins one of a few deals, action by action: how many moves were
  legal, and the columns that changed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import _core
from engine.core import rules_of
from engine.deals import Deal, deal
from engine.endings import outlook
from engine.formats import read_deal, write_deal
from engine.game import apply, legal_moves, played, start
from engine.moves import Action, Resign, Undo, action_of, code_of, parse_move, texts_of
from engine.position import Position
from engine.solver import SolverSpec, Verdict, solve_batch
from engine.variants import NAMED, Variant
from tests.engine.families import ALL, FIELDS, MINIS, PRESETS

DATA = Path(__file__).parents[1] / "data" / "golden"
PERFT = list(ALL.values())
DEALS = list(ALL.values())
GAMES = [*NAMED.values(), *PRESETS, *FIELDS, *MINIS]

MOST_LINES = 60_000
"""Perft goes no deeper than this many lines at the greatest depth."""
MOST_DEPTH = 6


def path(kind: str, variant: Variant) -> Path:
    """Where a variant's golden file of a kind (perft, deals, games) stands."""
    suffix = "json" if kind == "perft" else "txt"
    return DATA / kind / f"{variant.name}.{suffix}"


@dataclass(frozen=True)
class Perft:
    """Counts from one position. line: how it is reached from the deal. counts: lines of 1, 2, ... actions.
    split: at the greatest depth, by first move in text."""

    seed: int
    line: tuple[str, ...]
    counts: tuple[int, ...]
    split: dict[str, int]


def reached(variant: Variant, perft: Perft) -> Position:
    """The position a perft counts from, played on the reference."""
    position = start(variant, deal(variant, perft.seed))
    for text in perft.line:
        action = parse_move(text)
        assert not isinstance(action, Undo | Resign)
        position = apply(variant, position, action)
    return position


def native_split(variant: Variant, position: Position, depth: int) -> dict[str, int]:
    """Lines of ``depth`` actions by first move, by the native rules."""
    counts = _core.perft(rules_of(variant), position.packed(), depth)
    return {str(action_of(code)): n for code, n in counts.items()}


def reference_split(variant: Variant, position: Position, depth: int) -> dict[str, int]:
    """The same by the reference."""
    return {
        str(action): _lines(variant, played(variant, position, action), depth - 1)
        for action in legal_moves(variant, position)
    }


def _lines(variant: Variant, position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    moves = legal_moves(variant, position)
    if depth == 1:
        return len(moves)
    return sum(_lines(variant, played(variant, position, action), depth - 1) for action in moves)


def read_perft(variant: Variant) -> list[Perft]:
    record = json.loads(path("perft", variant).read_text())
    assert record["variant"] == variant.record()
    return [Perft(p["seed"], tuple(p["line"]), tuple(p["counts"]), p["moves"]) for p in record["positions"]]


def make_perft(variant: Variant) -> dict[str, Any]:
    made = deal(variant, 1)
    positions = []
    for length in (0, 25, 120):
        codes = _core.random_playout(rules_of(variant), made.packed(), 1, length)
        perft = Perft(1, tuple(texts_of(codes)), (), {})
        positions.append(_counted(variant, perft))
    return {"variant": variant.record(), "positions": positions}


def _counted(variant: Variant, perft: Perft) -> dict[str, Any]:
    position = reached(variant, perft)
    counts: list[int] = []
    split: dict[str, int] = {}
    for depth in range(1, MOST_DEPTH + 1):
        deeper = native_split(variant, position, depth)
        if sum(deeper.values()) > MOST_LINES and counts:
            break
        split = deeper
        counts.append(sum(deeper.values()))
    return {"seed": perft.seed, "line": list(perft.line), "counts": counts, "moves": split}


def some_game(variant: Variant) -> tuple[Deal, list[Action]]:
    """The first deal of a few that the solver wins, and its line; else a random game."""
    for seed in range(1, 30):
        made = deal(variant, seed)
        answer = solve_batch(variant, [made.packed()], SolverSpec(nodes=400_000, memory_mb=128))[0]
        if answer.verdict is Verdict.SOLVED:
            return made, [action_of(code) for code in answer.moves]
    made = deal(variant, 1)
    codes = _core.random_playout(rules_of(variant), made.packed(), 1, 80)
    return made, [action_of(code) for code in codes]


def kept_game(variant: Variant) -> tuple[Deal, list[Action]] | None:
    """The game of the file that there is, if its moves are still legal: a better solver is no reason for
    another game."""
    if not path("games", variant).exists():
        return None
    text = path("games", variant).read_text()
    try:
        made, line = read_deal(text.split("\n\n")[0], variant), line_of(text)
        playthrough(variant, made, line)
    except ValueError:
        return None
    return made, line


def playthrough(variant: Variant, made: Deal, line: Sequence[Action]) -> str:
    """A game as text, played on the reference."""
    position = start(variant, made)
    lines = [write_deal(made).rstrip(), "", position.shown(), ""]
    for number, action in enumerate(line, 1):
        choices = len(legal_moves(variant, position))
        after = apply(variant, position, action)
        lines.append(f"{number:>3}. {action} ({choices} legal){_changes(position, after)}")
        position = after
    return "\n".join([*lines, "", f"{outlook(variant, position)} after {len(line)} actions"]) + "\n"


def _changes(before: Position, after: Position) -> str:
    out = ""
    shown = after.shown().splitlines()
    for i, (old, new) in enumerate(zip(before.columns, after.columns, strict=True)):
        if (old, before.face_down[i]) != (new, after.face_down[i]):
            out += f" |{shown[i]}"
    if before.stock != after.stock:
        out += f" | stock {len(after.stock)}"
    return out + (f" | sequences off {after.off}" if after.off != before.off else "")


def line_of(text: str) -> list[Action]:
    """The actions of a playthrough file."""
    out: list[Action] = []
    for row in text.splitlines():
        head, dot, rest = row.partition(". ")
        if dot and head.strip().isdigit():
            action = parse_move(rest.split(" (")[0])
            assert not isinstance(action, Undo | Resign)
            out.append(action)
    return out


def native_end(variant: Variant, made: Deal, line: Sequence[Action]) -> bytes:
    """Where the native rules get to on the same line, packed."""
    native = _core.Position(rules_of(variant), made.packed())
    for action in line:
        native.apply(code_of(action, variant))
    return native.packed()


def write_all(kinds: Sequence[str]) -> None:
    for kind, variants in (("perft", PERFT), ("deals", DEALS), ("games", GAMES)):
        if kind not in kinds:
            continue
        (DATA / kind).mkdir(parents=True, exist_ok=True)
        for variant in variants:
            target = path(kind, variant)
            if kind == "perft":
                target.write_text(json.dumps(make_perft(variant), indent=1) + "\n")
            elif kind == "deals":
                target.write_text(write_deal(deal(variant, 12345)))
            else:
                target.write_text(playthrough(variant, *(kept_game(variant) or some_game(variant))))


if __name__ == "__main__":
    write_all(sys.argv[1:] or ["perft", "deals", "games"])
