"""Players' games of a daily: judged, counted once, refused where they are not what they say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from engine.deals import deal
from engine.endings import Ending
from engine.scoring import WINDOWS_START
from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.vetting import clock, publishing, refit, replays
from evaluation.vetting.errors import NotFoundError, ReplayRefusedError, TooManyError
from evaluation.vetting.replays import Accepted, Replay
from evaluation.vetting.scale import Curve
from tests.support.vetting import published, solution_of

DAY = date(2031, 3, 1)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The ledger's clock; ``at.time`` moves it."""
    moved = SimpleNamespace(time=clock.begins(DAY) + 3600)
    for module in (clock, publishing, replays):
        monkeypatch.setattr(module, "now", lambda conn: moved.time)
    return moved


@pytest.fixture
def daily(lite: Database, settings: Settings, quick: str, at: SimpleNamespace) -> list[str]:
    """The moves that win the published daily of DAY."""
    published(lite, settings, quick, DAY)
    return solution_of(lite, quick, DAY)


def send(
    lite: Database, settings: Settings, moves: Sequence[str], player: str = "p1", **more: Any
) -> Accepted:
    return replays.submit(
        lite, settings, "quick", DAY, Replay(player, tuple(moves), more.pop("claims", {}), **more)
    )


def test_a_win_is_judged_and_shared_without_spoilers(
    lite: Database, settings: Settings, daily: list[str]
) -> None:
    got = send(lite, settings, daily, seconds=123.5, claims={"won": True, "moves": len(daily)})
    assert (got.judgement.won, got.first, got.late, got.seconds) == (True, True, False, 123.5)
    assert got.score == WINDOWS_START + 800 - len(daily)
    assert got.share.splitlines() == [
        f"quick 2031-03-01 ({got.difficulty})",
        "■■■■■■■■ won",
        f"{got.score} points · 8/8 sequences · {len(daily)} moves · 0 undos",
    ]
    assert ">" not in got.share


def test_undos_cost_and_are_counted_apart(lite: Database, settings: Settings, daily: list[str]) -> None:
    got = send(lite, settings, [daily[0], "undo", *daily])
    assert (got.judgement.moves, got.judgement.undos) == (len(daily) + 1, 1)
    assert got.score == WINDOWS_START + 800 - len(daily) - 2
    assert got.share.endswith(f" · {len(daily) + 1} moves · 1 undo")


def test_a_resigned_game_counts_as_not_won(lite: Database, settings: Settings, daily: list[str]) -> None:
    got = send(lite, settings, [*daily[:10], "resign"])
    assert got.judgement.ending is Ending.RESIGNED
    assert not got.judgement.won


def test_a_cut_game_is_refused_where_it_ends(lite: Database, settings: Settings, daily: list[str]) -> None:
    with pytest.raises(ReplayRefusedError, match="cut off") as error:
        send(lite, settings, daily[:-1])
    assert error.value.entry == len(daily)


def test_a_doctored_game_is_refused_with_the_move_that_fails(
    lite: Database, settings: Settings, daily: list[str]
) -> None:
    moves = [*daily]
    del moves[5]
    with pytest.raises(ReplayRefusedError, match=r"entry \d+ \(.*\) is not allowed") as error:
        send(lite, settings, moves)
    assert error.value.entry is not None
    assert error.value.entry >= 6
    assert "??" in error.value.shown or "stock" in error.value.shown


def test_a_game_of_another_deal_is_refused(lite: Database, settings: Settings, daily: list[str]) -> None:
    with pytest.raises(ReplayRefusedError, match="another deal: the cards"):
        send(lite, settings, daily, deal=deal("spider-1", 1))
    with pytest.raises(ReplayRefusedError, match="spidervet:spider-1:1; this daily is"):
        send(lite, settings, daily, id="spidervet:spider-1:1")


def test_claims_must_be_true(lite: Database, settings: Settings, daily: list[str]) -> None:
    for claims in ({"won": False}, {"score": 1300}, {"moves": 3}, {"undos": 1}):
        with pytest.raises(ReplayRefusedError, match="it claims"):
            send(lite, settings, daily, claims=claims)


def test_only_the_first_attempt_of_the_day_is_in_the_table(
    lite: Database, settings: Settings, daily: list[str], at: SimpleNamespace
) -> None:
    assert send(lite, settings, ["resign"], "ann").attempt == 1
    assert send(lite, settings, daily, "ann").attempt == 2
    send(lite, settings, daily, "bob")
    at.time = clock.ends(DAY) + 1
    late = send(lite, settings, daily, "late")
    assert late.late
    with lite.read() as conn:
        table = replays.results(conn, publishing.served(conn, "quick", DAY))
    assert (table.players, table.wins, table.later_attempts) == (2, 1, 1)
    assert (table.late, table.late_wins) == (1, 1)
    assert [line.won for line in table.top] == [True, False]
    assert table.interval.lo < 0.5 < table.interval.hi


def test_a_players_id_is_not_kept(lite: Database, settings: Settings, daily: list[str]) -> None:
    send(lite, settings, daily, "ann@example.org")
    with lite.read() as conn:
        stored = conn.connection.execute("select player from vet_replays").fetchone()[0]
    assert stored == replays.player_hash("quick", "ann@example.org")
    assert stored != replays.player_hash("other", "ann@example.org")


def test_attempts_are_bounded(lite: Database, settings: Settings, daily: list[str]) -> None:
    few = settings.model_copy(update={"replay_attempts": 2})
    for _ in range(2):
        send(lite, few, ["resign"])
    with pytest.raises(TooManyError, match="2 are allowed"):
        send(lite, few, daily)
    send(lite, few, daily, "another player")


def test_a_day_to_come_takes_no_replays(
    lite: Database, settings: Settings, daily: list[str], at: SimpleNamespace
) -> None:
    at.time = clock.begins(DAY) - 1
    with pytest.raises(NotFoundError):
        send(lite, settings, daily)


def test_a_move_that_is_no_move_is_named() -> None:
    with pytest.raises(ReplayRefusedError, match=r"entry 2: '3>x' is no move"):
        replays.checked_moves(["3>4", "3>x"])


def test_refitting_follows_what_people_win() -> None:
    truth, before = Curve(1.0, -0.5), Curve(1.4, 0.6)
    days = [
        refit.Played(f"2031-03-{i + 1:02}", b, 400, round(400 * truth.at(b)))
        for i, b in enumerate((-1.5, -0.7, -0.2, 0.3, 0.9, 1.6))
    ]
    after = refit.fit_people(days, before)
    assert refit.log_loss(days, after) < refit.log_loss(days, before)
    assert all(abs(after.at(d.b) - truth.at(d.b)) < 0.04 for d in days)
    few = [refit.Played(d.date, d.b, 2, round(2 * truth.at(d.b))) for d in days]
    held = refit.fit_people(few, before)
    assert all(abs(held.at(d.b) - before.at(d.b)) < 0.12 for d in days), "a few games change little"


def test_refitting_wants_enough_games(lite: Database, settings: Settings, daily: list[str]) -> None:
    send(lite, settings, daily)
    with pytest.raises(refit.TooLittleDataError, match="1 first attempt on 1 day of"):
        refit.refit(lite, "quick", "eve")
