"""A job in words: what is asked, how, and how anyone can ask it again."""

from __future__ import annotations

import orjson

from engine.words import counted, plural
from evaluation.evaluators import PlayerEvaluator, SolverEvaluator
from evaluation.reports.document import Report
from evaluation.spec import JobSpec, Layouts, SeedList, SeedRange


def question(report: Report) -> str:
    """What the job asks, in one sentence."""
    arms = report.detail.arms
    games = _listed(list(dict.fromkeys(a.variant.label for a in arms)))
    hands = [a.summary.evaluator for a in arms]
    players = list(dict.fromkeys(e.label.partition(":")[2] for e in hands if isinstance(e, PlayerEvaluator)))
    solver = any(isinstance(e, SolverEvaluator) for e in hands)
    asked = []
    if players:
        hands_in_words = f"{plural(len(players), 'the player', 'the players')} {_listed(players)}"
        asked.append(f"how often {hands_in_words} {plural(len(players), 'wins', 'win')}")
    if solver:
        asked.append("how many of the deals can be won at all")
    return f"{games}: {' and '.join(asked)}, on {deals_in_words(report.detail.spec)}."


def deals_in_words(spec: JobSpec) -> str:
    """Which deals, with their numbering."""
    deals = spec.deals
    if isinstance(deals, SeedRange):
        last = int(deals.first) + deals.count - 1
        return f"{counted(deals.count, 'deal')}, {deals.scheme} " + (
            f"seeds {deals.first} to {last}" if deals.count > 1 else f"seed {deals.first}"
        )
    if isinstance(deals, SeedList):
        shown = ", ".join(map(str, deals.seeds[:5])) + (", …" if len(deals.seeds) > 5 else "")
        return f"{counted(len(deals.seeds), f'named {deals.scheme} seed')} ({shown})"
    assert isinstance(deals, Layouts)
    return (
        f"{counted(len(deals.layouts), 'layout')} given by {plural(len(deals.layouts), 'its', 'their')} cards"
    )


def method(report: Report) -> list[str]:
    """How it was answered, in paragraphs."""
    spec, arms = report.detail.spec, [a.summary for a in report.detail.arms]
    out = ["Every arm, one game with one player or the solver, saw the same deals, so arms compare in pairs."]
    if any(a.is_player for a in arms):
        repeats = f"each deal {spec.repeats} times" if spec.repeats > 1 else "each deal once"
        out.append(
            "Players see what a person at the table sees: no face-down card, no stock order. They"
            f" played {repeats}, with random numbers from {spec.rng} on; the same number gives the"
            " same game anywhere. Their rates carry Wilson's 95 % intervals."
        )
    if any(not a.is_player for a in arms):
        out.append(
            "The solver knows every card. Its budget is counted in rated positions, so its answers do"
            " not depend on the machine. Each solution was replayed to the win by the reference rules;"
            " “unsolvable” is said only after an exhaustive search; all else is “unknown”. Its 95 %"
            " interval counts unknown deals both ways: the lower end as lost, the upper end as winnable."
        )
    return out + _stop_rule(spec)


def _stop_rule(spec: JobSpec) -> list[str]:
    if spec.stop_when is None:
        return []
    ends = []
    if spec.stop_when.half_width is not None:
        ends.append(
            f"an arm could end once its interval was within ±{100 * spec.stop_when.half_width:g} points"
        )
    if spec.stop_when.paired is not None:
        a, b = spec.stop_when.paired
        ends.append(f"arms {a} and {b} could end once it was decided which of them wins more")
    return [
        f"Stopping early: {'; '.join(ends)}. Looks were taken in the fixed order of the deals, by a"
        " beta-binomial confidence sequence (Robbins 1970; Howard et al. 2021), which holds at every look."
    ]


def job_file(spec: JobSpec) -> str:
    """The job as a file that `spidervet evaluate --job` takes."""
    data = spec.model_dump(mode="json", exclude_none=True)
    data["evaluators"] = [e.canonical() for e in spec.evaluators]
    return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode()


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
