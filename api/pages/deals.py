"""Deal pages: open a deal, look at its cards, step through games of it, import games and layouts.

A page carries what it shows in its address; forms that compute something answer with a redirect to the page
that shows it. So every view has a link, and looking costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from api.access import require
from api.downloads import disposition
from api.interactive import BusyError, desk_of
from api.pages import words
from api.pages.links import MAX_LINK, pack_line
from api.pages.playback import Playback, frames_json, playback
from api.pages.queries import one_of
from api.pages.render import PageError, page
from api.pages.view import Line, View, author, levels
from api.state import Ledger
from engine.deals import SCHEMES, Deal, DealError, canonical_seed
from engine.formats import Format, UnsayableError, read_deal, write_deal
from engine.formats.errors import MAX_BYTES, FormatError
from engine.formats.games import read_game, write_game
from engine.moves import action_of
from engine.players import Level, PlayerError, PlayerSpec
from engine.replay import MAX_ENTRIES, GameRecord
from engine.variants import NAMED, VariantError, resolve
from engine.words import counted
from evaluation.access.roles import Identity, Role
from evaluation.settings import Settings
from evaluation.versions import engine_version

router = APIRouter(prefix="/deals", include_in_schema=False)
DEFAULT_NODES = 500_000
FORM_BYTES = 1_000
"""What a form sends beside the file in it."""
Reader = Annotated[Identity, require(Role.VIEWER)]
Submitter = Annotated[Identity, require(Role.SUBMITTER)]
"""Solving and playing cost processor time."""


@dataclass(frozen=True)
class Notice:
    """A line above the table. kind: empty, ``warn`` or ``bad``."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Inputs:
    """What the page's forms hold."""

    nodes: str = str(DEFAULT_NODES)
    level: str = Level.CLUB.value
    rng: str = "1"
    moves: str = ""


@dataclass(frozen=True)
class Shown:
    """A deal page to be drawn. games: in place of what the view carries, for games too long for a link."""

    view: View
    notices: tuple[Notice, ...] = ()
    form: Inputs = field(default_factory=Inputs)
    games: tuple[Playback, ...] = ()
    status: int = 200


def draw(request: Request, settings: Settings, shown: Shown) -> HTMLResponse:
    """The deal page."""
    view = shown.view
    deal = view.deal()
    games = list(shown.games) or view.games(deal)
    endings = [words.ending_of(deal, game) if game.entries else "" for game in games]
    faults = tuple(
        Notice(f"{words.who(g.by)} stops where the rules do. {g.fault}", "bad") for g in games if g.fault
    )
    length = max(len(game.frames) for game in games) - 1
    before, after = _neighbours(deal, view)
    linked = not shown.games
    full = view.hidden or not linked  # a page that has no address cannot ask for the rest later
    data = [_game_json(game, full) for game in games]
    return page(
        request,
        "deal.html",
        shown.status,
        view=view,
        deal=deal,
        identity=str(deal.identity),
        games=games,
        endings=endings,
        length=length,
        move=min(view.move, length),
        notices=(*shown.notices, *faults),
        data=data,
        full=full,
        linked=linked,
        previous=before,
        following=after,
        comparison=words.comparison(games, endings),
        parting=words.parting(games),
        levels=levels(),
        form=shown.form,
        max_nodes=settings.interactive_nodes,
        formats=_formats(deal),
    )


def _game_json(game: Playback, full: bool) -> dict[str, Any]:
    """The game for the page's script, with each frame's status. full: with the hidden cards."""
    data = frames_json(game, full)
    for entry, frame in zip(data["frames"], game.frames, strict=True):
        entry["w"] = words.status(game, frame)
    return data


def _formats(deal: Deal) -> list[str]:
    """The formats that have words for a deal."""
    sayable = []
    for form in Format:
        try:
            write_deal(deal, form)
        except UnsayableError:
            continue
        sayable.append(form.value)
    return sayable


def _neighbours(deal: Deal, view: View) -> tuple[str | None, str | None]:
    """Links to the seeds before and after, where seeds are numbers."""
    scheme = SCHEMES.get(deal.scheme)
    if scheme is None or scheme.integers is None or not deal.seed.isdigit():
        return None, None
    first, last = scheme.integers
    seed = int(deal.seed)

    def url(number: int) -> str:
        return View(view.scheme, view.variant, str(number), hidden=view.hidden, rules=view.rules).url()

    return url(seed - 1) if seed > first else None, url(seed + 1) if seed < last else None


@router.get("")
def open_page(request: Request, service: Ledger) -> HTMLResponse:
    """Choose a deal by its numbers, or import one."""
    return _open(request, service.settings, {})


def _open(
    request: Request, settings: Settings, form: Mapping[str, str], fault: str = "", status: int = 200
) -> HTMLResponse:
    return page(
        request,
        "deals.html",
        status,
        schemes=list(SCHEMES.values()),
        variants=list(NAMED.values()),
        form={"scheme": "spidervet", "variant": "spider-4", "seed": "", "text": ""} | dict(form),
        fault=fault,
        most_bytes=min(MAX_BYTES, settings.max_body_bytes - FORM_BYTES),
    )


