"""Players from other packages: found by entry point, shown only what lies open, judged and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint

import pytest

from engine import guests
from engine.deals import deal
from engine.guests import View
from engine.honesty import first_fault
from engine.moves import Action, StockDeal, Tableau
from engine.players import Ending, PlayerError, PlayerSpec, catalog, check_player, play_batch
from engine.variants import NAMED, Variant

SPIDER = NAMED["spider-2"]


class Tidy:
    """Joins in suit where it can, else deals: the example of docs/player.md."""

    def __init__(self, variant: Variant, rng: int, *, eager: bool = False) -> None:
        self.eager = eager

    def choose(self, view: View) -> Action | None:
        for action in view.actions:
            if isinstance(action, Tableau) and self.joins(view, action):
                return action
        return StockDeal() if StockDeal() in view.actions else None

    @staticmethod
    def joins(view: View, move: Tableau) -> bool:
        source, target = view.columns[move.source], view.columns[move.target]
        base = source[-move.count]
        under = source[-move.count - 1] if len(source) > move.count else None
        if not target or base is None or target[-1] is None:
            return False
        fits = target[-1].suit == base.suit
        return fits and not (under is not None and under.suit == base.suit and under.rank == base.rank + 1)


class Shuffler:
    """Moves cards to and fro for ever."""

    def __init__(self, variant: Variant, rng: int) -> None:
        self.turn = 0

    def choose(self, view: View) -> Action | None:
        moves = [a for a in view.actions if isinstance(a, Tableau)]
        self.turn += 1
        return moves[self.turn % len(moves)] if moves else None


class Cheat:
    """Plays an action that nobody offered."""

    def __init__(self, variant: Variant, rng: int) -> None:
        pass

    def choose(self, view: View) -> Action | None:
        return Tableau(0, 1, 13)


class Peeker(Tidy):
    """Is given the deal by its author and acts on it: what the honesty check is for."""

    secret: Sequence[int] = ()

    def choose(self, view: View) -> Action | None:
        moves = [a for a in view.actions if isinstance(a, Tableau)]
        return moves[sum(type(self).secret) % len(moves)] if moves else None


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    here = "tests.engine.test_guests"
    points = [
        EntryPoint(name, f"{here}:{name.title()}", guests.GROUP)
        for name in ("tidy", "shuffler", "cheat", "peeker")
    ]
    monkeypatch.setattr(guests, "entry_points", lambda group: points if group == guests.GROUP else [])
    guests.installed.cache_clear()
    yield
    guests.installed.cache_clear()


def play(name: str, worlds: Sequence[bytes]) -> list[tuple[int, ...]]:
    games = play_batch(SPIDER, worlds, PlayerSpec(name), [0] * len(worlds))
    return [game.moves for game in games if game is not None]


def test_a_guest_plays_to_an_ending_and_is_listed() -> None:
    [game] = play_batch(SPIDER, [deal(SPIDER, 5).packed()], PlayerSpec("tidy"), [0])
    assert game is not None
    assert game.ending in (Ending.NO_PROGRESS, Ending.DEAD, Ending.STUCK)
    assert game.stock_deals == 5
    assert [info.name for info in catalog()][-4:] == ["cheat", "peeker", "shuffler", "tidy"]


def test_a_guest_sees_no_face_down_card_and_no_stock_order() -> None:
    position = deal(SPIDER, 5)
    seen = guests.view_of(SPIDER, guests.Position.of(position), [])
    for column, down in zip(seen.columns, position.face_down, strict=True):
        assert all(card is None for card in column[:down])
        assert all(card is not None for card in column[down:])
    assert sum(seen.unseen.values()) == len(position.stock) + sum(position.face_down)


def test_an_honest_guest_passes_the_honesty_check() -> None:
    assert first_fault(SPIDER, deal(SPIDER, 5).packed(), lambda w: play("tidy", w)) is None


def test_a_guest_that_knows_the_deal_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests, "IDLE_LIMIT", 50)  # it tells itself by its first actions

    def peeking(worlds: Sequence[bytes]) -> list[tuple[int, ...]]:
        out = []
        for world in worlds:
            Peeker.secret = world[-50:-40]
            out += play("peeker", [world])
        return out

    # The sum of ten unseen cards is the same in few shuffles only.
    assert first_fault(SPIDER, deal(SPIDER, 5).packed(), peeking, shuffles=8) is not None


def test_a_guest_that_runs_in_circles_is_stopped() -> None:
    [moves] = play("shuffler", [deal(SPIDER, 5).packed()])
    assert guests.IDLE_LIMIT <= len(moves) < 60 * guests.IDLE_LIMIT


def test_an_illegal_action_is_told_with_the_position_as_seen() -> None:
    with pytest.raises(PlayerError, match=r"cheat wants the illegal action 1>2x13 in\n 1: \?\?"):
        play("cheat", [deal(SPIDER, 5).packed()])


def test_a_guest_may_have_options_of_its_own() -> None:
    check_player(SPIDER, "tidy", {"eager": True})
    with pytest.raises(PlayerError, match="tidy does not take these options"):
        check_player(SPIDER, "tidy", {"speed": 3})


def test_an_unknown_player_is_told_who_there_is() -> None:
    with pytest.raises(PlayerError, match="'nobody' is not one of hint, novice, casual, club, expert, cheat"):
        check_player(SPIDER, "nobody", {})


def test_a_guest_may_not_take_the_name_of_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests, "entry_points", lambda group: [EntryPoint("club", "x:y", group)])
    guests.installed.cache_clear()
    with pytest.raises(PlayerError, match="takes the name of the shipped level 'club'"):
        catalog()
