"""A job as users write it: strict models, limits, and the arms that come of it.

`JobSpec` checks form; `plan_job` checks meaning (variants, schemes, seeds, limits) and gives the
arms. Every fault becomes a `SpecError` that names the field by its path in the JSON.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from pydantic import Discriminator, Field, Tag, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from engine.variants import Scoring, Variant, VariantError, resolve
from evaluation.evaluators import Evaluator, PlayerEvaluator, SolverEvaluator, Strict
from evaluation.notify.address import AddressError, check_form
from evaluation.plain import PRINTED, merged, plain
from evaluation.settings import Settings
from evaluation.source import DealSource, LayoutSource, ListSource, RangeSource, SourceError

MAX_RNG = 2**64 - 1
Whole = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class FieldFault:
    """One thing wrong with a request. field: path such as ``deals.count`` or ``variants.2.base``."""

    field: str
    message: str


class SpecError(ValueError):
    """A request that cannot be run; carries every fault found."""

    def __init__(self, faults: Sequence[FieldFault]) -> None:
        super().__init__("; ".join(f"{f.field}: {f.message}" for f in faults))
        self.faults = tuple(faults)

    @classmethod
    def at(cls, field: str, message: str) -> SpecError:
        return cls([FieldFault(field, message)])


class SeedRange(Strict):
    """``count`` deals from seed ``first`` on."""

    scheme: str = "spidervet"
    first: int | str = Field(examples=[1], description="whole number, or its text beyond 2^53")
    count: int = Field(ge=1, examples=[300])


class SeedList(Strict):
    """Deals by their seeds, in this order."""

    scheme: str = "spidervet"
    seeds: list[int | str] = Field(min_length=1)


class LayoutCards(Strict):
    """A start position as `spidervet show --format json` prints it."""

    format: Literal["spidervet-deal/1"] = "spidervet-deal/1"
    id: str | None = None
    variant: str | None = None
    columns: list[list[str]] = Field(min_length=1, max_length=16)
    face_down: list[int] | None = None
    stock: list[str] = Field(default_factory=list)


class Layouts(Strict):
    """Deals by their cards."""

    layouts: list[LayoutCards] = Field(min_length=1)


def _deals_kind(value: Any) -> str | None:
    keys = value.keys() if isinstance(value, dict) else getattr(type(value), "model_fields", {}).keys()
    for kind, key in (("range", "first"), ("list", "seeds"), ("layouts", "layouts"), ("range", "count")):
        if key in keys:
            return kind
    return None


Deals = Annotated[
    Annotated[SeedRange, Tag("range")]
    | Annotated[SeedList, Tag("list")]
    | Annotated[Layouts, Tag("layouts")],
    Discriminator(
        _deals_kind,
        custom_error_type="deals",
        custom_error_message='expected {"first", "count"}, {"seeds"} or {"layouts"}',
    ),
]


class StopWhen(Strict):
    """End arms early, in the fixed order of the deals, by intervals that are valid at every look.

    half_width: an arm ends when half the width of its interval is at most this. paired: two arms, by
    number, end when it is decided which of them wins more.
    """

    half_width: float | None = Field(None, gt=0, lt=0.5, examples=[0.005])
    paired: list[Whole] | None = Field(None, min_length=2, max_length=2, examples=[[0, 1]])

    @model_validator(mode="after")
    def _something(self) -> StopWhen:
        if self.half_width is None and self.paired is None:
            raise PydanticCustomError("stop_when", "expected half_width or paired")
        return self


class JobSpec(Strict):
    """The body of POST /v1/jobs and of a job file."""

    name: str = Field("", max_length=200, pattern=PRINTED, examples=["clubs against the solver"])
    deals: Deals
    variants: list[str | dict[str, Any]] = Field(min_length=1, examples=[["spider-1", "spider-4"]])
    evaluators: list[Evaluator] = Field(min_length=1)
    rng: Whole = Field(1, le=MAX_RNG)
    repeats: int = Field(1, ge=1)
    scoring: list[Annotated[Scoring, Field(strict=False)]] = Field([Scoring.WINDOWS], min_length=1)
    stop_when: StopWhen | None = None
    notify: str | None = Field(None, max_length=2000)


TYPE_NAMES = {"int", "str", "constrained-str", "dict[str,any]", "float", "bool"}


def faults_of(error: ValidationError) -> list[FieldFault]:
    """The faults of a validation by field path, without what pydantic's unions put into the path."""
    found = error.errors(include_url=False, include_input=False)
    return named_faults((field_path([str(part) for part in item["loc"]]), "body", item) for item in found)


