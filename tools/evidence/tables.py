"""The tables of docs/winnability.md, one function each: what was found in, Markdown out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.variants import NAMED
from evaluation.paired import Pairs
from evaluation.stats import Interval, wilson
from evaluation.vetting.scale import Difficulty, Scale
from tools.evidence.known import Contrast, Jobs, Known, arm_of, contrasts, pairs, player_of, solver_of
from tools.evidence.store import Slice

LEVELS = ("hint", "casual", "club", "expert")
MEETINGS = (
    ("hint", "casual"),
    ("casual", "club"),
    ("club", "expert"),
    ("club", "solver"),
    ("expert", "solver"),
)
"""Who is held against whom, the weaker first."""
SHOWN_OPEN = 40
"""Open deals that a line of the page names; docs/evidence/open.txt has all."""

QUESTIONS = {
    "rule-empty-columns": "deals over empty columns",
    "rule-layout": "54, 50 or 44 cards on the table",
    "rule-groups": "groups of any suit",
    "rule-removal": "sequences leave by hand",
    "rule-move-limit": "at most 3,000 actions",
    "rule-long-columns": "long columns at 1, 4, 7, 10 instead of 1 to 4",
    "advice": "a piece of advice",
}


@dataclass(frozen=True)
class Published:
    """A figure that others gave. lo, hi: the share that it claims, None where it is too vague for that."""

    what: str
    figure: str
    source: str
    job: str
    evaluator: str
    why: str = ""
    lo: float | None = None
    hi: float | None = None

    def apart(self, here: Interval) -> bool | None:
        """Whether figure and interval exclude each other; None where the figure is too vague to say."""
        if self.lo is None or self.hi is None:
            return None
        return self.hi < here.lo or here.hi < self.lo


def solvers(jobs: Jobs) -> str:
    rows = []
    for name in NAMED:
        arm = solver_of(jobs, name)
        if arm is not None:
            rows.append([
                job_link(arm.job, name), _deals(arm), f"{arm.won:,}", f"{arm.count('U'):,}",
                f"{arm.count('?'):,}", share(arm.won / arm.n), span(arm.winnable),
                f"{int(arm.evaluator.removeprefix('solver:')):,}", *(f"{n:,}" for n in arm.nodes),
                f"{arm.seconds / arm.n:.3f} s", versions(arm),
            ])  # fmt: skip
    heads = ("variant", "deals", "solved", "proved lost", "open", "solved of all", "winnable, 95 %", "budget",
             "positions: a tenth of deals at most", "half", "nine tenths", "work a deal", "weights")  # fmt: skip
    return table(heads, rows)


def published(jobs: Jobs, items: Iterable[Published]) -> str:
    said = {None: "–", True: "**yes**", False: "no"}
    rows = []
    for item in items:
        arm = arm_of(jobs, item.job, item.evaluator)
        here, apart = ("not run yet", "–") if arm is None else (_here(arm), said[item.apart(interval(arm))])
        rows.append([item.what, item.figure, item.source, here, apart, item.why])
    heads = ("what", "published", "by", "here", "apart?", "what to know when comparing")
    return table(heads, rows)


def _here(arm: Known) -> str:
    level = arm.evaluator.partition("player:")[2]
    of = f"n = {arm.n:,}" + (f", {level}" if level else "")
    return f"{share(arm.won / arm.n)}, {span(interval(arm))} ({of})"


def interval(arm: Known) -> Interval:
    """The interval of a player's wins or of a solver's winnable share."""
    return arm.winnable if arm.evaluator.startswith("solver") else wilson(arm.won, arm.n)


def players(jobs: Jobs) -> str:
    rows = []
    for name in NAMED:
        arms = {level: player_of(jobs, name, level) for level in LEVELS}
        found = [arm for arm in arms.values() if arm is not None and arm.n]
        if found:
            weights = ", ".join(sorted({v for arm in found for v in arm.weights}))
            links = ", ".join(job_link(j, j.partition("-")[0]) for j in dict.fromkeys(a.job for a in found))
            rows.append([name, *(_rate(arm) for arm in arms.values()), weights, links])
    return table(("variant", *LEVELS, "weights", "jobs"), rows)


def _rate(arm: Known | None) -> str:
    if arm is None or not arm.n:
        return "–"
    return f"{share(arm.won / arm.n)} ({span(wilson(arm.won, arm.n))}; n = {_deals(arm)})"


def meetings(jobs: Jobs) -> str:
    rows = []
    for name in NAMED:
        for low, high in MEETINGS:
            a = player_of(jobs, name, low)
            b = solver_of(jobs, name) if high == "solver" else player_of(jobs, name, high)
            if a is None or b is None:
                continue
            p = pairs(a, b)
            cells = (share(x / p.n) for x in (p.only_b, p.only_a, p.both, p.neither)) if p.n else "–" * 4
            rows.append([name, low, high, f"{p.n:,}", *cells, str(p.undecided)])
    heads = ("variant", "a", "b", "deals", "b wins, a loses", "a wins, b does not", "both", "neither", "open")
    return table(heads, rows)


def difficulty(scales: Iterable[Scale]) -> str:
    names = [d.value for d in Difficulty]
    heads = ["variant", "sample, games a deal", "engine", "who wins"]
    heads += [f"{low} to {high}" for low, high in pairwise(names)]
    rows = []
    for scale in sorted(scales, key=lambda s: list(NAMED).index(s.variant)):
        sample = f"{scale.sample['deals']} deals; {_games(scale.sample['games'])}"
        head = [scale.variant, sample, scale.engine]
        rows.append([*head, "difficulty at the cut", *(f"{cut:+.2f}" for cut in scale.cuts)])
        same = ", ".join(r.label for r in scale.raters if r.wins == scale.people)
        curves = {f"people ({same})" if same else "people": scale.people}
        curves |= {r.label: r.wins for r in scale.raters if r.wins != scale.people}
        for label, curve in curves.items():
            rows.append(["", "", "", label, *(share(curve.at(cut)) for cut in scale.cuts)])
    return table(heads, rows)


def _games(games: object) -> str:
    if isinstance(games, Mapping):
        return ", ".join(f"{level} {n}" for level, n in games.items())
    return str(games)


def questions(jobs: Jobs) -> str:
    rows = []
    for c in rule_contrasts(jobs):
        question = job_link(c.new.job, QUESTIONS[c.new.job])
        rows.append(
            [question, c.label, c.usual_label, c.by, f"{c.pairs.n:,}", *_gap(c.pairs), versions(c.new)]
        )
    heads = ("question", "new", "usual", "by", "deals", "new less usual", "95 %", "only new wins",
             "only usual wins", "p, exact", "open", "weights")  # fmt: skip
    return table(heads, rows)


def rule_contrasts(jobs: Jobs) -> list[Contrast]:
    """All rows of the rule questions, in their order."""
    return [c for job in QUESTIONS for c in contrasts(jobs.get(job, []))]


def _gap(p: Pairs) -> list[str]:
    gap = "–" if p.difference is None else f"{100 * p.difference:+.1f}"
    low, high = (f"{100 * x:+.1f}" for x in p.interval)
    return [gap, f"{low} to {high}", str(p.only_a), str(p.only_b), f"{p.p_value:.2g}", str(p.undecided)]


def open_deals(jobs: Jobs) -> str:
    """A line a variant with the first of its open deals."""
    lines = []
    for name in NAMED:
        arm = solver_of(jobs, name)
        left = arm.open() if arm is not None else []
        if arm is None or not left:
            continue
        named = ", ".join(f"`spidervet:{name}:{seed}`" for seed in left[:SHOWN_OPEN])
        more = f" and {len(left) - SHOWN_OPEN:,} more" if len(left) > SHOWN_OPEN else ""
        budget = int(arm.evaluator.removeprefix("solver:"))
        lines.append(
            f"- {name}, {len(left):,} of {arm.n:,}, {budget:,} positions each by {versions(arm)}: {named}{more}"
        )
    return "\n".join(lines) or "None of the deals searched so far is open."


def open_file(jobs: Jobs) -> str:
    """docs/evidence/open.txt: every open deal, with the budget and the weights that did not decide it."""
    lines = ["# deals neither solved nor proved lost: identity, positions searched, solver's weights"]
    for name in NAMED:
        arm = solver_of(jobs, name)
        if arm is not None:
            budget = arm.evaluator.removeprefix("solver:")
            lines += [f"spidervet:{name}:{seed} {budget} {versions(arm)}" for seed in arm.open()]
    return "\n".join(lines) + "\n"


def runs(jobs: Jobs, slices: Mapping[str, Sequence[Slice]]) -> str:
    rows = []
    for job, arms in jobs.items():
        if arms:
            last = len(arms[0].outcomes)
            work = f"{sum(a.seconds for a in arms):,.0f} s"
            machines = "; ".join(sorted({s.machine for s in slices[job]}))
            command = f"`spidervet evaluate --job docs/evidence/jobs/{job}.json --seeds 1-{last}`"
            rows.append(
                [job_link(job, job), f"{last:,}", ", ".join(arms[0].engines), work, machines, command]
            )
    return table(("job", "deals", "engine", "work", "on", "again"), rows)


def missing(jobs: Jobs) -> str:
    left = [name for name, arms in jobs.items() if not arms]
    return ", ".join(f"`{name}`" for name in left) + "." if left else "Every job has begun."


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "Not run yet."
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def job_link(job: str, text: str) -> str:
    return f"[{text}](evidence/jobs/{job}.json)"


def versions(arm: Known) -> str:
    """The versions of the weights that an arm depends on: ``s7``, or how many deals each did."""
    if len(arm.weights) == 1:
        return next(iter(arm.weights))
    return ", ".join(f"{version} ({n:,})" for version, n in arm.weights.items())


def _deals(arm: Known) -> str:
    failed = f" and {arm.count('F')} failed" if arm.count("F") else ""
    so_far = f" so far, of {arm.planned:,}" if len(arm.outcomes) < arm.planned else ""
    return f"{arm.n:,}{failed}{so_far}"


def share(value: float) -> str:
    """Per cent with one decimal, or with as many as keep a share off 0 and 100 that is neither."""
    for digits in range(1, 5):
        text = f"{100 * value:.{digits}f}"
        if value in (0, 1) or 0 < float(text) < 100:
            break
    return f"{text} %"


def span(ends: Interval) -> str:
    """Both ends, with more decimals the closer they are."""
    width = 100 * (ends.hi - ends.lo)
    digits = 1 + (width < 1) + (width < 0.1)
    return f"{100 * ends.lo:.{digits}f} to {100 * ends.hi:.{digits}f} %"
