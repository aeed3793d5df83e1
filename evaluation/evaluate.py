"""Evaluate some units of an arm: the one place where deals meet players and solver.

The same code serves workers and `spidervet evaluate`, so both give the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import Control
from engine.players import Ending, Game, play_batch
from engine.solver import Reason, Solution, Verdict, solve_batch
from engine.variants import Scoring, Variant
from evaluation.evaluators import PlayerEvaluator
from evaluation.rows import Row
from evaluation.scores import scores_of
from evaluation.source import DealSource
from evaluation.spec import ArmPlan, JobSpec

RNG_MASK = 2**64 - 1


def evaluate_units(
    source: DealSource,
    arm: ArmPlan,
    spec: JobSpec,
    ordinals: Sequence[int],
    control: Control,
) -> list[Row | None]:
    """Rows of the given units in their order, in one native call; None where cancelled before its end.

    The rng number of repeat r is the job's rng + r, so that `spidervet play --rng` repeats any row.
    """
    indices = [ordinal // spec.repeats for ordinal in ordinals]
    packed = source.packed(arm.variant, indices)
    seeds = [source.seed(i) for i in indices]
    if isinstance(arm.evaluator, PlayerEvaluator):
        rng = [(spec.rng + ordinal % spec.repeats) & RNG_MASK for ordinal in ordinals]
        games = play_batch(arm.variant, packed, arm.evaluator.spec, rng, control)
        return [
            None if g is None else _game_row(o, s, g, arm.variant, p, spec.scoring)
            for o, s, g, p in zip(ordinals, seeds, games, packed, strict=True)
        ]
    solutions = solve_batch(arm.variant, packed, arm.evaluator.spec, control)
    return [
        None if x.reason is Reason.CANCELLED else _solution_row(o, s, x)
        for o, s, x in zip(ordinals, seeds, solutions, strict=True)
    ]


def _game_row(
    ordinal: int, seed: str, game: Game, variant: Variant, packed: bytes, scoring: Sequence[Scoring]
) -> Row:
    return Row(
        ordinal=ordinal,
        seed=seed,
        outcome=game.ending.value,
        won=game.ending is Ending.WON,
        moves=len(game.moves),
        stock_deals=game.stock_deals,
        sequences=game.sequences,
        scores=scores_of(variant, packed, game.moves, game.sequences, scoring),
        nodes=game.nodes,
        seconds=game.seconds,
    )


def _solution_row(ordinal: int, seed: str, solution: Solution) -> Row:
    return Row(
        ordinal=ordinal,
        seed=seed,
        outcome=solution.verdict.value,
        verdict=solution.verdict.value,
        reason=solution.reason.value if solution.reason else None,
        length=solution.length,
        nodes=solution.positions + solution.shortening_positions,
        certificate=solution.certificate or None,
        seconds=solution.seconds,
        line=solution.moves if solution.verdict is Verdict.SOLVED else (),
    )
