"""The two kinds of evaluator that a job may name, as strict models, and their one-line labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from engine.players import PlayerError, PlayerSpec, check_player
from engine.solver import MEMORY_RANGE_MB, SolverSpec
from engine.variants import NAMED

DEFAULT_MEMORY_MB = 512
_ANY_VARIANT = NAMED["spider-4"]  # options are the same for every variant


class Strict(BaseModel):
    """Base of everything that users send: no coercion, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PlayerEvaluator(BaseModel):
    """``{"player": "expert", "samples": 16}``: a level and options laid over it."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    __pydantic_extra__: dict[str, int | str | bool]

    player: str = Field(examples=["club"])

    @model_validator(mode="before")
    @classmethod
    def _simple(cls, data: Any) -> Any:
        """One fault that says what the option takes, instead of one for each kind of value there is."""
        if isinstance(data, dict) and isinstance(level := data.get("player"), str):
            options = {str(name): value for name, value in data.items() if name != "player"}
            odd = [name for name, value in options.items() if not isinstance(value, int | str | bool)]
            if odd:
                check_options(level, options)
                context = {"at": odd[0][:60]}
                raise PydanticCustomError("player", "must be a whole number, text, true or false", context)
        return data

    @model_validator(mode="after")
    def _known(self) -> PlayerEvaluator:
        check_options(self.player, self.options)
        return self

    @property
    def options(self) -> dict[str, int | str | bool]:
        """Options in the order of their names."""
        return dict(sorted((self.__pydantic_extra__ or {}).items()))

    @property
    def label(self) -> str:
        """``player:club``, or with options ``player:expert(samples=16)``."""
        options = ",".join(f"{k}={_shown(v)}" for k, v in self.options.items())
        return f"player:{self.player}" + (f"({options})" if options else "")

    @property
    def spec(self) -> PlayerSpec:
        return PlayerSpec(self.player, self.options)

    def canonical(self) -> dict[str, Any]:
        return {"player": self.player, **self.options}


class SolverBudget(Strict):
    """What `engine.solver.SolverSpec` lets a job choose."""

    nodes: int | None = Field(None, ge=1, description="budget in nodes; null is the shipped schedule's own")
    shorten_nodes: int = Field(0, ge=0, description="further budget for shortening a found line")
    memory_mb: Annotated[
        int, Field(ge=MEMORY_RANGE_MB[0], description="bound on the tables of one search")
    ] = DEFAULT_MEMORY_MB


class SolverEvaluator(Strict):
    """``{"solver": {"nodes": 2000000}}``."""

    solver: SolverBudget

    @property
    def label(self) -> str:
        """``solver:200000``, ``solver:default``; with shortening ``solver:200000+5000``, with a memory bound
        ``solver:200000@2048MB``."""
        nodes = "default" if self.solver.nodes is None else str(self.solver.nodes)
        shorten = f"+{self.solver.shorten_nodes}" if self.solver.shorten_nodes else ""
        memory = f"@{self.solver.memory_mb}MB" if self.solver.memory_mb != DEFAULT_MEMORY_MB else ""
        return f"solver:{nodes}{shorten}{memory}"

    @property
    def spec(self) -> SolverSpec:
        """The memory bound is the job's, not the machine's: equal requests give equal answers everywhere."""
        return SolverSpec(self.solver.nodes, self.solver.memory_mb, self.solver.shorten_nodes)

    def canonical(self) -> dict[str, Any]:
        return {"solver": self.solver.model_dump(exclude_defaults=True)}


def _kind(value: Any) -> str | None:
    if isinstance(value, dict) and {"player", "solver"} <= value.keys():
        return None
    if isinstance(value, PlayerEvaluator) or (isinstance(value, dict) and "player" in value):
        return "player"
    if isinstance(value, SolverEvaluator) or (isinstance(value, dict) and "solver" in value):
        return "solver"
    return None


Evaluator = Annotated[
    Annotated[PlayerEvaluator, Tag("player")] | Annotated[SolverEvaluator, Tag("solver")],
    Discriminator(
        _kind,
        custom_error_type="evaluator",
        custom_error_message='expected {"player": level} or {"solver": {"nodes": budget}}',
    ),
]


def check_options(level: str, options: Mapping[str, int | str | bool]) -> None:
    """Refuse options that the level does not have. Raises PydanticCustomError naming the option."""
    try:
        check_player(_ANY_VARIANT, level, options)
    except PlayerError as error:
        context = {"message": error.message, "at": error.field[:60]}
        raise PydanticCustomError("player", "{message}", context) from error


def _shown(value: int | str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_EVALUATOR: TypeAdapter[PlayerEvaluator | SolverEvaluator] = TypeAdapter(Evaluator)


def evaluator_of(data: Any) -> PlayerEvaluator | SolverEvaluator:
    """Read an evaluator's JSON form. Raises pydantic.ValidationError."""
    return _EVALUATOR.validate_python(data)
