"""/v1/deals and /v1/replays: one deal's cards, solved or played while one waits, and games judged."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Request
from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from api.access import require
from api.interactive import BusyError, desk_of
from api.problems import Problem
from api.state import Ledger, json_response
from engine.deals import Deal, DealError, deal
from engine.formats import Format, UnsayableError, read_deal, write_deal
from engine.formats.answers import played_object, solution_object
from engine.formats.dealjson import deal_object
from engine.formats.errors import FormatError
from engine.formats.games import read_game
from engine.formats.judgements import judgement_object
from engine.game import start
from engine.players import PlayerError
from engine.replay import judge_record
from engine.trails import fast_outlook
from engine.variants import VariantError, resolve
from evaluation.access.roles import Identity, Role
from evaluation.evaluators import PlayerEvaluator, Strict, evaluator_of
from evaluation.plain import plain
from evaluation.spec import MAX_RNG, FieldFault, SpecError, Whole
from evaluation.versions import engine_version

router = APIRouter(prefix="/v1", tags=["deals"])
Reader = Annotated[Identity, require(Role.VIEWER)]
Submitter = Annotated[Identity, require(Role.SUBMITTER)]
"""Solving and playing cost processor time."""


class OneDeal(Strict):
    """A deal by number, or by its cards (``layout``: a deal object or a file's text, in any format)."""

    variant: str | dict[str, Any] = Field(examples=["spider-4"])
    scheme: str = "spidervet"
    seed: str | int | None = Field(None, examples=["12345"])
    layout: dict[str, Any] | str | None = None

    def made(self) -> Deal:
        """The deal. Raises SpecError naming the field."""
        if (self.seed is None) == (self.layout is None):
            raise SpecError.at("seed", "give either seed or layout")
        try:
            variant = resolve(self.variant)
            if self.seed is not None:
                return deal(variant, self.seed, self.scheme)
            text = self.layout if isinstance(self.layout, str) else orjson.dumps(self.layout)
            return read_deal(text, variant)
        except VariantError as error:
            field = "variant" if error.field == "variant" else f"variant.{error.field}"
            raise SpecError.at(field, error.message) from error
        except DealError as error:
            raise SpecError.at(error.field, error.message) from error
        except FormatError as error:
            raise SpecError.at("layout", str(error)) from error


class SolveRequest(OneDeal):
    """A deal and the budget of its search."""

    nodes: int | None = Field(None, ge=1, description="budget in nodes, at most the service's own limit")


class PlayRequest(OneDeal):
    """A deal and who plays it."""

    player: str | dict[str, Any] = Field(examples=["club", {"player": "expert", "samples": 16}])
    rng: Whole = Field(1, le=MAX_RNG)

    def evaluator(self) -> PlayerEvaluator:
        """Who plays. Raises SpecError naming the field."""
        if isinstance(self.player, dict):
            found = evaluator_of(self.player)
        else:
            try:
                found = evaluator_of({"player": self.player})
            except ValidationError as error:
                raise SpecError.at("player", plain(error.errors()[0])) from error
        if not isinstance(found, PlayerEvaluator):
            raise SpecError.at("player", "expected a player, not a solver")
        return found


@router.get("/deals/{scheme}/{variant}/{seed}", summary="The cards of a deal")
def get_deal(scheme: str, variant: str, seed: str, user: Reader, format: Format = Format.JSON) -> Response:
    try:
        made = deal(resolve(variant), seed, scheme)
    except (VariantError, DealError) as error:
        fault = FieldFault(error.field, error.message)
        raise Problem(404, f"no such deal: {error}", "/problems/no-such-deal", [fault]) from error
    if format is Format.JSON:
        outlook = fast_outlook(made.variant, start(made.variant, made))
        return json_response(deal_object(made) | {"outlook": outlook.value})
    try:
        text = write_deal(made, format)
    except UnsayableError as error:
        raise SpecError.at("format", str(error)) from error
    return PlainTextResponse(text, media_type="application/xml" if format is Format.KPAT else "text/plain")


@router.post("/deals/solve", summary="Search one deal (small, bounded)")
def post_solve(body: SolveRequest, service: Ledger, user: Submitter) -> Response:
    made = body.made()
    most = service.settings.interactive_nodes
    if body.nodes is not None and body.nodes > most:
        raise SpecError.at("nodes", f"{body.nodes} is over this service's limit of {most}; submit a job")
    try:
        solution = desk_of(service.settings).solve(made, body.nodes or most)
    except BusyError as error:
        raise _busy() from error
    return json_response(solution_object(made, solution, engine_version()))


@router.post("/deals/play", summary="Let a player play one deal (bounded)")
def post_play(body: PlayRequest, service: Ledger, user: Submitter) -> Response:
    made, evaluator = body.made(), body.evaluator()
    try:
        game = desk_of(service.settings).play(made, evaluator.spec, body.rng)
    except BusyError as error:
        raise _busy() from error
    except PlayerError as error:
        raise SpecError.at("player", str(error)) from error
    if game is None:
        limit = service.settings.interactive_seconds
        raise Problem(503, f"the game took longer than {limit} s; submit a job", "/problems/too-long")
    return json_response(played_object(made, game, evaluator.label, body.rng, engine_version()))


def _busy() -> Problem:
    return Problem(
        503, "as many deals are searched as may; try again", "/problems/busy", headers={"Retry-After": "2"}
    )


GAME_EXAMPLE = {
    "format": "spidervet-game/1",
    "variant": "spider-4",
    "id": "spidervet:spider-4:12345",
    "moves": ["deal", "undo", "resign"],
}


@router.post(
    "/replays",
    summary="Judge a game: legal or its first fault, won, moves, every score",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object"}, "example": GAME_EXAMPLE}},
        }
    },
)
async def post_replay(request: Request, user: Reader) -> Response:
    return await run_in_threadpool(_judged, await request.body())


def _judged(data: bytes) -> Response:
    try:
        record = read_game(data)
    except FormatError as error:
        raise SpecError.at("body", str(error)) from error
    return json_response(judgement_object(record.deal, judge_record(record, look=fast_outlook)))
