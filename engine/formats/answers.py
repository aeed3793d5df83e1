"""What solver and players say of one deal, as JSON objects of the command line and the HTTP API."""

from __future__ import annotations

from typing import Any

from engine.deals import Deal
from engine.endings import Ending
from engine.moves import texts_of
from engine.players import Game
from engine.solver import Solution
from engine.trails import trail_of
from engine.variants import Scoring


def solution_object(deal: Deal, solution: Solution, engine: str) -> dict[str, Any]:
    """``length`` and ``par`` are null unless solved, ``reason`` unless unknown, ``certificate`` unless
    unsolvable. engine: the version that searched."""
    return {
        "id": str(deal.identity),
        "verdict": solution.verdict.value,
        "reason": solution.reason.value if solution.reason else None,
        "moves": texts_of(solution.moves),
        "length": solution.length,
        "par": solution.length,
        "positions": solution.positions,
        "shortening_positions": solution.shortening_positions,
        "certificate": solution.certificate or None,
        "engine": engine,
        "seconds": round(solution.seconds, 3),
    }


def played_object(deal: Deal, game: Game, player: str, rng: int, engine: str) -> dict[str, Any]:
    """A player's finished game with every score. player: its label, such as ``player:club``."""
    trail = trail_of(deal.variant, deal.packed(), game.moves)
    return {
        "id": str(deal.identity),
        "player": player,
        "rng": str(rng),
        "ending": game.ending.value,
        "won": game.ending is Ending.WON,
        "moves": texts_of(game.moves),
        "length": len(game.moves),
        "stock_deals": game.stock_deals,
        "sequences": game.sequences,
        "scores": {s.value: trail.score(s, deal.variant) for s in Scoring},
        "nodes": game.nodes,
        "engine": engine,
        "seconds": round(game.seconds, 3),
    }
