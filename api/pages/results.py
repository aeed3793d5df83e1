"""Every deal of a job: sorted, filtered, each with a link to its cards and its game."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from api.interactive import BusyError, desk_of
from api.owners import DealsJob
from api.pages.links import pack_line
from api.pages.queries import one_of, whole
from api.pages.render import PageError, page
from api.pages.view import Line, View
from api.state import Ledger, Service
from engine.deals import Deal
from engine.moves import Entry, action_of
from engine.position import Position
from evaluation.evaluate import RNG_MASK
from evaluation.evaluators import PlayerEvaluator
from evaluation.ledger.ranking import Beside, Mark, Question, Sort, ranked
from evaluation.ledger.results import solution_line
from evaluation.ledger.views import ArmView, JobDetail, get_detail
from evaluation.rows import FAILED
from evaluation.spec import Layouts, source_of
from evaluation.versions import engine_version

router = APIRouter(prefix="/jobs", include_in_schema=False)
PAGE = 100


@dataclass(frozen=True)
class Asked:
    """A results page as its address asks for it. vs: number of the arm set beside, or empty."""

    arm: int
    outcome: str = ""
    won: bool = False
    vs: str = ""
    beside: Beside = Beside.ANY
    sort: Sort = Sort.DEAL
    descending: bool = False
    after: str = ""

    @classmethod
    def of(cls, request: Request) -> Asked:
        """Raises PageError for what is no arm, sort or filter."""
        q, title = request.query_params, "No such list"
        return cls(
            whole(q.get("arm") or "0", "arm", title),
            (q.get("outcome") or "")[:20],
            q.get("won") == "1",
            str(whole(q["vs"], "vs", title)) if q.get("vs") else "",
            one_of(Beside, q.get("beside") or "any", "beside", title),
            one_of(Sort, q.get("sort") or "deal", "sort", title),
            q.get("desc") == "1",
            q.get("after") or "",
        )

    def url(self, **changes: object) -> str:
        """The query of this list, or of one that differs from it and starts anew."""
        fields: dict[str, object] = {
            "arm": self.arm,
            "outcome": self.outcome,
            "won": "1" if self.won else "",
            "vs": self.vs,
            "beside": self.beside.value if self.beside is not Beside.ANY else "",
            "sort": self.sort.value if self.sort is not Sort.DEAL else "",
            "desc": "1" if self.descending else "",
        } | changes
        return "?" + urlencode({k: v for k, v in fields.items() if v != ""})


@dataclass(frozen=True)
class Tab:
    """A ready-made list."""

    label: str
    url: str
    current: bool


@router.get("/{job_id}/results")
def results_page(request: Request, service: Ledger, job_id: DealsJob) -> HTMLResponse:
    """One arm's deals."""
    detail = get_detail(service.db, job_id, service.settings)
    asked = Asked.of(request)
    arm = _arm(detail, asked.arm)
    other = _arm(detail, int(asked.vs)) if asked.vs else None
    try:
        after = Mark.parse(asked.after) if asked.after else None
    except ValueError as error:
        raise PageError(400, "No such place", str(error)) from error
    question = Question(
        arm.id,
        asked.sort,
        asked.descending,
        asked.outcome,
        asked.won,
        other.id if other else None,
        asked.beside,
        not arm.summary.is_player,
    )
    rows = ranked(service.db, question, after, PAGE + 1)
    more = Mark(rows[PAGE - 1].value, rows[PAGE - 1].ordinal).text() if len(rows) > PAGE else ""
    return page(
        request,
        "results.html",
        job=detail.job,
        arms=detail.arms,
        arm=arm,
        other=other,
        asked=asked,
        rows=rows[:PAGE],
        more=more,
        tabs=_tabs(detail, arm, asked),
        repeats=detail.spec.repeats,
        scorings=[s.value for s in detail.spec.scoring] if arm.summary.is_player else [],
        outcomes=sorted(k for k, n in arm.summary.tally.outcomes.items() if n),
    )


def _arm(detail: JobDetail, number: int) -> ArmView:
    if not 0 <= number < len(detail.arms):
        raise PageError(404, "No such arm", f"The job has arms 0 to {len(detail.arms) - 1}.")
    return detail.arms[number]


