"""The job form: what it says is the job, and a job's form says the job again."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.datastructures import FormData

from api.pages.form import JobForm, form_of
from api.pages.job_form import LEVELS
from engine.players import Level
from engine.variants import NAMED, resolve
from evaluation.costs import GUESS_S, guess_s
from evaluation.evaluators import PlayerEvaluator
from evaluation.spec import JobSpec, canonical, parse_spec

JOBS: list[dict[str, Any]] = [
    {"deals": {"first": 1, "count": 5}, "variants": ["spider-1"], "evaluators": [{"player": "club"}]},
    {
        "name": "all of it",
        "deals": {"scheme": "pysolfc", "seeds": ["1", "ms77777"]},
        "variants": ["spider-4", {"base": "spider-4", "name": "relaxed", "stock_deal_over_empty": "allowed"}],
        "evaluators": [
            {"player": "hint"},
            {"solver": {"nodes": 1000, "shorten_nodes": 5}},
            {"solver": {"nodes": 2000}},
        ],
        "rng": 7,
        "repeats": 3,
        "scoring": ["windows", "solitaire-plus"],
        "stop_when": {"half_width": 0.02},
    },
    {"deals": {"first": "12", "count": 2}, "variants": ["scorpion"], "evaluators": [{"solver": {}}]},
]


@pytest.mark.parametrize("body", JOBS, ids=["small", "large", "solver"])
def test_a_repeated_job_is_the_same_job(body: dict[str, Any]) -> None:
    spec = parse_spec(body)
    said, faults = form_of(spec, spec.name).body()
    assert faults == []
    again = parse_spec(said)
    first, second = (canonical(s).replace(b'"first":"12"', b'"first":12') for s in (spec, again))
    assert first.replace(b'"first":"1"', b'"first":1') == second.replace(b'"first":"1"', b'"first":1')


def test_lists_come_from_repeated_fields() -> None:
    data = FormData([("variants", "spider-1"), ("variants", "spider-2"), ("players", "hint"), ("count", "9")])
    form = JobForm.of(data)
    assert form.variants == ("spider-1", "spider-2")
    assert not form.use_solver
    assert form.count == "9"


def test_the_form_has_every_field_of_a_job() -> None:
    body, _ = JobForm(half_width="1", notify="https://example.org/").body()
    assert body.keys() == JobSpec.model_fields.keys()


def test_every_level_has_its_words_and_a_first_guess_of_its_cost() -> None:
    assert set(LEVELS) == set(GUESS_S) == set(Level)


def test_a_first_guess_is_of_the_game_that_is_played() -> None:
    expert = PlayerEvaluator(player="expert")
    guesses = [
        guess_s(resolve(name), expert) for name in ("spiderette-2", "spider-1", "spider-4", "spider-2")
    ]
    assert guesses == sorted(set(guesses)), "one deck, one suit, four suits, two suits: ever slower"
    for variant in NAMED.values():
        for level in Level:
            assert 0 < guess_s(variant, PlayerEvaluator(player=level)) <= guesses[-1]


def test_a_long_list_of_seeds_is_taken_whole() -> None:
    seeds = " ".join(map(str, range(400_000)))
    body, _ = JobForm.of(FormData({"deals": "list", "seeds": seeds})).body()
    assert len(body["deals"]["seeds"]) == 400_000


@pytest.mark.parametrize(
    ("field", "value", "at"),
    [
        ("count", "many", "deals.count"),
        ("repeats", "-1", "repeats"),
        ("rng", "", "rng"),
        ("nodes", "1e6", "nodes"),
        ("custom", "{", "custom"),
        ("others", "nonsense", "others"),
        ("half_width", "wide", "stop_when.half_width"),
    ],
)
def test_faults_name_their_field(field: str, value: str, at: str) -> None:
    base = [
        ("variants", "spider-1"),
        ("use_solver", "1"),
        ("first", "1"),
        ("count", "1"),
        ("rng", "1"),
        ("repeats", "1"),
    ]
    data = FormData([*[(k, v) for k, v in base if k != field], (field, value)])
    _, faults = JobForm.of(data).body()
    assert [f.field for f in faults] == [at]
