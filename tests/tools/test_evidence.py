"""The evidence: the page is what the files give, and a sample of every row comes out again."""

from __future__ import annotations

import pytest

from engine.core import Control
from evaluation.evaluate import evaluate_units
from evaluation.paired import Pairs
from evaluation.versions import engine_version
from tools.evidence import page, store
from tools.evidence.store import (
    LETTERS,
    Arm,
    Slice,
    current,
    job_data,
    job_names,
    load,
    part,
    plan_of,
    spec_hash,
    summarise,
)

HINT = {
    "name": "x",
    "deals": {"first": 1, "count": 2},
    "variants": ["spider-1"],
    "evaluators": [{"player": "hint"}],
}
BOTH = {**HINT, "evaluators": [{"player": "hint"}, {"solver": {"nodes": 1000}}]}
SAMPLE = 2
"""Deals of each arm that are evaluated again."""
RUN = [name for name in job_names() if load(name)]


def test_the_page_is_what_the_files_give() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(), "run: python -m tools.evidence page"


@pytest.mark.parametrize("name", job_names())
def test_every_job_file_can_run(name: str) -> None:
    plan = plan_of(job_data(name))
    assert plan.name == name
    assert plan.source.first == 1


@pytest.mark.parametrize("name", RUN)
def test_slices_follow_one_another(name: str) -> None:
    slices = load(name)
    starts = [s.first for s in slices]
    assert starts == [1 + sum(s.count for s in slices[:i]) for i in range(len(slices))]
    assert all(len(a.outcomes) == s.count for s in slices for a in s.arms)
    assert {s.spec for s in slices} == {spec_hash(job_data(name))}


@pytest.mark.parametrize("name", RUN)
def test_a_sample_comes_out_again(name: str) -> None:
    data, item = job_data(name), load(name)[0]
    if not current(data, item, engine_version()):
        made = ", ".join(sorted({a.weights for a in item.arms}))
        pytest.skip(
            f"{name} was made with {made}; this is {engine_version()}: run python -m tools.evidence run"
        )
    plan = plan_of(part(data, item.first, SAMPLE))
    for arm, kept in zip(plan.arms, item.arms, strict=True):
        rows = evaluate_units(plan.source, arm, plan.spec, range(SAMPLE), Control())
        again = "".join(LETTERS[r.outcome] for r in rows if r is not None)
        assert (arm.variant.key, again) == (kept.variant_key, kept.outcomes[:SAMPLE]), arm.evaluator.label


def rows(arm: int, *outcomes: str, engine: str = "0.1.0-p7-s5") -> list[dict[str, object]]:
    return [
        {"arm": arm, "seed": str(i), "outcome": o, "nodes": 10 * i, "seconds": 0.5, "engine": engine}
        for i, o in enumerate(outcomes, 1)
    ]


def slice_of(data: dict[str, object], engine: str, *outcomes: str) -> Slice:
    plan = plan_of(data)
    found = [row for arm in plan.arms for row in rows(arm.number, *outcomes, engine=engine)]
    return Slice(1, 2, spec_hash(data), engine, "here", 1.0, summarise(plan, found, engine))


def test_a_slice_keeps_a_letter_a_deal_by_seed_whatever_the_order_of_the_rows() -> None:
    arm = summarise(plan_of(HINT), rows(0, "won", "stuck")[::-1], "0.1.0-p7-s5")[0]
    assert (arm.outcomes, arm.weights, arm.seconds) == ("Ws", "p7", 1.0)


def test_rows_that_are_missing_or_of_another_engine_are_refused() -> None:
    with pytest.raises(ValueError, match="has 1 rows, not 2"):
        summarise(plan_of(HINT), rows(0, "won"), "0.1.0-p7-s5")
    with pytest.raises(ValueError, match=r"not 2 of 0\.1\.0-p8-s5"):
        summarise(plan_of(HINT), rows(0, "won", "won"), "0.1.0-p8-s5")


def test_a_slice_stays_good_while_what_it_depends_on_is_unchanged() -> None:
    item = slice_of(HINT, "0.1.0-p7-s5", "won", "won")
    assert current(HINT, item, "0.1.0-p7-s6")
    assert not current(HINT, item, "0.1.0-p8-s5")
    assert not current(BOTH, slice_of(BOTH, "0.1.0-p7-s5", "failed", "failed"), "0.1.0-p7-s6")
    assert not current({**HINT, "rng": 2}, item, "0.1.0-p7-s5")


@pytest.mark.parametrize(("made", "same"), [("p4", False), ("p5", True), ("p8", True), ("p9", False)])
def test_a_slice_stays_good_for_a_level_that_plays_on_as_it_did(
    made: str, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "since", lambda level: {"hint": 5}[level])
    item = slice_of(HINT, f"0.1.0-{made}-s5", "won", "won")
    assert current(HINT, item, "0.1.0-p8-s5") is same


def found(outcomes: str) -> page.Known:
    arm = Arm("spider-1", "key", "player:hint", "p7", outcomes, (1, 1, 1), 1.0)
    return page.known("x", [Slice(1, len(outcomes), "", "e", "here", 1.0, (arm,))])[0]


def test_pairs_count_open_deals_apart_and_leave_out_failed_ones() -> None:
    assert page.pairs(found("WWsdS?F"), found("SUWp?WW")) == Pairs(1, 1, 1, 1, 2)


def test_arms_that_share_no_deals_are_refused() -> None:
    with pytest.raises(ValueError, match="share no deals"):
        page.pairs(found("F"), found("W"))
