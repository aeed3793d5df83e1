"""`solve` and `play`: one deal, at once, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cli import completion
from cli.common import NEGATIVE, USAGE, fail, out, print_json, settings_with, told, variant_option
from cli.deals import deal_of
from cli.options import Json, Scheme
from engine.deals import Deal, deal
from engine.formats.answers import solution_object
from engine.formats.games import write_game
from engine.formats.prooffiles import ProofRecord, write_proof
from engine.moves import action_of
from engine.players import Game, PlayerSpec, play_batch
from engine.proofs import Certificate
from engine.replay import GameRecord
from engine.scoring import WINDOWS_SEQUENCE, WINDOWS_START
from engine.solver import MAX_NODES, SHORTEN_NODES, Solution, SolverSpec, Verdict, solve_batch
from engine.variants import resolve
from engine.words import counted
from evaluation.evaluators import evaluator_of
from evaluation.spec import SpecError
from evaluation.stats import wilson
from evaluation.versions import engine_version

VariantName = Annotated[
    str,
    typer.Option(
        "--variant", help="a variant: name, JSON record or @FILE", autocompletion=completion.variants
    ),
]
VariantMaybe = Annotated[
    str | None,
    typer.Option(
        "--variant",
        help="a variant: name, JSON record or @FILE; a file may name it itself",
        autocompletion=completion.variants,
    ),
]
Seed = Annotated[str | None, typer.Option("--seed", help="the deal's number")]
OutFile = Annotated[
    Path | None,
    typer.Option("--out", help="write the solution (spidervet-game/1), or the proof that there is none"),
]
GameFile = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="write the game (spidervet-game/1); with --repeat the further games stand beside it, their rng"
        " in the name: game.json, game-2.json, game-3.json, …",
    ),
]


def register(app: typer.Typer) -> None:
    app.command("solve")(solve)
    app.command("play")(play)


def shorten_nodes(value: str | int) -> int:
    """A number of nodes, or the word for the default budget."""
    if value == "default":
        return SHORTEN_NODES
    try:
        nodes = int(value)
    except ValueError:
        nodes = -1
    if not 0 <= nodes <= MAX_NODES:
        raise typer.BadParameter(f"{value!r} is neither a number from 0 to 2^62 nor the word default")
    return nodes


def solve(
    variant: VariantMaybe = None,
    seed: Seed = None,
    scheme: Scheme = "spidervet",
    layout: Annotated[Path | None, typer.Option("--layout", help="a deal file, in any format")] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, max=MAX_NODES, help="budget in nodes")
    ] = None,
    shorten: Annotated[
        int,
        typer.Option(
            "--shorten",
            parser=shorten_nodes,
            metavar="NODES|default",
            help=f"budget for shortening a found line; 'default' is {SHORTEN_NODES:,}, some fifteen seconds",
        ),
    ] = 0,
    out_file: OutFile = None,
    as_json: Json = False,
) -> None:
    """Search a deal: solved (with its line), unsolvable (proved) or unknown. Exit 0 only if solved."""
    with told():
        _check_folder(out_file)
        start = deal_of(variant, seed, scheme, layout)
        spec = SolverSpec(nodes, settings_with().solver_memory_mb, shorten)
        solution = solve_batch(start.variant, [start.packed()], spec)[0]
        moves = texts(solution.moves)
        if out_file is not None:
            _write(out_file, start, solution, moves)
    if as_json:
        print_json(solution_object(start, solution, engine_version()))
    else:
        _tell_solution(start, solution, moves)
    if solution.verdict is not Verdict.SOLVED:
        raise typer.Exit(NEGATIVE)


def _check_folder(path: Path | None) -> None:
    """Refuse a file that can not be written before work is done for it."""
    if path is not None and not path.absolute().parent.is_dir():
        fail(f"--out {path}: there is no folder {path.absolute().parent}", USAGE)


def _write(path: Path, start: Deal, solution: Solution, moves: tuple[str, ...]) -> None:
    """The line of a solved deal, the proof of an unsolvable one; nothing for an unknown one."""
    if solution.verdict is Verdict.SOLVED:
        path.write_text(write_game(GameRecord(start, moves, "solver", engine_version())))
    elif solution.verdict is Verdict.UNSOLVABLE:
        path.write_text(
            write_proof(ProofRecord(start, Certificate.parse(solution.certificate), engine_version()))
        )


def texts(codes: tuple[int, ...]) -> tuple[str, ...]:
    """Move codes as text."""
    return tuple(str(action_of(code)) for code in codes)


def _tell_solution(start: Deal, solution: Solution, moves: tuple[str, ...]) -> None:
    reason = f" ({solution.reason.value})" if solution.reason else ""
    length = f" in {counted(solution.length, 'move')}" if solution.length is not None else ""
    out.print(
        f"{start.identity}: {solution.verdict.value}{reason}{length},"
        f" {counted(solution.positions, 'position')}"
    )
    if moves:
        out.print(" ".join(m.replace(" ", "·") for m in moves), soft_wrap=True)
    if solution.certificate:
        out.print(solution.certificate, markup=False, soft_wrap=True)


def play(
    variant: VariantName,
    seed: Annotated[str, typer.Option("--seed", help="the deal's number")],
    player: Annotated[
        str,
        typer.Option(
            "--player",
            help="a player level; `spidervet players` lists them",
            autocompletion=completion.players,
        ),
    ],
    scheme: Scheme = "spidervet",
    rng: Annotated[
        int, typer.Option("--rng", min=0, max=2**64 - 1, help="number that the player draws from")
    ] = 1,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="games, with rng, rng + 1, …")] = 1,
    out_file: GameFile = None,
    as_json: Json = False,
) -> None:
    """Let a player play a deal, seeing only what a person sees."""
    with told():
        if repeat > (most := settings_with().max_repeats):
            raise SpecError.at("--repeat", f"{repeat}; SPIDERVET_MAX_REPEATS allows {most}")
        _check_folder(out_file)
        start = deal(resolve(variant_option(variant)), seed, scheme)
        evaluator_of({"player": player})
        numbers = [(rng + i) % 2**64 for i in range(repeat)]
        packed = [start.packed()] * repeat
        games = [g for g in play_batch(start.variant, packed, PlayerSpec(player), numbers) if g is not None]
        if out_file is not None:
            for path, game in zip(_files(out_file, numbers), games, strict=True):
                record = GameRecord(start, texts(game.moves), f"player:{player}", engine_version())
                path.write_text(write_game(record))
    shown = [_game_json(game, number) for game, number in zip(games, numbers, strict=True)]
    if as_json:
        head = {"id": str(start.identity), "player": player, "engine": engine_version(), **_rate(games)}
        print_json({**head, "games": shown})
        return
    for told_game in shown:
        out.print(
            f"{start.identity} {player} rng {told_game['rng']}: {told_game['outcome']},"
            f" {counted(len(told_game['moves']), 'move')}, {counted(told_game['sequences'], 'sequence')},"
            f" score {told_game['score']}"
        )
    if repeat > 1:
        out.print(_rate_text(_rate(games), player))
        if out_file is not None:
            more = _files(out_file, numbers)[1:]
            out.print(f"wrote {out_file} and {more[0]} to {more[-1]}", markup=False, soft_wrap=True)


def _files(path: Path, numbers: list[int]) -> list[Path]:
    """The file of each game: the one that was asked for, and for further games its name with their rng."""
    return [path, *(path.with_name(f"{path.stem}-{number}{path.suffix}") for number in numbers[1:])]


def _rate(games: list[Game]) -> dict[str, Any]:
    """How many of the games were won, and how many differ. win_interval: Wilson's, None where there are
    several games and all are one and the same: they are one observation."""
    wins, distinct = sum(g.ending.value == "won" for g in games), len({tuple(g.moves) for g in games})
    return {
        "n": len(games),
        "wins": wins,
        "win_rate": wins / len(games),
        "win_interval": list(wilson(wins, len(games))) if distinct > 1 or len(games) == 1 else None,
        "distinct": distinct,
    }


def _rate_text(rate: dict[str, Any], player: str) -> str:
    if rate["win_interval"] is None:
        return f"{player} plays the same game all {rate['n']} times, whatever rng: no rate, no interval"
    low, high = rate["win_interval"]
    won = f"won {rate['wins']} of {rate['n']}: {rate['win_rate']:.1%}"
    return f"{won}, 95 % interval {low:.1%} to {high:.1%}"


def _game_json(game: Game, rng: int) -> dict[str, Any]:
    return {
        "rng": rng,
        "outcome": game.ending.value,
        "won": game.ending.value == "won",
        "moves": list(texts(game.moves)),
        "stock_deals": game.stock_deals,
        "sequences": game.sequences,
        "score": WINDOWS_START + WINDOWS_SEQUENCE * game.sequences - len(game.moves),
        "positions": game.nodes,
    }
