"""The first lines of docs/winnability.md: what the files say, in words. No figure stands in the code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.variants import NAMED
from tools.evidence.known import Jobs, Known, arm_of, pairs, player_of, solver_of
from tools.evidence.tables import (
    Published,
    interval,
    rule_contrasts,
    share,
    span,
)

SPIDER = {"spider-1": "one suit", "spider-2": "two", "spider-4": "four"}
SIGNIFICANT = 0.05
SAID = {"casual": "an ordinary person's level (`casual`)", "club": "a strong one (`club`)", "expert": "the best (`expert`)"}  # fmt: skip


def summary(jobs: Jobs, published: Iterable[Published]) -> str:
    """A list of sentences; what has not run is not spoken of."""
    lines = [
        *(_solved(arm, name) for name in SPIDER if (arm := solver_of(jobs, name))),
        *_others(jobs),
        *(_level(jobs, level) for level in SAID),
        *_lost_by_people(jobs),
        *_apart(jobs, published),
        *_rules(jobs),
    ]
    return "\n".join(f"- {line}" for line in lines if line) or "Nothing has run yet."


def _solved(arm: Known, name: str) -> str:
    lost, left = arm.count("U"), arm.count("?")
    rest = f"{lost:,} are proved lost, {left:,} open" if lost or left else "none is lost, none open"
    return (
        f"**{name}, every card known**: {arm.won:,} of {arm.n:,} deals are solved, {rest}:"
        f" {span(arm.winnable)} can be won."
    )


def _others(jobs: Jobs) -> list[str]:
    """The other games: all solved, none proved lost, some proved lost."""
    arms = [arm for name in NAMED if name not in SPIDER and (arm := solver_of(jobs, name))]
    arms.sort(key=lambda arm: arm.won / arm.n)
    always = [arm for arm in arms if arm.won == arm.n]
    unsure = [arm for arm in arms if arm.won < arm.n and not arm.count("U")]
    never = [arm for arm in arms if arm.count("U")]
    lines = []
    if always:
        said = ", ".join(f"{arm.variant} ({arm.n:,})" for arm in always)
        lines.append(f"**Every deal tried is solved**: {said}.")
    if unsure:
        lines.append(f"**No deal is proved lost**, some are open: {_shares(unsure)} can be won.")
    if never:
        lines.append(f"**Some deals cannot be won**, the hardest game first: {_shares(never)} can.")
    return lines


def _shares(arms: Sequence[Known]) -> str:
    return ", ".join(f"{arm.variant} {span(arm.winnable)}" for arm in arms)


def _level(jobs: Jobs, level: str) -> str:
    arms = {suits: arm for name, suits in SPIDER.items() if (arm := player_of(jobs, name, level)) and arm.n}
    rates = ", ".join(f"{share(arm.won / arm.n)} with {suits}" for suits, arm in arms.items())
    return f"**Without seeing a hidden card**, {SAID[level]} wins of Spider {rates}." if rates else ""


def _lost_by_people(jobs: Jobs) -> list[str]:
    said = []
    for name in SPIDER:
        club, solver = player_of(jobs, name, "club"), solver_of(jobs, name)
        if club and solver and (p := pairs(club, solver)).n:
            said.append(f"{share(p.only_b / p.n)} of {p.n:,} ({name})")
    return [f"**`club` loses, though it could be won**: {', '.join(said)}."] if said else []


def _apart(jobs: Jobs, published: Iterable[Published]) -> list[str]:
    said = [
        f"{item.what} ({item.figure}; here {span(interval(arm))})"
        for item in published  # other players' rates are no claims about the deals
        if item.evaluator.startswith("solver")
        and (arm := arm_of(jobs, item.job, item.evaluator))
        and item.apart(interval(arm))
    ]
    told = "Published figures of winnability that these deals contradict"
    return [f"**{told}**: {'; '.join(said)}."] if said else []


def _rules(jobs: Jobs) -> list[str]:
    rows = rule_contrasts(jobs)
    if not rows:
        return []
    sure = [c for c in rows if c.pairs.p_value < SIGNIFICANT / len(rows)]
    said = ", ".join(
        f"{c.label} {100 * gap:+.1f} points ({c.by.removeprefix('player:')})"
        for c in sure
        if (gap := c.pairs.difference) is not None
    )
    return [
        f"**Rules and advice**: of {len(rows)} comparisons {len(sure) or 'none'} differ beyond chance"
        f" (p below {SIGNIFICANT} over their number)" + (f": {said}." if said else ".")
    ]
