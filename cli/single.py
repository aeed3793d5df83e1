"""`solve` and `play`: one deal, at once, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from cli.common import NEGATIVE, USAGE, fail, out, print_json, told
from engine.deals import Deal, deal
from engine.endings import Ending
from engine.formats import read_layout
from engine.formats.games import game_json
from engine.moves import action_of
from engine.players import PlayerSpec, play_batch
from engine.replay import GameRecord
from engine.solver import Solution, SolverSpec, Verdict, solve_batch
from engine.variants import resolve
from evaluation.evaluators import PlayerEvaluator
from evaluation.versions import engine_version
