"""The evidence: the page is what the files give, and a sample of every row comes out again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.core import Control
from engine.variants import NAMED
from evaluation.evaluate import evaluate_units
from evaluation.paired import Pairs
from evaluation.stats import Interval
from evaluation.versions import engine_version
from tools.evidence import known, page, store, tables
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
    assert page.PAGE.read_text("utf-8") == page.page(), "run: make evidence"
    assert page.OPEN.read_text("utf-8") == page.open_file(), "run: make evidence"


@pytest.mark.parametrize("name", job_names())
def test_every_job_file_can_run(name: str) -> None:
    plan = plan_of(job_data(name))
    assert plan.name == name
    assert plan.source.first == 1


def test_every_named_game_has_its_jobs() -> None:
    wanted = {f"{kind}-{name}" for kind in ("solve", "play", "expert") for name in NAMED}
    assert wanted | set(tables.QUESTIONS) == set(job_names())


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
    monkeypatch.setattr(store, "since", lambda level, _: {"hint": 5}[level])
    item = slice_of(HINT, f"0.1.0-{made}-s5", "won", "won")
    assert current(HINT, item, "0.1.0-p8-s5") is same


def found(outcomes: str, evaluator: str = "player:hint", variant: str = "spider-1") -> known.Known:
    arm = Arm(variant, "key", evaluator, "p7", outcomes, (1, 1, 1), 1.0)
    item = Slice(1, len(outcomes), "", "e", "here", 1.0, (arm,))
    return known.known("x", [item], len(outcomes))[0]


def test_pairs_count_open_deals_apart_and_leave_out_failed_ones() -> None:
    assert known.pairs(found("WWsdS?F"), found("SUWp?WW")) == Pairs(1, 1, 1, 1, 2)


def test_arms_that_share_no_deals_are_refused() -> None:
    with pytest.raises(ValueError, match="share no deals"):
        known.pairs(found("F"), found("W"))


def test_arms_tell_how_many_deals_each_version_of_the_weights_did() -> None:
    first, second = (Arm("spider-1", "key", "player:hint", w, "Ws", (1, 1, 1), 0.5) for w in ("p8", "p9"))
    slices = [Slice(1, 2, "", "e8", "", 1.0, (first,)), Slice(3, 2, "", "e9", "", 1.0, (second,))]
    both = known.known("x", slices, 10)[0]
    assert tables.versions(both) == "p8 (2), p9 (2)"
    assert (both.outcomes, both.engines, both.seconds) == (
        {1: "W", 2: "s", 3: "W", 4: "s"},
        ("e8", "e9"),
        1.0,
    )


def test_advice_is_held_against_the_same_player_without_it_and_rules_against_the_first_variant() -> None:
    advised = [
        found("W", evaluator, variant)
        for variant in ("spider-2", "spider-4")
        for evaluator in ("player:club", "player:club(suit=suit)")
    ]
    rules = [found("W", e, v) for v in ("spider-4", "long~1a") for e in ("player:club", "solver:5")]
    assert [(c.label, c.usual_label) for c in known.contrasts(advised)] == [
        ("spider-2, suit=suit", "spider-2, plain"),
        ("spider-4, suit=suit", "spider-4, plain"),
    ]
    assert [(c.label, c.usual_label, c.by) for c in known.contrasts(rules)] == [
        ("long", "spider-4", "player:club"),
        ("long", "spider-4", "solver:5"),
    ]


def test_a_contrast_is_new_less_usual() -> None:
    contrast = known.Contrast(found("sss"), found("WWs"))
    assert contrast.pairs.difference == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("lo", "hi", "apart"), [(0.1, 0.2, True), (0.9, 1.0, True), (0.1, 0.5, False), (None, None, None)]
)
def test_a_published_figure_is_apart_where_it_and_the_interval_exclude_each_other(
    lo: float | None, hi: float | None, apart: bool | None
) -> None:
    item = tables.Published("", "", "", "", "", lo=lo, hi=hi)
    assert item.apart(Interval(0.4, 0.6)) is apart


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "100.0 %"), (0.99987, "99.99 %"), (0.5, "50.0 %"), (0.0003, "0.03 %"), (0, "0.0 %")],
)
def test_a_share_that_is_not_all_is_not_rounded_to_all(value: float, text: str) -> None:
    assert tables.share(value) == text


def test_a_page_of_jobs_that_all_have_run_has_a_figure_for_every_game_and_question(tmp_path: Path) -> None:
    shutil.copytree(store.ROOT, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("runs"))
    (tmp_path / "runs").mkdir()
    for name in job_names(tmp_path):
        plan = plan_of(job_data(name, tmp_path))
        arms = tuple(
            Arm(a.variant.label, "key", a.evaluator.label, "w1", _fate(a.evaluator.label), (1, 2, 3), 4.0)
            for a in plan.arms
        )
        store.save(name, (Slice(1, 4, "", "e", "here", 1.0, arms),), tmp_path)
    text = page.page(tmp_path)
    assert text.count("2 of 4, ") == len(NAMED)
    assert all(f"| {name} | club | expert | 4 | " in text for name in NAMED)
    assert all(f"| {name} | expert | solver | 2 | " in text for name in NAMED)
    assert all(f"[{question}]" in text for question in tables.QUESTIONS.values())
    assert "spider-4, least_filler=true" in text
    assert "**spider-4, every card known**: 1 of 4 deals are solved, 1 are proved lost, 2 open" in text
    assert text.endswith("Every job has begun.\n")
    assert len(page.open_file(tmp_path).splitlines()) == 1 + 2 * len(NAMED)


def _fate(evaluator: str) -> str:
    return "SU??" if evaluator.startswith("solver") else "WsWs"


@pytest.fixture(scope="module")
def jobs() -> known.Jobs:
    return known.known_jobs(store.ROOT)


@pytest.mark.parametrize("variant", NAMED)
def test_no_player_wins_a_deal_that_is_proved_lost(variant: str, jobs: known.Jobs) -> None:
    arms = [arm for job in jobs.values() for arm in job if arm.variant == variant]
    lost = {seed for arm in arms for seed, letter in arm.outcomes.items() if letter == "U"}
    won = {seed for arm in arms for seed, letter in arm.outcomes.items() if letter in "WS"}
    assert not lost & won
