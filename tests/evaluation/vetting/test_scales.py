"""Which scale rates a game, and what an editor is told of it."""

from __future__ import annotations

from dataclasses import replace

from engine.variants import resolve
from evaluation.db import Database
from evaluation.versions import engine_version
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