@router.get("/open")
def open_deal(
    request: Request, service: Ledger, scheme: str = "", variant: str = "", seed: str = "", id: str = ""
) -> Response:
    """Go to a deal's page, from three fields or from a printed identity."""
    if id.strip():
        scheme, _, rest = id.strip().partition(":")
        variant, _, seed = rest.partition(":")
    form = {"scheme": scheme, "variant": variant, "seed": seed}
    try:
        rules = resolve(variant)
        text = canonical_seed(scheme, rules, seed.strip())
    except (VariantError, DealError) as error:
        return _open(request, service.settings, form, f"{error.field}: {error.message}", 422)
    return RedirectResponse(View(scheme, rules.label, text).url(), 303)


@router.post("/import")
async def import_file(request: Request, service: Ledger, user: Reader) -> Response:
    """Show a layout or a game from a file or from pasted text."""
    # Starlette's own bound on a field would refuse a long text in words of its own.
    async with request.form(max_part_size=service.settings.max_body_bytes) as sent:
        file, text, variant = sent.get("file"), str(sent.get("text", "")), str(sent.get("variant", ""))
        data = await file.read() if isinstance(file, UploadFile) and file.filename else text
    return await run_in_threadpool(_imported, request, service.settings, data, variant, text)


def _imported(request: Request, settings: Settings, data: str | bytes, variant: str, text: str) -> Response:
    form = {"variant": variant or "spider-4", "text": text}
    if not data.strip():
        return _open(request, settings, form, "Choose a file that holds something, or paste its text.", 422)
    try:
        if _is_game(data):
            record = read_game(data)
            return show_game(request, settings, record.deal, record.moves, record.by or "import")
        deal = read_deal(data, resolve(variant) if variant else None)
    except (FormatError, VariantError) as error:
        return _open(request, settings, form, str(error), 422)
    return RedirectResponse(View.of_deal(deal).url(), 303)


def _is_game(data: str | bytes) -> bool:
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    return "spidervet-game/" in text[:100_000]


def show_game(
    request: Request,
    settings: Settings,
    deal: Deal,
    moves: tuple[str, ...],
    by: str,
    onto: View | None = None,
) -> Response:
    """Show a game: by a link of its own where it is legal and short enough, else as the answer itself."""
    by = author(by)
    base = onto or View.of_deal(deal)
    game = playback(deal, moves, by)
    packed = pack_line(game.entries, deal.variant)
    if game.fault:
        kept = base.with_line(Line(packed, by)) if len(packed) <= MAX_LINK else base
        status = 422
        return draw(request, settings, Shown(kept, games=(game,), status=status))
    if len(packed) > MAX_LINK:
        notice = Notice("This game is too long for a link: it is shown once, here.", "warn")
        return draw(request, settings, Shown(base, (notice,), games=(game,)))
    return RedirectResponse(base.with_line(Line(packed, by)).url(), 303)


@router.get("/{scheme}/{variant}/{seed}")
def deal_page(request: Request, service: Ledger, scheme: str, variant: str, seed: str) -> Response:
    """A deal, and up to two games of it."""
    view = View.of(scheme, variant, seed, request.query_params)
    return draw(request, service.settings, Shown(view, form=_as_played(view)))


def _as_played(view: View) -> Inputs:
    """The forms as they were when the last player's game was asked for."""
    by = next((line.by for line in reversed(view.lines) if line.by.startswith("player:")), "")
    level, _, rng = by.removeprefix("player:").partition(" rng ")
    return Inputs(level=level, rng=rng or "1") if level in levels() else Inputs()


@router.get("/{scheme}/{variant}/{seed}/game.json")
def game_file(request: Request, scheme: str, variant: str, seed: str) -> Response:
    """The first game of the view as spidervet-game/1."""
    view = View.of(scheme, variant, seed, request.query_params)
    game = view.games(view.deal())[0]
    record = GameRecord(game.deal, tuple(map(str, game.entries)), game.by, engine_version())
    return _file(write_game(record), f"{_file_name(game.deal)}-{_slug(game.by) or 'game'}.json")


@router.get("/{scheme}/{variant}/{seed}/layout.{form}")
def layout_file(request: Request, scheme: str, variant: str, seed: str, form: str) -> Response:
    """The deal in one of the formats."""
    wanted = one_of(Format, form, "format", "No such format", 404)
    deal = View.of(scheme, variant, seed, request.query_params).deal()
    try:
        text = write_deal(deal, wanted)
    except UnsayableError as error:
        raise PageError(422, "This format has no words for it", str(error)) from error
    ending = {"text": "txt", "pysolfc": "board.txt", "solvitaire": "solvitaire.json", "kpat": "xml"}
    return _file(text, f"{_file_name(deal)}.{ending.get(wanted.value, 'json')}")


def _file_name(deal: Deal) -> str:
    return _slug(f"{deal.scheme}-{deal.variant.label}-{deal.seed}")


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+_]+", "-", text).strip("-")


