"""docs/winnability.md from the files of docs/evidence: figures with intervals, beside the published ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.variants import NAMED
from evaluation.paired import Pairs
from evaluation.stats import Interval, wilson, winnability
from tools.evidence.store import ROOT, Slice, job_data, job_names, load

PAGE = ROOT.parent / "winnability.md"
SHOWN_OPEN = 40
"""Undecided deals that a row of the page names; all are in the run files."""


@dataclass(frozen=True)
class Known:
    """All that one arm of a job found: a letter a deal, by seed."""

    job: str
    variant: str
    evaluator: str
    outcomes: dict[int, str]
    engines: tuple[str, ...]
    nodes: tuple[int, int, int]
    seconds: float

    @property
    def n(self) -> int:
        return sum(o != "F" for o in self.outcomes.values())

    def count(self, letter: str) -> int:
        return sum(o == letter for o in self.outcomes.values())

    def open(self) -> list[int]:
        return [seed for seed, letter in self.outcomes.items() if letter == "?"]


def page(root: Path = ROOT) -> str:
    """The whole page. The same files give the same text."""
    jobs = {name: known(name, load(name, root)) for name in job_names(root)}
    published = json.loads((root / "published.json").read_text("utf-8"))
    parts = [
        HEAD,
        "## Can it be won?\n\n" + _solver_table(jobs),
        "## Beside what was published\n\n" + _published_table(jobs, published),
        "## Who wins how often\n\n" + _player_table(jobs),
        "## Who wins what\n\n" + WHO + _who_table(jobs),
        "## Rule questions\n\n" + RULES + _rules_table(jobs),
        "## Deals for others to try\n\n" + _open_list(jobs),
        "## Every row again\n\n" + _rows_table(jobs, root),
        "## Not run yet\n\n" + _missing(jobs),
    ]
    return "\n\n".join(parts) + "\n"


def known(job: str, slices: Sequence[Slice]) -> list[Known]:
    """What a job's arms found over all their slices."""
    if not slices:
        return []
    out = []
    for number, arm in enumerate(slices[0].arms):
        outcomes = {s.first + i: o for s in slices for i, o in enumerate(s.arms[number].outcomes)}
        engines = tuple(sorted({s.engine for s in slices}))
        nodes = max(slices, key=lambda s: s.count).arms[number].nodes
        seconds = sum(s.arms[number].seconds for s in slices)
        out.append(Known(job, arm.variant, arm.evaluator, outcomes, engines, nodes, seconds))
    return out


def arm_of(jobs: dict[str, list[Known]], job: str, evaluator: str) -> Known | None:
    """The arm of a job whose evaluator's label begins so, if it has run."""
    return next((k for k in jobs.get(job, []) if k.evaluator.startswith(evaluator)), None)


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


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def share(value: float) -> str:
    return f"{100 * value:.1f} %"


def span(interval: Interval) -> str:
    return f"{100 * interval.lo:.1f} to {100 * interval.hi:.1f} %"


def _solver_table(jobs: dict[str, list[Known]]) -> str:
    rows = []
    for name in NAMED:
        arm = arm_of(jobs, f"solve-{name}", "solver")
        if arm is None:
            continue
        won, lost, left = arm.count("S"), arm.count("U"), arm.count("?")
        low, mid, high = (f"{n:,}" for n in arm.nodes)
        rows.append([
            name, f"{arm.n:,}{_so_far(arm)}", f"{won:,}", f"{lost:,}", f"{left:,}",
            span(winnability(won, lost, left)), arm.evaluator.removeprefix("solver:"), low, mid, high,
        ])  # fmt: skip
    heads = ("variant", "deals", "solved", "proved lost", "open", "winnable, 95 %", "budget",
             "positions: a tenth of deals at most", "half", "nine tenths")  # fmt: skip
    return table(heads, rows)


def _so_far(arm: Known) -> str:
    planned = job_data(arm.job)["deals"]["count"]
    return f" so far, of {planned:,}" if len(arm.outcomes) < planned else ""