def named_faults(items: Iterable[tuple[list[str], str, ErrorDetails]]) -> list[FieldFault]:
    """Faults in plain words. items: the path of each, what to call a path of nothing, the fault itself."""
    told = []
    for path, otherwise, item in items:
        at = (item.get("ctx") or {}).get("at")
        told.append((".".join([*path, at] if at else path) or otherwise, plain(item)))
    return [FieldFault(field, message) for field, message in merged(told).items()]


def field_path(path: list[str]) -> list[str]:
    """The user's path: ``deals.range.count`` is ``deals.count``, ``evaluators.0.solver.solver.nodes`` is
    ``evaluators.0.solver.nodes``, and type names at the end go."""
    if path[:1] == ["deals"]:
        path = path[:1] + path[2:]
    elif path[:1] == ["evaluators"]:
        path = path[:2] + path[3:]
    return path[:-1] if len(path) > 1 and path[-1] in TYPE_NAMES else path


def parse_spec(data: Any) -> JobSpec:
    """Check the form of a decoded body. Raises SpecError."""
    if not isinstance(data, dict):
        raise SpecError.at("body", "expected a JSON object")
    try:
        return JobSpec.model_validate(data)
    except ValidationError as error:
        raise SpecError(faults_of(error)) from error


@dataclass(frozen=True)
class ArmPlan:
    """One variant with one evaluator."""

    number: int
    variant: Variant
    evaluator: PlayerEvaluator | SolverEvaluator


@dataclass(frozen=True)
class JobPlan:
    """A job that can be run. units: rows of one arm."""

    spec: JobSpec
    name: str
    source: DealSource
    arms: tuple[ArmPlan, ...]

    @property
    def units(self) -> int:
        return self.source.count * self.spec.repeats

    @property
    def spec_hash(self) -> str:
        return hashlib.sha256(canonical(self.spec)).hexdigest()


def canonical(spec: JobSpec) -> bytes:
    """The spec as JSON with sorted keys; the same request gives the same bytes."""
    data = spec.model_dump(mode="json")
    data["evaluators"] = [e.canonical() for e in spec.evaluators]
    return orjson.dumps(data, option=orjson.OPT_SORT_KEYS)


def plan_job(spec: JobSpec, settings: Settings) -> JobPlan:
    """Check meaning and limits. Raises SpecError naming the field."""
    _check_limits(spec, settings)
    _check_notify(spec, settings)
    variants = [_variant(item, i) for i, item in enumerate(spec.variants)]
    _refuse_repeats("variants", [v.key for v in variants])
    _refuse_repeats("variants", [v.label for v in variants])
    _refuse_repeats("evaluators", [e.label for e in spec.evaluators])
    _refuse_repeats("scoring", list(spec.scoring))
    source = source_of(spec.deals, variants)
    pairs = [(v, e) for v in variants for e in spec.evaluators]
    arms = tuple(ArmPlan(i, v, e) for i, (v, e) in enumerate(pairs))
    _check_stop(spec, len(arms))
    plan = JobPlan(spec, spec.name or default_name(spec), source, arms)
    if plan.units * len(arms) > settings.max_units:
        raise SpecError.at("deals", f"{plan.units * len(arms)} rows; a job may have {settings.max_units}")
    return plan


def default_name(spec: JobSpec) -> str:
    """A name made of the request alone, so that two runs of it give the same files."""
    return "job-" + hashlib.sha256(canonical(spec)).hexdigest()[:10]


