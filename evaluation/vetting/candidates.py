"""Judging one deal for one date: rated, proved, shortened, held against the bounds; resumable at every step.

A candidate is a value; `step` does the next piece of work and gives the candidate with what was found, so
that whoever keeps it loses one piece at most. What it finds depends only on the deal, what is wanted and
the engine's version.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import orjson

from engine.core import Control
from engine.deals import Deal
from engine.solver import Reason, SolverSpec, Verdict, solve_batch
from evaluation.vetting.calendars import Bounds, Effort
from evaluation.vetting.features import explained
from evaluation.vetting.rating import CLEAR_Z, Rating, Tally, finished, play_on, rating_of
from evaluation.vetting.scale import Difficulty, Estimate, Scale, estimate

EARLY_BATCHES = 2
"""Batches before a deal may be called too hard or too easy, or be given up."""
GIVE_UP = 0.1
"""A candidate whose chance of becoming clear in time is below this is passed over: another is cheaper."""


class State(StrEnum):
    """How far a candidate is."""

    NEW = "new"
    RATED = "rated"
    FITS = "fits"
    REJECTED = "rejected"

    @property
    def done(self) -> bool:
        return self in (State.FITS, State.REJECTED)


@dataclass(frozen=True)
class Wanted:
    """What a deal is judged against. whole: find out everything, also of a deal that does not fit."""

    difficulty: Difficulty | None
    bounds: Bounds
    effort: Effort
    memory_mb: int
    whole: bool = False

    def digest(self, scale: Scale, engine: str) -> str:
        """Identity of the question: the same question has the same answer."""
        data = [
            self.difficulty,
            self.bounds.model_dump(mode="json", exclude={"variety"}),
            self.effort.model_dump(mode="json", exclude={"candidates"}),
            self.memory_mb,
            self.whole,
            [scale.variant_key, scale.engine, list(scale.cuts), scale.people.slope, scale.people.step],
            engine,
        ]
        return hashlib.sha256(orjson.dumps(data)).hexdigest()


@dataclass(frozen=True)
class Refusal:
    """Why a deal does not fit. rule: difficulty, borderline, proof, par, win_rate, solver_nodes, variety or
    editor. away: how far off it is, in rough units in which different rules compare; it finds the nearest."""

    rule: str
    text: str
    away: float = 1.0

    def to_json(self) -> dict[str, Any]:
        return {"rule": self.rule, "text": self.text, "away": round(self.away, 4)}


@dataclass(frozen=True)
class Candidate:
    """A deal and what is known of it. nodes, line, par: of the solver; line is empty unless solved. seconds:
    processor time spent on it."""

    deal: Deal
    tally: Tally
    state: State = State.NEW
    rating: Rating | None = None
    verdict: Verdict | None = None
    unknown: Reason | None = None
    nodes: int | None = None
    line: tuple[int, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    words: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @classmethod
    def fresh(cls, deal: Deal, scale: Scale) -> Candidate:
        return cls(deal, Tally.empty(scale))

    @property
    def par(self) -> int | None:
        return len(self.line) if self.verdict is Verdict.SOLVED else None

    @property
    def misfit(self) -> float:
        """How far the deal is from fitting; 0 fits."""
        return sum(r.away for r in self.refusals)


def steps(candidate: Candidate, scale: Scale, wanted: Wanted, control: Control) -> Iterator[Candidate]:
    """Carry a candidate on, piece by piece, until it fits or is rejected; stops short when cancelled."""
    while not candidate.state.done:
        after = step(candidate, scale, wanted, control)
        if after is None:
            return
        candidate = after
        yield candidate


def step(candidate: Candidate, scale: Scale, wanted: Wanted, control: Control) -> Candidate | None:
    """The next piece of work on a candidate that is not done; None when cancelled."""
    if candidate.state is State.NEW:
        return _rate_on(candidate, scale, wanted, control)
    return _prove(candidate, scale, wanted, control)


def _rate_on(candidate: Candidate, scale: Scale, wanted: Wanted, control: Control) -> Candidate | None:
    tally = play_on(scale, candidate.deal, candidate.tally, wanted.effort.rng, control)
    if tally is None:
        return None
    candidate = replace(candidate, tally=tally)
    if not finished(scale, tally, wanted.effort.games) and not _decided(scale, tally, wanted):
        return candidate
    rating = rating_of(scale, tally)
    words = tuple(explained(scale, candidate.deal))
    candidate = replace(candidate, rating=rating, words=words, state=State.RATED)
    refusals = refused_by_rating(scale, rating, wanted)
    if refusals and not wanted.whole:
        return replace(candidate, refusals=tuple(refusals), state=State.REJECTED)
    return candidate


def _decided(scale: Scale, tally: Tally, wanted: Wanted) -> bool:
    """Whether the games so far tell enough of what is asked: clearly this label, clearly another one, or,
    where borderline deals are not wanted, too near a cut to become clear within ``patience`` games."""
    early = tally.games < EARLY_BATCHES * sum(r.batch for r in scale.raters)
    if wanted.difficulty is None or wanted.whole or early:
        return False
    low, high = scale.band(wanted.difficulty)
    found = estimate(scale, tally.counts)
    reach = CLEAR_Z * found.error
    if low + reach < found.b < high - reach or not low - reach < found.b < high + reach:
        return True
    if wanted.bounds.borderline:
        return False
    patience = min(wanted.effort.patience, wanted.effort.games)
    return tally.games >= patience or chance_to_clear(found, tally.games / patience, (low, high)) < GIVE_UP


def chance_to_clear(found: Estimate, played: float, band: tuple[float, float]) -> float:
    """The chance that a deal is clearly within a band of difficulty once all its games are played.

    played: the share of them that was. The error then is the present one by the square root of this share;
    where the difficulty will be found is normal around where it is now, by the part of the error that is
    still to go.
    """
    last = found.error * math.sqrt(played)
    still = math.sqrt(max(found.error**2 - last**2, 1e-12))
    low, high = band[0] + CLEAR_Z * last, band[1] - CLEAR_Z * last
    return max(0.0, _normal((high - found.b) / still) - _normal((low - found.b) / still))


def _normal(z: float) -> float:
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


def refused_by_rating(scale: Scale, rating: Rating, wanted: Wanted) -> list[Refusal]:
    """What a rating has against the deal."""
    found = []
    if wanted.difficulty is not None:
        low, high = scale.band(wanted.difficulty)
        away = max(low - rating.b, rating.b - high)
        if away > 0:
            found.append(
                Refusal(
                    "difficulty",
                    f"it is {rating.label} ({100 * rating.win_rate:.1f} % of people would win), not"
                    f" {wanted.difficulty}",
                    away,
                )
            )
        elif not wanted.bounds.borderline and -away <= CLEAR_Z * rating.error:
            found.append(
                Refusal(
                    "borderline",
                    f"it is {rating.label}, but not clearly: after {rating.games} games a neighbouring label"
                    " is still possible",
                    CLEAR_Z * rating.error + away,
                )
            )
    if wanted.bounds.win_rate is not None:
        found += _outside("win_rate", "predicted win rate", rating.win_rate, wanted.bounds.win_rate, 0.1, 3)
    return found


def _prove(candidate: Candidate, scale: Scale, wanted: Wanted, control: Control) -> Candidate | None:
    spec = SolverSpec(wanted.effort.solver_nodes, wanted.memory_mb, wanted.effort.shorten_nodes)
    found = solve_batch(candidate.deal.variant, [candidate.deal.packed()], spec, control)[0]
    if found.reason is Reason.CANCELLED:
        return None
    candidate = replace(
        candidate, verdict=found.verdict, unknown=found.reason, nodes=found.positions, line=found.moves
    )
    assert candidate.rating is not None
    refusals = refused_by_rating(scale, candidate.rating, wanted) + refused_by_proof(candidate, wanted.bounds)
    state = State.REJECTED if refusals else State.FITS
    return replace(candidate, refusals=tuple(refusals), state=state)


def refused_by_proof(candidate: Candidate, bounds: Bounds) -> list[Refusal]:
    """What the solver's answer has against the deal."""
    if candidate.verdict is Verdict.UNSOLVABLE:
        return [Refusal("proof", "it cannot be won: proved by exhaustive search", 10.0)]
    if candidate.verdict is not Verdict.SOLVED:
        why = f" ({candidate.unknown})" if candidate.unknown else ""
        return [Refusal("proof", f"no win was found within {candidate.nodes:,} positions{why}", 5.0)]
    found = []
    assert candidate.par is not None
    assert candidate.nodes is not None
    if bounds.par is not None:
        found += _outside("par", "par", candidate.par, bounds.par, 20.0, 0)
    if bounds.solver_nodes is not None:
        low, high = bounds.solver_nodes
        away = max(low / max(candidate.nodes, 1), candidate.nodes / max(high, 1))
        if away > 1:
            text = f"solver effort {candidate.nodes:,} is not within {low:,} to {high:,}"
            found.append(Refusal("solver_nodes", text, math.log10(away) + 0.01))
    return found


def _outside(
    rule: str, what: str, value: float, bounds: list[float] | list[int], unit: float, digits: int
) -> list[Refusal]:
    low, high = bounds
    if low <= value <= high:
        return []
    text = f"{what} {value:.{digits}f} is not within {low:.{digits}f} to {high:.{digits}f}"
    return [Refusal(rule, text, max(low - value, value - high) / unit + 0.01)]
