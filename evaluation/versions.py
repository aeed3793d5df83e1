"""The version that results are pinned to: the program, the players' weights and the solver's."""

from __future__ import annotations

from functools import lru_cache

from engine import _core, solver, weights


@lru_cache(maxsize=1)
def engine_version() -> str:
    """Text such as ``0.1.0-p1-s1``: program, players' weights, solver's weights and schedules.

    Rows of different versions are never mixed in one job.
    """
    return f"{_core.version}-p{weights.version()}-s{solver.weights_version()}"


def plays_alike(player: str, engine: str) -> bool:
    """Whether another engine version's games of a level are the present one's, as the weights' file says.

    engine: text as `engine_version` gives it; of other programs' versions nothing is known.
    """
    program, players, _ = engine.rsplit("-", 2)
    return program == _core.version and weights.since(player) <= int(players[1:]) <= int(weights.version())
