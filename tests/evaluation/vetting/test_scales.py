"""Which scale rates a game, and what an editor is told of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.deals import deal
from engine.players import play_batch
from engine.variants import resolve
from evaluation.db import Database
from evaluation.versions import engine_version
from evaluation.vetting.fit import FIRST_SEED
from evaluation.vetting.scalefile import read_sample, shipped
from evaluation.vetting.scales import SAMPLE, Chosen, scale_for, store


def test_a_scale_of_the_ledger_goes_before_the_shipped_one(lite: Database) -> None:
    game = resolve("spider-1")
    with lite.write() as conn:
        shipped = scale_for(conn, game).scale
        store(conn, replace(shipped, cuts=(-1.0, 0.0, 1.0)), SAMPLE, 1.0, "eve")
        assert scale_for(conn, game).scale.cuts == (-1.0, 0.0, 1.0)


def test_only_other_players_make_a_scale_stale(lite: Database) -> None:
    with lite.read() as conn:
        scale = scale_for(conn, resolve("spider-1")).scale
    players = engine_version().rpartition("-s")[0]
    assert Chosen(replace(scale, engine=f"{players}-s999"), True).remarks == ()
    stale = Chosen(replace(scale, engine="0.0.1-p0-s0"), True).remarks
    assert "until it is remade" in stale[0]
    assert "nearest game" in Chosen(replace(scale, engine=engine_version()), False).remarks[0]


@pytest.mark.parametrize("name", ["spider-1", "spider-2", "spider-4"])
def test_the_raters_of_this_version_play_the_samples_games(name: str) -> None:
    """The scale's engine says so; a release whose raters play otherwise needs its scales remade."""
    scale = next(s for s in shipped().values() if s.variant == name)
    first = deal(name, FIRST_SEED)
    for rater, row in zip(scale.raters, read_sample(name)[0], strict=True):
        numbers = list(range(1, sum(row) + 1))
        games = play_batch(first.variant, [first.packed()] * sum(row), rater.spec, numbers, judge=False)
        again = [0] * len(row)
        for game in games:
            assert game is not None
            again[rater.category(game.sequences)] += 1
        assert again == row, rater.label