def _published_table(jobs: dict[str, list[Known]], published: list[dict[str, str]]) -> str:
    rows = []
    for item in published:
        arm = arm_of(jobs, item["job"], item["evaluator"])
        if arm is None:
            here = "not run yet"
        elif "solver" in arm.evaluator:
            here = f"{span(winnability(arm.count('S'), arm.count('U'), arm.count('?')))} (n = {arm.n:,})"
        else:
            wins = arm.count("W")
            here = f"{share(wins / arm.n)}, {span(wilson(wins, arm.n))} (n = {arm.n:,}, {arm.evaluator})"
        rows.append([item["what"], item["figure"], item["source"], here, item["why"]])
    return table(("what", "published", "by", "here", "why they differ, where they do"), rows) + NEW


def _player_table(jobs: dict[str, list[Known]]) -> str:
    rows = []
    for name in NAMED:
        cells = []
        for level in ("hint", "casual", "club", "expert"):
            arm = arm_of(jobs, f"expert-{name}" if level == "expert" else f"play-{name}", f"player:{level}")
            cells.append(_rate(arm))
        if any(cell != "–" for cell in cells):
            rows.append([name, *cells])
    return table(("variant", "hint", "casual", "club", "expert"), rows)


def _rate(arm: Known | None) -> str:
    if arm is None or not arm.n:
        return "–"
    wins = arm.count("W")
    return f"{share(wins / arm.n)} ({span(wilson(wins, arm.n))}; n = {arm.n:,}{_so_far(arm)})"


def _who_table(jobs: dict[str, list[Known]]) -> str:
    rows = []
    for name in NAMED:
        solver = arm_of(jobs, f"solve-{name}", "solver")
        for low, high in (("casual", "club"), ("club", "solver")):
            a = arm_of(jobs, f"play-{name}", f"player:{low}")
            b = solver if high == "solver" else arm_of(jobs, f"play-{name}", f"player:{high}")
            if a is None or b is None:
                continue
            p = pairs(a, b)
            both = (share(x / p.n) for x in (p.only_b, p.only_a, p.both, p.neither)) if p.n else "–" * 4
            rows.append([name, low, high, f"{p.n:,}", *both, str(p.undecided)])
    heads = ("variant", "a", "b", "deals", "b wins, a loses", "a wins, b does not", "both", "neither", "open")
    return table(heads, rows)


def _rules_table(jobs: dict[str, list[Known]]) -> str:
    rows = []
    for job, question in QUESTIONS.items():
        arms = jobs.get(job, [])
        for a, b in _contrasts(arms):
            p = pairs(a, b)
            rows.append([question, _name(b, a), _name(a, b), a.evaluator.split("(")[0], f"{p.n:,}", *_gap(p)])
    heads = ("question", "new", "usual", "by", "deals", "new less usual", "95 %", "only new wins", "only usual wins",
             "p, exact", "open")  # fmt: skip
    return table(heads, rows)


def _contrasts(arms: Sequence[Known]) -> list[tuple[Known, Known]]:
    """Each arm with a new rule or with advice, behind the usual one that it is held against."""
    out = []
    for arm in arms:
        advised = "(" in arm.evaluator
        if advised:
            usual = next(
                k for k in arms if k.variant == arm.variant and arm.evaluator.startswith(k.evaluator)
            )
        else:
            usual = next(k for k in arms if k.evaluator == arm.evaluator)
        if usual is not arm and (advised or arm.job != ADVICE):
            out.append((usual, arm))
    return out


def _name(arm: Known, other: Known) -> str:
    game = arm.variant.partition("~")[0]
    if arm.variant != other.variant:
        return game
    return f"{game}, {arm.evaluator.partition('(')[2].rstrip(')') or 'plain'}"


def _gap(p: Pairs) -> list[str]:
    """Cells for the new rule, the pair's second, less the usual one."""
    turned = Pairs(p.both, p.only_b, p.only_a, p.neither, p.undecided)
    gap = "–" if turned.difference is None else f"{100 * turned.difference:+.1f}"
    low, high = (f"{100 * x:+.1f}" for x in turned.interval)
    return [
        gap,
        f"{low} to {high}",
        str(turned.only_a),
        str(turned.only_b),
        f"{p.p_value:.2g}",
        str(p.undecided),
    ]


