"""A job from command-line options, and the table of its arms: shared by `evaluate` and `submit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from cli import completion
from cli.common import read_json, seeds_option, variant_option
from engine.variants import Scoring
from evaluation.spec import SpecError

Variants = Annotated[
    list[str] | None,
    typer.Option("--variant", help="name, record or @FILE; repeatable", autocompletion=completion.variants),
]
Seeds = Annotated[str | None, typer.Option("--seeds", help="1-300, or a list 1,5,9")]
Players = Annotated[
    list[str] | None,
    typer.Option(
        "--player",
        help="a player level, as `spidervet players` lists; repeatable",
        autocompletion=completion.players,
    ),
]
Solver = Annotated[list[int] | None, typer.Option("--solver", help="search with this budget in nodes")]
Rng = Annotated[int, typer.Option("--rng", help="number that players draw from")]
Repeats = Annotated[int, typer.Option("--repeats", help="games of each deal by each player")]
Scorings = Annotated[
    list[str] | None,
    typer.Option("--scoring", help=f"{', '.join(Scoring)}; repeatable", autocompletion=completion.scorings),
]
Name = Annotated[str, typer.Option("--name", help="the job's name in lists and files")]
JobFile = Annotated[
    Path | None,
    typer.Option("--job", help="a job file (JSON) instead of options; with --seeds, those deals of it"),
]


def job_data(
    job: Path | None,
    variants: list[str] | None,
    seeds: str | None,
    scheme: str,
    players: list[str] | None,
    solver: list[int] | None,
    rng: int,
    repeats: int,
    scorings: list[str] | None,
    name: str,
) -> dict[str, Any]:
    """The job's JSON. Raises SpecError for missing options. job: a file in place of all of them but seeds."""
    if job is not None:
        return _of_file(job, seeds)
    if not variants:
        raise SpecError.at("--variant", "at least one is needed")
    if seeds is None:
        raise SpecError.at("--seeds", "which deals? e.g. --seeds 1-300")
    evaluators: list[dict[str, Any]] = [{"player": level} for level in players or ()]
    evaluators += [{"solver": {"nodes": nodes}} for nodes in solver or ()]
    if not evaluators:
        raise SpecError.at("--player", "at least one --player or --solver is needed")
    return {
        "name": name,
        "deals": {"scheme": scheme, **seeds_option(seeds)},
        "variants": [variant_option(variant) for variant in variants],
        "evaluators": evaluators,
        "rng": rng,
        "repeats": repeats,
        **({"scoring": scorings} if scorings else {}),
    }


def _of_file(job: Path, seeds: str | None) -> dict[str, Any]:
    """A job file as it is, or over other seeds of its scheme."""
    data = read_json(job)
    if not isinstance(data, dict):
        raise SpecError.at(str(job), "expected a JSON object")
    if seeds is None:
        return data
    deals = data.get("deals")
    if not isinstance(deals, dict) or "layouts" in deals:
        raise SpecError.at("--seeds", f"{job} has no deals by seeds")
    scheme = {"scheme": deals["scheme"]} if "scheme" in deals else {}
    return {**data, "deals": {**scheme, **seeds_option(seeds)}}


NAMES = ("variant", "evaluator")
FIGURES = ("n", "won", "95 % interval", "moves", "score", "unsolvable", "unknown", "positions")
LEFT_OUT_FIRST = ("positions", "score", "moves", "unsolvable", "unknown")
FOLDED_AT = 16
WIDE, NARROW = 3, 1


def arms_table(arms: list[dict[str, Any]], title: str, width: int) -> Table:
    """The arms of a report's JSON, one line an arm, in ``width`` characters.

    moves is the median of won games and of found solutions, as on the job's page. No figure is ever cut: on a
    narrow terminal columns stand closer, the less important ones are left out, and long names fold.
    """
    rows = [dict(zip((*NAMES, *FIGURES), _cells(arm), strict=True)) for arm in arms]
    shown, gap = _fitting(rows, width)
    padding = (0, (gap - 1) // 2)
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=padding)
    for heading in shown:
        if heading in NAMES:
            table.add_column(heading, overflow="fold")
        else:
            table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(row[heading] for heading in shown))
    return table


def _fitting(rows: list[dict[str, str]], width: int) -> tuple[list[str], int]:
    """The headings that fit in ``width``, and the gap between columns."""
    shown = [*NAMES, *FIGURES]
    wide = {h: max(map(len, (h, *(row[h] for row in rows)))) for h in shown}
    for name in NAMES:
        wide[name] = min(wide[name], FOLDED_AT)

    def taken(gap: int) -> int:
        return sum(wide[h] for h in shown) + gap * (len(shown) - 1) + 2

    if taken(WIDE) <= width:
        return shown, WIDE
    for heading in LEFT_OUT_FIRST:
        if taken(NARROW) <= width:
            break
        shown.remove(heading)
    return shown, NARROW


def _cells(arm: dict[str, Any]) -> list[str]:
    head = [
        arm["variant"],
        arm["label"],
        f"{arm['n']}" + (f" +{arm['failed']} failed" if arm["failed"] else ""),
    ]
    if arm["wins"] is not None:
        share, interval = arm["win_rate"], arm["win_interval"]
        middle = [
            _percent(share),
            _interval(interval),
            _number(arm["moves_won"]["median"]),
            _number((arm["score"] or {}).get("median")),
            "",
            "",
        ]
    else:
        share = arm["solved"] / arm["n"] if arm["n"] else None
        length = arm["length"]["median"]
        middle = [
            _percent(share), _interval(arm["winnable_interval"]), _number(length), "",
            str(arm["unsolvable"]), str(arm["unknown"]),
        ]  # fmt: skip
    return [*head, *middle, _number(arm["positions"]["mean"])]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _interval(interval: list[float]) -> str:
    return f"{100 * interval[0]:.1f} – {100 * interval[1]:.1f} %"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"