def _check_limits(spec: JobSpec, settings: Settings) -> None:
    count = deals_count(spec.deals)
    if count > settings.max_seeds:
        field = {"SeedRange": "deals.count", "SeedList": "deals.seeds"}.get(
            type(spec.deals).__name__, "deals.layouts"
        )
        raise SpecError.at(field, f"{count} deals; a job may have {settings.max_seeds}")
    if spec.repeats > settings.max_repeats:
        raise SpecError.at("repeats", f"{spec.repeats}; at most {settings.max_repeats}")
    arms = len(spec.variants) * len(spec.evaluators)
    if arms > settings.max_arms:
        raise SpecError.at("variants", f"{arms} arms (variants × evaluators); at most {settings.max_arms}")
    for i, evaluator in enumerate(spec.evaluators):
        if isinstance(evaluator, SolverEvaluator):
            budget = evaluator.solver
            if budget.memory_mb > settings.solver_memory_mb:
                at = f"evaluators.{i}.solver.memory_mb"
                raise SpecError.at(at, f"{budget.memory_mb}; at most {settings.solver_memory_mb}")
            for key, nodes in (("nodes", budget.nodes), ("shorten_nodes", budget.shorten_nodes)):
                if nodes is not None and nodes > settings.max_nodes:
                    raise SpecError.at(
                        f"evaluators.{i}.solver.{key}", f"{nodes}; at most {settings.max_nodes}"
                    )
        else:
            for key, value in evaluator.options.items():
                if isinstance(value, int) and value > settings.max_player_samples:
                    raise SpecError.at(
                        f"evaluators.{i}.{key}", f"{value}; at most {settings.max_player_samples}"
                    )


def _check_stop(spec: JobSpec, arms: int) -> None:
    if spec.stop_when is None:
        return
    if spec.repeats > 1:
        raise SpecError.at("stop_when", "games of the same deal are no independent trials: repeats must be 1")
    pair = spec.stop_when.paired
    if pair is not None and (pair[0] == pair[1] or max(pair) >= arms):
        raise SpecError.at("stop_when.paired", f"expected two different arms of 0 to {arms - 1}")


def _check_notify(spec: JobSpec, settings: Settings) -> None:
    if spec.notify is None:
        return
    if settings.notify_key is None:
        raise SpecError.at("notify", "this service sends no messages: it has no SPIDERVET_NOTIFY_KEY")
    try:
        check_form(spec.notify, settings)
    except AddressError as error:
        raise SpecError.at("notify", str(error)) from error


def deals_count(deals: SeedRange | SeedList | Layouts) -> int:
    """Number of deals that a request names."""
    if isinstance(deals, SeedRange):
        return deals.count
    return len(deals.seeds if isinstance(deals, SeedList) else deals.layouts)


def _variant(item: str | dict[str, Any], i: int) -> Variant:
    try:
        return resolve(item)
    except VariantError as error:
        where = (
            f"variants.{i}"
            if error.field in ("variant", "name") and isinstance(item, str)
            else f"variants.{i}.{error.field}"
        )
        raise SpecError.at(where, error.message) from error


def _refuse_repeats(field: str, keys: Sequence[str]) -> None:
    seen: dict[str, int] = {}
    for i, key in enumerate(keys):
        if key in seen:
            raise SpecError.at(f"{field}.{i}", f"the same as {field}.{seen[key]}")
        seen[key] = i


def source_of(deals: SeedRange | SeedList | Layouts, variants: Sequence[Variant]) -> DealSource:
    """Where the deals of a request come from, checked against every variant. Raises SpecError."""
    try:
        if isinstance(deals, SeedRange):
            return RangeSource.checked(deals.scheme, deals.first, deals.count, variants)
        if isinstance(deals, SeedList):
            return ListSource.checked(deals.scheme, deals.seeds, variants)
        return LayoutSource.checked([card_data(x) for x in deals.layouts], variants)
    except SourceError as error:
        raise SpecError.at(
            f"deals.{error.field}" if error.field != "variants" else "variants", error.message
        ) from error


def card_data(layout: LayoutCards) -> dict[str, Any]:
    """A layout in the form that `engine.formats` reads."""
    return layout.model_dump(exclude_none=True)
