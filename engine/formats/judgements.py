"""What a judge says of a replay, as the JSON object that the command line and the HTTP API give."""

from __future__ import annotations

from typing import Any

from engine.deals import Deal
from engine.replay import Judgement


def judgement_object(deal: Deal, judgement: Judgement) -> dict[str, Any]:
    """Keys in the order people read them. ``fault`` is null for a legal game; its ``position`` is what the
    player saw before the move. ``outlook`` is ``unknown`` where the bounded search did not decide."""
    fault = judgement.fault
    return {
        "id": str(deal.identity),
        "legal": judgement.legal,
        "won": judgement.won,
        "ending": judgement.ending.value,
        "outlook": judgement.outlook.value,
        "moves": judgement.moves,
        "undos": judgement.undos,
        "length": judgement.length,
        "stock_deals": judgement.stock_deals,
        "sequences": judgement.sequences,
        "cards_left": judgement.tally.cards_left,
        "stock_deals_left": judgement.tally.stock_deals_left,
        "scores": {scoring.value: points for scoring, points in judgement.scores.items()},
        "fault": fault
        and {"number": fault.number, "move": fault.move, "reason": fault.reason, "position": fault.shown},
    }
