"""What an arm looks like: whiskers, bars and histograms, the same on the dashboard and in report.html."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.solver import Verdict
from evaluation.charts.bars import Part, histogram, stacked
from evaluation.charts.whiskers import Axis, Whisker, around_zero, axis_scale, whisker
from evaluation.paired import Pairs
from evaluation.summary import ArmSummary

SHARES = Axis(0.0, 1.0)
SHARE_SCALE = axis_scale(SHARES)


@dataclass(frozen=True)
class Picture:
    """A chart with its heading."""

    title: str
    svg: str


@dataclass(frozen=True)
class ArmFigure:
    """An arm and its drawings. share: won of n for players; for the solver, solved of n, with undecided deals
    drawn apart. bar: verdicts, empty for players."""

    arm: ArmSummary
    share: float | None
    lo: float
    hi: float
    whisker: str
    bar: str
    pictures: tuple[Picture, ...]

    @property
    def name(self) -> str:
        return f"{self.arm.variant}, {self.arm.evaluator.label}"


def arm_figure(arm: ArmSummary) -> ArmFigure:
    """The drawings of an arm as it stands."""
    hits = arm.tally.won if arm.is_player else arm.verdicts(Verdict.SOLVED)
    share = hits / arm.n if arm.n else None
    lo, hi = arm.win_interval if arm.is_player else arm.winnable_interval
    undecided = None
    if not arm.is_player and arm.n and arm.verdicts(Verdict.UNKNOWN):
        undecided = (hits / arm.n, (hits + arm.verdicts(Verdict.UNKNOWN)) / arm.n)
    word = "won" if arm.is_player else "solved"
    label = (
        f"{word} {100 * share:.1f}%, interval {100 * lo:.1f} to {100 * hi:.1f}%"
        if share is not None
        else "no deal yet"
    )
    drawn = whisker(Whisker(lo, hi, share, label, undecided), SHARES)
    return ArmFigure(arm, share, lo, hi, drawn, verdict_bar(arm), tuple(_pictures(arm)))


def verdict_bar(arm: ArmSummary) -> str:
    """Solved, unknown and unsolvable as one stacked bar; empty for players."""
    if arm.is_player:
        return ""
    parts = [Part(v.value, arm.verdicts(v)) for v in (Verdict.SOLVED, Verdict.UNKNOWN, Verdict.UNSOLVABLE)]
    return stacked(parts, ", ".join(f"{p.name} {p.count}" for p in parts))


def _pictures(arm: ArmSummary) -> list[Picture]:
    wanted = [("moves_won", "Moves of won games", "moves"), ("length", "Length of solutions", "moves")]
    wanted += [(f"score:{name}", f"Score ({name})", "points") for name in arm.scores()]
    out = []
    for measure, title, unit in wanted:
        values = arm.tally.measures.get(measure)
        if values is not None and values.counts:
            label = f"{title}, {arm.variant}, {arm.evaluator.label}"
            out.append(Picture(title, histogram(values.counts, label, unit)))
    return out


@dataclass(frozen=True)
class PairFigure:
    """A paired difference with its drawing."""

    a: ArmSummary
    b: ArmSummary
    pairs: Pairs
    whisker: str


@dataclass(frozen=True)
class PairTable:
    """Paired differences on one axis."""

    rows: tuple[PairFigure, ...]
    scale: str


def pair_table(found: Sequence[tuple[ArmSummary, ArmSummary, Pairs]]) -> PairTable:
    """Draw paired differences on an axis that fits them all."""
    whiskers = [_difference(pairs) for _, _, pairs in found]
    axis = around_zero(whiskers)
    rows = [
        PairFigure(a, b, pairs, whisker(w, axis)) for (a, b, pairs), w in zip(found, whiskers, strict=True)
    ]
    return PairTable(tuple(rows), axis_scale(axis))


def _difference(pairs: Pairs) -> Whisker:
    lo, hi = pairs.interval
    at = pairs.difference
    label = (
        f"difference {100 * at:+.1f} points, interval {100 * lo:+.1f} to {100 * hi:+.1f}"
        if at is not None
        else "no pair yet"
    )
    return Whisker(lo, hi, at, label)
