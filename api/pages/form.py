"""A job's form: its fields, the job that they say, and the fields of a job that is to be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import orjson
import uuid_utils
from starlette.datastructures import FormData

from engine.players import Level
from engine.variants import ALIASES, NAMED
from evaluation.evaluators import PlayerEvaluator
from evaluation.spec import FieldFault, JobSpec, Layouts, SeedList, SeedRange


@dataclass(frozen=True)
class JobForm:
    """The form as typed, every field as text, so that it can be shown again unchanged.

    deals: ``range``, ``list`` or ``layouts``. custom, others: more variants and evaluators as JSON lists.
    key: makes a form sent twice one job.
    """

    name: str = ""
    deals: str = "range"
    scheme: str = "spidervet"
    first: str = "1"
    count: str = "500"
    seeds: str = ""
    layouts: str = ""
    variants: tuple[str, ...] = ("spider-1",)
    presets: tuple[str, ...] = ()
    custom: str = ""
    players: tuple[str, ...] = (Level.CLUB.value,)
    use_solver: bool = True
    nodes: str = "200000"
    shorten: str = ""
    others: str = ""
    rng: str = "1"
    repeats: str = "1"
    scoring: tuple[str, ...] = ("windows",)
    half_width: str = ""
    notify: str = ""
    key: str = field(default_factory=lambda: str(uuid_utils.uuid7()))

    @classmethod
    def of(cls, data: FormData) -> JobForm:
        """Read a sent form. Lists come from repeated fields."""
        values: dict[str, Any] = {}
        for f in fields(cls):
            if f.name in ("variants", "presets", "players", "scoring"):
                values[f.name] = tuple(str(v)[:200] for v in data.getlist(f.name))
            elif f.name == "use_solver":
                values[f.name] = data.get(f.name) == "1"
            else:
                values[f.name] = str(data.get(f.name) or "").strip()
        return cls(**values)

    def body(self) -> tuple[dict[str, Any], list[FieldFault]]:
        """The job as POST /v1/jobs takes it, and faults of fields that are no JSON or no number."""
        faults: list[FieldFault] = []
        body: dict[str, Any] = {
            "name": self.name,
            "deals": self._deals(faults),
            "variants": [*map(self._variant, self.variants), *_json_list(self.custom, "custom", faults)],
            "evaluators": self._evaluators(faults),
            "rng": _number(self.rng, "rng", faults),
            "repeats": _number(self.repeats, "repeats", faults),
            "scoring": list(self.scoring),
        }
        if self.half_width:
            body["stop_when"] = {"half_width": _share(self.half_width, faults)}
        if self.notify:
            body["notify"] = self.notify
        return body, faults

    def _variant(self, name: str) -> str | dict[str, Any]:
        return {"base": name, "presets": list(self.presets)} if self.presets else name

    def _deals(self, faults: list[FieldFault]) -> dict[str, Any]:
        if self.deals == "list":
            seeds = self.seeds.replace(",", " ").split()
            if not seeds:
                faults.append(FieldFault("deals.seeds", "no seed is named"))
            return {"scheme": self.scheme, "seeds": seeds}
        if self.deals == "layouts":
            layouts = _json_list(self.layouts, "deals.layouts", faults)
            if not layouts and not faults:
                faults.append(FieldFault("deals.layouts", "no layout is given"))
            return {"layouts": layouts}
        return {
            "scheme": self.scheme,
            "first": self.first,
            "count": _number(self.count, "deals.count", faults),
        }

    def _evaluators(self, faults: list[FieldFault]) -> list[Any]:
        out: list[Any] = [{"player": name} for name in self.players]
        if self.use_solver:
            solver: dict[str, Any] = {}
            if self.nodes:
                solver["nodes"] = _number(self.nodes, "nodes", faults)
            if self.shorten:
                solver["shorten_nodes"] = _number(self.shorten, "shorten", faults)
            out.append({"solver": solver})
        return [*out, *_json_list(self.others, "others", faults)]


def _number(text: str, at: str, faults: list[FieldFault]) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 20:
        return int(text)
    faults.append(
        FieldFault(at, f"{text[:40]!r} is not a whole number" if text else "a whole number is missing")
    )
    return 1


def _share(text: str, faults: list[FieldFault]) -> float:
    """Points of per cent as a share."""
    try:
        return float(text) / 100
    except ValueError:
        faults.append(FieldFault("stop_when.half_width", f"{text[:40]!r} is not a number"))
        return 0.01


def _json_list(text: str, at: str, faults: list[FieldFault]) -> list[Any]:
    """A JSON list, or one JSON object as a list of one; nothing for no text."""
    if not text:
        return []
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        faults.append(FieldFault(at, f"not JSON: {error}"))
        return []
    return data if isinstance(data, list) else [data]


def form_of(spec: JobSpec, name: str) -> JobForm:
    """The form that makes a job again. Variants and evaluators that the form has no box for go to its JSON
    fields."""
    named = [v for v in spec.variants if isinstance(v, str) and ALIASES.get(v, v) in NAMED]
    custom = [v for v in spec.variants if v not in named]
    players = [e.player for e in spec.evaluators if isinstance(e, PlayerEvaluator) and not e.options]
    solvers = [e.solver for e in spec.evaluators if not isinstance(e, PlayerEvaluator)]
    kept = [e.canonical() for e in spec.evaluators if isinstance(e, PlayerEvaluator) and e.options]
    kept += [{"solver": s.model_dump(exclude_none=True)} for s in solvers[1:]]
    first = solvers[0] if solvers else None
    return JobForm(
        name=name,
        variants=tuple(ALIASES.get(v, v) for v in named),
        custom=_shown(custom),
        players=tuple(players),
        use_solver=first is not None,
        nodes=str(first.nodes) if first is not None and first.nodes else "",
        shorten=str(first.shorten_nodes) if first is not None and first.shorten_nodes else "",
        others=_shown(kept),
        rng=str(spec.rng),
        repeats=str(spec.repeats),
        scoring=tuple(s.value for s in spec.scoring),
        half_width=f"{100 * spec.stop_when.half_width:g}"
        if spec.stop_when and spec.stop_when.half_width
        else "",
        notify=spec.notify or "",
        **_deals_of(spec),
    )


def _deals_of(spec: JobSpec) -> Mapping[str, Any]:
    deals = spec.deals
    if isinstance(deals, SeedRange):
        return {
            "deals": "range",
            "scheme": deals.scheme,
            "first": str(deals.first),
            "count": str(deals.count),
        }
    if isinstance(deals, SeedList):
        return {"deals": "list", "scheme": deals.scheme, "seeds": "\n".join(map(str, deals.seeds))}
    assert isinstance(deals, Layouts)
    return {"deals": "layouts", "layouts": _shown([x.model_dump(exclude_none=True) for x in deals.layouts])}


def _shown(items: list[Any]) -> str:
    return orjson.dumps(items, option=orjson.OPT_INDENT_2).decode() if items else ""
