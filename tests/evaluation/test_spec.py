from typing import Any

import pytest

from evaluation.settings import Settings
from evaluation.spec import JobPlan, SpecError, canonical, parse_spec, plan_job

GOOD: dict[str, Any] = {
    "deals": {"scheme": "spidervet", "first": 1, "count": 3},
    "variants": ["spider-1", "spider-4"],
    "evaluators": [{"player": "club"}, {"solver": {"nodes": 1000}}],
}


def plan(settings: Settings | None = None, **changes: Any) -> JobPlan:
    return plan_job(parse_spec({**GOOD, **changes}), settings or Settings())


def fault(settings: Settings | None = None, **changes: Any) -> tuple[str, str]:
    with pytest.raises(SpecError) as caught:
        plan(settings, **changes)
    first = caught.value.faults[0]
    return first.field, first.message


def test_arms_are_variants_times_evaluators() -> None:
    arms = plan().arms
    assert [(a.number, a.variant.name, a.evaluator.label) for a in arms] == [
        (0, "spider-1", "player:club"),
        (1, "spider-1", "solver:1000"),
        (2, "spider-4", "player:club"),
        (3, "spider-4", "solver:1000"),
    ]


def test_equal_requests_have_equal_names_and_bytes() -> None:
    other = {**GOOD, "deals": {"count": 3, "first": 1, "scheme": "spidervet"}, "rng": 1}
    assert canonical(parse_spec(other)) == canonical(parse_spec(GOOD))
    assert plan().name == plan_job(parse_spec(other), Settings()).name
    assert plan(rng=2).name != plan().name


def test_options_stand_in_the_label() -> None:
    arms = plan(evaluators=[{"player": "club", "width": 20, "depth": 5}, {"solver": {}}]).arms
    assert [a.evaluator.label for a in arms[:2]] == ["player:club(depth=5,width=20)", "solver:default"]


def test_seeds_are_canonical_text() -> None:
    source = plan(deals={"seeds": [7, "18446744073709551615"]}).source
    assert [source.seed(i) for i in range(source.count)] == ["7", "18446744073709551615"]


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"variants": ["spider-3"]}, "variants.0"),
    ({"variants": [{"base": "spider-4", "name": "x", "wings": 2}]}, "variants.0.wings"),
    ({"variants": [{"base": "spider-4", "name": "x", "suits": 3}]}, "variants.0.suits"),
    ({"variants": []}, "variants"),
    ({"variants": ["spider-1", "spider-1"]}, "variants.1"),
    ({"evaluators": [{"player": "wizard"}]}, "evaluators.0.player"),
    ({"evaluators": [{"player": "club", "wdth": 3}]}, "evaluators.0.wdth"),
    ({"evaluators": [{"solver": {"nodes": 0}}]}, "evaluators.0.solver.nodes"),
    ({"evaluators": [{"solver": {"nodes": False}}]}, "evaluators.0.solver.nodes"),
    ({"evaluators": [{"solver": {"nodes": 10**12}}]}, "evaluators.0.solver.nodes"),
    ({"evaluators": [{"solver": {"time": 3}}]}, "evaluators.0.solver.time"),
    ({"evaluators": ["club"]}, "evaluators.0"),
    ({"deals": {"first": -1, "count": 3}}, "deals.first"),
    ({"deals": {"first": 2**64, "count": 1}}, "deals.first"),
    ({"deals": {"first": 2**64 - 1, "count": 2}}, "deals.count"),
    ({"deals": {"first": 1, "count": 0}}, "deals.count"),
    ({"deals": {"first": 1, "count": False}}, "deals.count"),
    ({"deals": {"first": 1, "count": "3"}}, "deals.count"),
    ({"deals": {"first": 1.5, "count": 3}}, "deals.first"),
    ({"deals": {"first": 1, "count": 3, "step": 2}}, "deals.step"),
    ({"deals": {"count": 3}}, "deals.first"),
    ({"deals": {"first": 1, "count": 10**9}}, "deals.count"),
    ({"deals": {"seeds": []}}, "deals.seeds"),
    ({"deals": {"seeds": [1, "x"]}}, "deals.seeds.1"),
    ({"deals": {"seeds": [1, "01"]}}, "deals.seeds.1"),
    ({"deals": {"seeds": [2**64]}}, "deals.seeds.0"),
    ({"deals": {"scheme": "bicycle", "first": 1, "count": 1}}, "deals.scheme"),
    ({"deals": {"layouts": [{"columns": [["AS"]]}]}}, "deals.layouts.0"),
    ({"deals": "all"}, "deals"),
    ({"rng": -1}, "rng"),
    ({"rng": True}, "rng"),
    ({"repeats": 0}, "repeats"),
    ({"repeats": 10**6}, "repeats"),
    ({"scoring": ["points"]}, "scoring.0"),
    ({"stop_when": {"half_width": 0}}, "stop_when.half_width"),
    ({"colour": "red"}, "colour"),
    ({"name": 5}, "name"),
]


@pytest.mark.parametrize(("changes", "field"), FAULTS, ids=[f"{f}:{str(c)[:50]}" for c, f in FAULTS])
def test_a_fault_names_its_field(changes: dict[str, Any], field: str) -> None:
    assert fault(**changes)[0] == field


WORDS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"evaluators": [{"player": "expert", "noise": 1.5}]},
        "evaluators.0.noise",
        "expected a whole number from 0 to 100000, not 1.5",
    ),
    (
        {"evaluators": [{"player": "club", "tidies": None}]},
        "evaluators.0.tidies",
        "expected true or false, not None",
    ),
    (
        {"evaluators": [{"player": "club", "kings": ["avoid"]}]},
        "evaluators.0.kings",
        "['avoid'] is not one of level, spaces, with-run, avoid",
    ),
    (
        {"evaluators": [{"player": "club", "noise": [7] * 1000}]},
        "evaluators.0.noise",
        f"expected a whole number from 0 to 100000, not {str([7] * 1000)[:60]}…",
    ),
    ({"evaluators": [{"solver": 5}]}, "evaluators.0.solver", "must be a JSON object"),
    ({"deals": {"first": 1.5, "count": 3}}, "deals.first", "must be a whole number, or must be text"),
    ({"deals": {"first": 1, "count": 0}}, "deals.count", "must be 1 or more"),
    ({"variants": [7]}, "variants.0", "must be text, or must be a JSON object"),
    ({"name": "a\nb"}, "name", "must have no line feeds or other control characters"),
    ({"colour": "red"}, "colour", "there is no such field"),
    ({"scoring": ["points"]}, "scoring.0", "must be 'windows', 'windows-floor', 'solitaire-plus' or 'none'"),
]


@pytest.mark.parametrize(("changes", "field", "words"), WORDS, ids=[f for _, f, _ in WORDS])
def test_a_fault_is_one_in_plain_words(changes: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        plan(**changes)
    assert [(f.field, f.message) for f in caught.value.faults] == [(field, words)]


def test_rows_of_a_job_are_limited() -> None:
    assert fault(Settings(max_units=11))[0] == "deals"
    assert fault(Settings(max_arms=3))[0] == "variants"
    assert fault(Settings(max_seeds=2))[0] == "deals.count"


@pytest.mark.parametrize("body", [None, [], 3, "x"])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(SpecError, match="expected a JSON object"):
        parse_spec(body)


def test_an_empty_body_names_what_is_missing() -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec({})
    assert {f.field for f in caught.value.faults} == {"deals", "variants", "evaluators"}