def _tabs(detail: JobDetail, arm: ArmView, asked: Asked) -> list[Tab]:
    """Lists that people ask for most."""
    plain = Asked(asked.arm)
    solver = not arm.summary.is_player
    size = Sort.LENGTH if solver else Sort.MOVES
    wanted = [("All", plain)]
    if solver:
        wanted.append(("Unknown", Asked(asked.arm, outcome="unknown")))
    wanted.append(("Longest", Asked(asked.arm, sort=size, descending=True, won=True)))
    wanted.append(("Shortest", Asked(asked.arm, sort=size, won=True)))
    wanted.append(("Hardest", Asked(asked.arm, sort=Sort.NODES, descending=True)))
    solvers = sum(a.variant.key == arm.variant.key and not a.summary.is_player for a in detail.arms)
    for other in detail.arms:
        if other.variant.key == arm.variant.key and other.summary.is_player == solver:
            wanted.append(_solved_but_lost(*((arm, other) if solver else (other, arm)), solvers > 1))
    if arm.summary.failed:
        wanted.append(("Failed", Asked(asked.arm, outcome=FAILED)))
    here = asked.url()
    return [Tab(label, a.url(), a.url() == here) for label, a in wanted]


def _solved_but_lost(solver: ArmView, player: ArmView, several: bool) -> tuple[str, Asked]:
    """The list of deals that the solver won and the player did not: one list with one name, which both arms
    offer. several: more than one solver tried the game, so that the name says which."""
    by = f" by {solver.summary.evaluator.label}" if several else ""
    label = f"Solved{by}, but lost by {player.summary.evaluator.label}"
    asked = Asked(solver.summary.number, won=True, vs=str(player.summary.number), beside=Beside.LOST)
    return label, asked


@router.get("/{job_id}/deals/{arm}/{ordinal}")
def deal_of_row(request: Request, service: Ledger, job_id: DealsJob, arm: str, ordinal: str) -> Response:
    """Go to a row's deal with the game that was played of it: a stored solution, or the player's game played
    again (it is the same game). ``vs`` sets another arm's game beside it."""
    detail = get_detail(service.db, job_id, service.settings)
    title, vs = "No such deal", request.query_params.get("vs", "")
    numbers = [whole(arm, "arm", title, 404), *([whole(vs, "vs", title)] if vs else [])]
    arms = [_arm(detail, number) for number in numbers]
    number = whole(ordinal, "deal", title, 404)
    if number >= arms[0].summary.total:
        raise PageError(404, title, f"The arm has deals 0 to {arms[0].summary.total - 1}.")
    deal = deal_at(detail, arms[0], number)
    view = View.of_deal(deal)
    for one in arms:
        entries = game_of(service, detail, one, deal, number)
        if entries:
            by = _by(detail, one)
            view = view.with_line(Line(pack_line(entries, deal.variant), by))
    return RedirectResponse(view.url(), 303)


def _by(detail: JobDetail, arm: ArmView) -> str:
    """Who played. A player of another version than the job's may play otherwise, and that is said."""
    if not arm.summary.is_player:
        return "solver"
    now = engine_version()
    return arm.summary.evaluator.label + ("" if detail.job.engine == now else f" (again, by engine {now})")


def deal_at(detail: JobDetail, arm: ArmView, ordinal: int) -> Deal:
    """The deal of a row."""
    spec = detail.spec
    source = source_of(spec.deals, [arm.variant])
    index = ordinal // spec.repeats
    start = Position.unpacked(source.packed(arm.variant, [index])[0])
    scheme = "layout" if isinstance(spec.deals, Layouts) else spec.deals.scheme
    return Deal(start.columns, start.face_down, start.stock, arm.variant, scheme, source.seed(index))


def game_of(service: Service, detail: JobDetail, arm: ArmView, deal: Deal, ordinal: int) -> list[Entry]:
    """The moves that a row stands for; empty where there is no line. Raises PageError when others wait."""
    evaluator = arm.summary.evaluator
    if not isinstance(evaluator, PlayerEvaluator):
        return [action_of(code) for code in solution_line(service.db, arm.id, ordinal) or ()]
    rng = (detail.spec.rng + ordinal % detail.spec.repeats) & RNG_MASK
    try:
        game = desk_of(service.settings).play(deal, evaluator.spec, rng)
    except BusyError:
        raise PageError(
            503, "Busy", "Others are playing deals just now; please try again in a few seconds."
        ) from None
    return [action_of(code) for code in game.moves] if game is not None else []
