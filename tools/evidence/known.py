"""What the run files say of each arm of each job, deal by deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.paired import Pairs
from evaluation.stats import Interval, winnability
from tools.evidence.store import Slice, job_data, job_names, load


@dataclass(frozen=True)
class Known:
    """All that one arm of a job found: a letter a deal, by seed.

    planned: deals that the job asks for. weights: how many deals each version of the weights did. engines:
    versions of the whole engine. nodes: a tenth, half and nine tenths of the deals of the largest slice took
    at most as many positions. seconds: work of all deals.
    """

    job: str
    variant: str
    evaluator: str
    outcomes: Mapping[int, str]
    planned: int
    weights: Mapping[str, int]
    engines: tuple[str, ...]
    nodes: tuple[int, int, int]
    seconds: float

    @property
    def n(self) -> int:
        return sum(o != "F" for o in self.outcomes.values())

    @property
    def won(self) -> int:
        """Games won, deals solved."""
        return self.count("W") + self.count("S")

    @property
    def winnable(self) -> Interval:
        """The share of deals that can be won, by a solver's arm."""
        return winnability(self.won, self.count("U"), self.count("?"))

    def count(self, letter: str) -> int:
        return sum(o == letter for o in self.outcomes.values())

    def open(self) -> list[int]:
        """Seeds of the deals that were neither solved nor proved lost."""
        return [seed for seed, letter in self.outcomes.items() if letter == "?"]


Jobs = Mapping[str, Sequence[Known]]
"""The arms of every job that has a file; none where it has not run."""


def known_jobs(root: Path) -> Jobs:
    return {
        name: known(name, load(name, root), job_data(name, root)["deals"]["count"])
        for name in job_names(root)
    }


def known(job: str, slices: Sequence[Slice], planned: int) -> list[Known]:
    """What a job's arms found over all their slices."""
    return [_arm(job, slices, number, planned) for number in range(len(slices[0].arms) if slices else 0)]


def _arm(job: str, slices: Sequence[Slice], number: int, planned: int) -> Known:
    arm = slices[0].arms[number]
    weights: Counter[str] = Counter()
    for s in slices:
        weights[s.arms[number].weights] += s.count
    return Known(
        job,
        arm.variant,
        arm.evaluator,
        {s.first + i: o for s in slices for i, o in enumerate(s.arms[number].outcomes)},
        planned,
        weights,
        tuple(sorted({s.engine for s in slices})),
        max(slices, key=lambda s: s.count).arms[number].nodes,
        sum(s.arms[number].seconds for s in slices),
    )


def arm_of(jobs: Jobs, job: str, evaluator: str) -> Known | None:
    """The arm of a job whose evaluator's label begins so, if it has run."""
    return next((k for k in jobs.get(job, []) if k.evaluator.startswith(evaluator)), None)


def solver_of(jobs: Jobs, variant: str) -> Known | None:
    return arm_of(jobs, f"solve-{variant}", "solver")


def player_of(jobs: Jobs, variant: str, level: str) -> Known | None:
    """A level's games; expert, which costs most, has jobs of its own."""
    return arm_of(jobs, f"expert-{variant}" if level == "expert" else f"play-{variant}", f"player:{level}")


def pairs(a: Known, b: Known) -> Pairs:
    """Two arms over the deals that both have. Raises ValueError where they share none."""
    seeds = [s for s in a.outcomes if s in b.outcomes and "F" not in (a.outcomes[s], b.outcomes[s])]
    sure = [s for s in seeds if "?" not in (a.outcomes[s], b.outcomes[s])]
    if not seeds:
        raise ValueError(f"{a.job} and {b.job} share no deals")
    wins = [(a.outcomes[s] in "WS", b.outcomes[s] in "WS") for s in sure]
    return Pairs(
        wins.count((True, True)), wins.count((True, False)), wins.count((False, True)),
        wins.count((False, False)), len(seeds) - len(sure),
    )  # fmt: skip


@dataclass(frozen=True)
class Contrast:
    """One row of the rule questions: an arm with a new rule or with advice beside the usual one."""

    usual: Known
    new: Known

    @property
    def pairs(self) -> Pairs:
        """The new rule first: `Pairs.difference` is new less usual."""
        return pairs(self.new, self.usual)

    @property
    def label(self) -> str:
        """What is new: a variant's name, or a variant with advice."""
        game = self.new.variant.partition("~")[0]
        if self.new.variant != self.usual.variant:
            return game
        return f"{game}, {self.new.evaluator.partition('(')[2].rstrip(')')}"

    @property
    def usual_label(self) -> str:
        game = self.usual.variant.partition("~")[0]
        return game if self.new.variant != self.usual.variant else f"{game}, plain"

    @property
    def by(self) -> str:
        return self.new.evaluator.partition("(")[0]


def contrasts(arms: Sequence[Known]) -> list[Contrast]:
    """Each arm with advice against the same player without; each other arm of a new variant against the first
    arm of its evaluator. Arms that are usual themselves give none."""
    out = []
    for arm in arms:
        if "(" in arm.evaluator:
            plain = arm.evaluator.partition("(")[0]
            usual = next(k for k in arms if (k.variant, k.evaluator) == (arm.variant, plain))
        elif any("(" in k.evaluator for k in arms):
            continue
        else:
            usual = next(k for k in arms if k.evaluator == arm.evaluator)
        if usual is not arm:
            out.append(Contrast(usual, arm))
    return out