def _file(text: str, name: str) -> Response:
    kind = "application/json" if name.endswith(".json") else "text/plain; charset=utf-8"
    return Response(text, 200, disposition(name), kind)


@router.post("/{scheme}/{variant}/{seed}/solve")
async def solve(
    request: Request, service: Ledger, user: Submitter, scheme: str, variant: str, seed: str
) -> Response:
    """Search the deal within the limits of the page, then show the line or say why there is none."""
    form = await request.form()
    view = View.of(scheme, variant, seed, form)
    inputs = Inputs(nodes=str(form.get("nodes", "")))
    return await run_in_threadpool(_solved, request, service.settings, view, inputs)


def _solved(request: Request, settings: Settings, view: View, inputs: Inputs) -> Response:
    deal = view.deal()
    nodes = _whole(inputs.nodes, 1, settings.interactive_nodes)
    if nodes is None:
        text = f"Budget: {inputs.nodes[:40]!r} is not a whole number from 1 to {settings.interactive_nodes}."
        return draw(request, settings, Shown(view, (Notice(text, "bad"),), inputs, status=422))
    try:
        solution = desk_of(settings).solve(deal, nodes)
    except BusyError:
        return _busy(request, settings, view, inputs)
    if solution.moves:
        entries = [action_of(code) for code in solution.moves]
        return RedirectResponse(view.with_line(Line(pack_line(entries, deal.variant), "solver")).url(), 303)
    notice = _no_line(solution.verdict.value, solution.reason, solution.positions, solution.certificate)
    return draw(request, settings, Shown(view, (notice,), inputs))


def _no_line(verdict: str, reason: str | None, nodes: int, certificate: str) -> Notice:
    if verdict == "unsolvable":
        how = f" ({certificate})" if certificate else ""
        return Notice(f"Unsolvable: every line was searched{how}, {counted(nodes, 'node')}.", "warn")
    why = {
        "nodes": "the budget of nodes is spent; a larger one may decide it",
        "memory": "the tables are full",
        "seconds": "the time for a page is over; a job may take longer",
    }
    return Notice(
        f"Unknown after {counted(nodes, 'node')}: {why.get(str(reason), 'it was stopped')}.", "warn"
    )


@router.post("/{scheme}/{variant}/{seed}/play")
async def play(
    request: Request, service: Ledger, user: Submitter, scheme: str, variant: str, seed: str
) -> Response:
    """Let a player play the deal, then show the game."""
    form = await request.form()
    view = View.of(scheme, variant, seed, form)
    inputs = Inputs(level=str(form.get("level", "")), rng=str(form.get("rng", "")))
    return await run_in_threadpool(_played, request, service.settings, view, inputs)


def _played(request: Request, settings: Settings, view: View, inputs: Inputs) -> Response:
    deal = view.deal()
    rng = _whole(inputs.rng, 0, 2**64 - 1)
    if rng is None or inputs.level not in levels():
        text = "A level of the list, please, and a whole number from 0 to 2^64-1."
        return draw(request, settings, Shown(view, (Notice(text, "bad"),), inputs, status=422))
    try:
        game = desk_of(settings).play(deal, PlayerSpec(inputs.level), rng)
    except BusyError:
        return _busy(request, settings, view, inputs)
    except PlayerError as error:
        return draw(request, settings, Shown(view, (Notice(str(error), "bad"),), inputs, status=422))
    if game is None:
        notice = Notice("The time for a page is over before this game was; a job may take longer.", "warn")
        return draw(request, settings, Shown(view, (notice,), inputs))
    entries = [action_of(code) for code in game.moves]
    by = f"player:{inputs.level}" + (f" rng {rng}" if rng != 1 else "")
    return RedirectResponse(view.with_line(Line(pack_line(entries, deal.variant), by)).url(), 303)


@router.post("/{scheme}/{variant}/{seed}/replay")
async def replay(
    request: Request, service: Ledger, user: Reader, scheme: str, variant: str, seed: str
) -> Response:
    """Show a typed list of moves, up to the first that is not allowed."""
    form = await request.form()
    view = View.of(scheme, variant, seed, form)
    text = str(form.get("moves", ""))
    return await run_in_threadpool(_replayed, request, service.settings, view, text)


def _replayed(request: Request, settings: Settings, view: View, text: str) -> Response:
    moves = tuple(part.strip() for part in text.replace(",", "\n").splitlines() if part.strip())
    if not moves or len(moves) > MAX_ENTRIES:
        notice = Notice(f"Type 1 to {MAX_ENTRIES:,} moves.", "bad")
        return draw(request, settings, Shown(view, (notice,), Inputs(moves=text[:20_000]), status=422))
    return show_game(request, settings, view.deal(), moves, "import", onto=view)


def _busy(request: Request, settings: Settings, view: View, inputs: Inputs) -> HTMLResponse:
    notice = Notice("Others are searching just now; please try again in a few seconds.", "warn")
    return draw(request, settings, Shown(view, (notice,), inputs, status=503))


def _whole(text: str, least: int, most: int) -> int | None:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        return None
    return int(text) if least <= int(text) <= most else None