def _open_list(jobs: dict[str, list[Known]]) -> str:
    lines = []
    for name in NAMED:
        arm = arm_of(jobs, f"solve-{name}", "solver")
        if arm is None or not arm.open():
            continue
        left = arm.open()
        named = ", ".join(f"`spidervet:{name}:{seed}`" for seed in left[:SHOWN_OPEN])
        more = f" and {len(left) - SHOWN_OPEN:,} more" if len(left) > SHOWN_OPEN else ""
        lines.append(f"- {name}, {arm.evaluator.removeprefix('solver:')} positions each: {named}{more}")
    return OPEN + ("\n".join(lines) or "None of the deals searched so far is open.")


def _rows_table(jobs: dict[str, list[Known]], root: Path) -> str:
    rows = []
    for job, arms in jobs.items():
        if arms:
            slices = load(job, root)
            file = f"[{job}](evidence/jobs/{job}.json)"
            work = f"{sum(a.seconds for a in arms):,.0f} s"
            deals = f"1 to {len(arms[0].outcomes):,}"
            machines = "; ".join(sorted({s.machine for s in slices}))
            rows.append([file, deals, ", ".join(arms[0].engines), work, machines])
    return AGAIN + table(("job", "deals", "engine", "work", "on"), rows)


def _missing(jobs: dict[str, list[Known]]) -> str:
    left = [name for name, arms in jobs.items() if not arms]
    return ", ".join(f"`{name}`" for name in left) + "." if left else "Every job has begun."


ADVICE = "advice"
QUESTIONS = {
    "rule-empty-columns": "deals over empty columns",
    "rule-layout": "54, 50 or 44 cards on the table",
    "rule-groups": "groups of any suit",
    "rule-removal": "sequences leave by hand",
    "rule-move-limit": "at most 3,000 actions",
    "rule-long-columns": "long columns at 1, 4, 7, 10 instead of 1 to 4",
    ADVICE: "a piece of advice",
}

HEAD = """# How often are these games won?

Made by `python -m tools.evidence page` from the files under docs/evidence; a test holds it to them. Do not edit.

Every figure comes from a job through the service (Redis, PostgreSQL, two worker processes) on deals of the scheme
`spidervet` from seed 1 on, one seed being the same card order under every game of as many decks. Intervals are
those of [statistics](statistics.md): Wilson's at 95 %, with open deals counted as lost at the lower end and as won
at the upper. "So far" marks what has not reached its planned number of deals. What solved, proved lost and open
mean is in [the solver](solver.md), what the levels see in [the players](player.md)."""

NEW = """

New, as far as we know of published figures: winnability of one- and two-suit Spider, of Black Widow, of the layouts
with 44 and 50 cards, of one- and two-suit Spiderette, Will o' the Wisp and Simple Simon, and of Scorpion's kin under
the rules given here; win rates of players whose honesty is tested, for every game; and every row of the rule
questions."""

WHO = """Deal by deal, over the deals that both have met; open deals are in no share.

"""

RULES = """The same deals under two rules, or by one player with and without a piece of advice: the difference in
percentage points, Newcombe's interval for pairs, and McNemar's exact test, not adjusted for how many rows there are.

"""

OPEN = """Deals that the solver neither solved nor proved lost within its budget. To try one with more:
`spidervet solve --variant V --seed N --nodes 200000000`. What a search of so many positions holds is the schedule of
that game in engine/data/solver_weights.json; a larger budget goes on where a smaller one ended.

"""

AGAIN = """`spidervet evaluate --job docs/evidence/jobs/NAME.json` runs a whole job on this machine;
`python -m tools.evidence run NAME` goes on with it through a service of its own. The engine is
`program-pPLAYERS-sSOLVER`, the versions of the two files of weights: rows of players depend on the first, rows of the
solver on the second. Work is the sum over deals, on a busy machine. Positions (above) are those of a job's largest slice.

"""
