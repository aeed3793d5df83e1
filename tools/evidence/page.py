"""docs/winnability.md and docs/evidence/open.txt from the files of docs/evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from evaluation.vetting.scale import Scale
from evaluation.vetting.scalefile import shipped
from tools.evidence import tables
from tools.evidence.known import known_jobs
from tools.evidence.store import ROOT, load
from tools.evidence.summary import summary
from tools.evidence.tables import Published

PAGE = ROOT.parent / "winnability.md"
OPEN = ROOT / "open.txt"


def page(root: Path = ROOT, scales: Iterable[Scale] | None = None) -> str:
    """The whole page. The same files give the same text. scales: of difficulty, the shipped ones by default."""
    jobs = known_jobs(root)
    slices = {name: load(name, root) for name in jobs}
    published = [Published(**item) for item in json.loads((root / "published.json").read_text("utf-8"))]
    parts = [
        HEAD,
        "## In short\n\n" + summary(jobs, published),
        "## Can it be won?\n\n" + SOLVED + tables.solvers(jobs),
        "## Beside what was published\n\n" + BESIDE + tables.published(jobs, published) + NEW,
        "## Who wins how often\n\n" + tables.players(jobs),
        "## Who wins what\n\n" + WHO + tables.meetings(jobs),
        "## How hard deals are\n\n"
        + HARD
        + tables.difficulty(shipped().values() if scales is None else scales),
        "## Rule questions\n\n" + RULES + tables.questions(jobs),
        "## Deals for others to try\n\n" + LEFT + tables.open_deals(jobs),
        "## Every row again\n\n" + AGAIN + tables.runs(jobs, slices),
        "## Not run yet\n\n" + tables.missing(jobs),
    ]
    return "\n\n".join(parts) + "\n"


def open_file(root: Path = ROOT) -> str:
    """The list of all open deals."""
    return tables.open_file(known_jobs(root))


HEAD = """# How often are these games won?

Made by `make evidence` from the files under docs/evidence; a test holds it to them. Do not edit.

Every figure comes from a job through the service (Redis, PostgreSQL, two worker processes) on deals of the scheme
`spidervet` from seed 1 on, one seed being the same card order under every game of as many decks. Intervals are
those of [statistics](statistics.md): Wilson's at 95 %, with open deals counted as lost at the lower end and as won
at the upper. "So far" marks what has not reached its planned number of deals. What solved, proved lost and open
mean is in [the solver](solver.md), what the levels see in [the players](player.md). "Weights" are the versions of the
players' (p) or the solver's (s) weights that a row depends on; where several made it, how many deals each."""

SOLVED = """Every card known, also those face down and in the stock; any order of play that the rules allow. Positions are
those of a job's largest slice, work is processor time on a busy machine.

"""

BESIDE = """"Apart" where the published figure and the interval here exclude each other.

"""

NEW = """

New, as far as we know of published figures: winnability of one- and two-suit Spider, of Black Widow, of the layouts
with 44 and 50 cards, of one- and two-suit Spiderette, Will o' the Wisp and Simple Simon, and of Scorpion II and Double
Scorpion; shares of deals *proved* lost, where others count what a search gave up; win rates of players whose honesty
is tested, for every game; and every row of the rule questions."""

WHO = """Deal by deal, over the deals that both have met; open deals are in no share. "a wins, b does not" is 0 beside the
solver, or one of its proofs were wrong (a test looks at every deal).

"""

HARD = """The quarters of random deals that [vetting](vetting.md) calls easy, medium, hard and expert: the difficulty at each
cut (mean 0, deviation 1 over random deals) and how often each level is expected to win a deal that lies there.
"People" are the ordinary ones whom `casual` stands for; `club` slips there now and then (`noise`), since without slips
its games on one deal are all alike. How hard a deal is for the solver is another matter: its positions are above.

"""

RULES = """The same deals under two rules, or by one player with and without a piece of advice: the difference in
percentage points, Newcombe's interval for pairs, and McNemar's exact test, not adjusted for how many rows there are.
Where the solver is asked, it has 5,000,000 positions, and deals that it leaves open under either rule are in no figure.

"""

LEFT = """Deals that the solver neither solved nor proved lost within its budget, all of them in
[open.txt](evidence/open.txt). To try one with more: `spidervet solve --variant V --seed N --nodes 200000000`. What a
search of so many positions holds is the schedule of that game in engine/data/solver_weights.json (widths of beams,
then an exhaustive search where the game is small enough); a larger budget does the same and goes on from there.

"""

AGAIN = """`spidervet evaluate --job FILE --seeds 1-N` runs the first deals of a job on this machine, and without `--seeds`
all that it plans; `python -m tools.evidence run NAME` goes on with it through a service of its own. The engine is
`program-pPLAYERS-sSOLVER`, the versions of the two files of weights: rows of players depend on the first, rows of the
solver on the second. Work is the sum over deals, on a busy machine. A test runs a sample of each row again.

"""
