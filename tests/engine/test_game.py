"""Each rule field in a position where it decides, on the reference and the native rules at once."""

from __future__ import annotations

import pytest

from engine.endings import Outlook
from engine.game import movable
from engine.variants import resolve
from tests.engine.boards import board, position, run

STOCK10 = "2S 2H 2D 2C 3S 3H 3D 3C 4S 4H"


def test_moves_come_by_source_then_count_then_target_then_removals_then_the_deal() -> None:
    table = board(
        ["9S 8S", "9H", f"KH {run('S')}", ""], stock="2S 3S 4S 5S", sequence_removal="optional", off=1,
        stock_deal_over_empty="allowed",
    )  # fmt: skip
    assert table.moves[:5] == ["1>2", "1>4", "1>4x2", "2>4", "3>4"]
    assert table.moves[-3:] == ["3>4x13", "remove 3", "deal"]


def test_build_any_suit_takes_every_suit_and_same_suit_only_its_own() -> None:
    columns = ["8S", "9H", "9S"]
    assert "1>2" in board(columns).moves
    table = board(columns, build="same-suit")
    assert table.moves == ["1>3"]
    assert table.refused("1>2") == "8S does not go on 9H: this game builds in suit"


def test_nothing_goes_on_an_ace_and_a_king_on_no_card() -> None:
    table = board(["KS", "AS", "2H"])
    assert table.moves == ["2>3"]
    assert table.refused("1>2") == "KS goes on no card: it has the highest rank"
    assert table.refused("3>2") == "2H does not go on AS: it needs a card one rank higher, 3"


def test_group_move_same_suit_lifts_a_run_of_one_suit() -> None:
    table = board(["9H 8S 7S", "9D", "8D"])
    assert table.moves == ["1>3", "1>2x2", "3>2"]
    assert table.refused("1>3x3") == "9H 8S 7S in column 1 is not a same-suit run"


def test_group_move_any_suit_lifts_a_run_of_any_suits() -> None:
    table = board(["JD 9H 8S 7D", "TC", "8C"], group_move="any-suit")
    assert table.moves == ["1>3", "1>2x3"]
    assert table.refused("1>2x4") == "JD 9H 8S 7D in column 1 is not a run going down by one rank"


def test_group_move_any_face_up_lifts_a_card_with_all_on_it() -> None:
    table = board(["(2H) 5S KD 9H", "6S", "6H"], group_move="any-face-up", build="same-suit")
    assert table.moves == ["1>2x3"]
    assert table.play("1>2x3").column(1) == "2H"
    assert board(["(2H) 5S KD 9H", "6S", "6H"], group_move="any-face-up").moves == ["1>2x3", "1>3x3"]


@pytest.mark.parametrize(
    ("rule", "legal"), [("forbidden", False), ("allowed", True), ("allowed-when-short", False)]
)
def test_stock_deal_over_empty_columns(rule: str, legal: bool) -> None:
    table = board(["KS", "KH QH", ""], stock="AS AH AD", stock_deal_over_empty=rule)
    assert ("deal" in table.moves) is legal
    if not legal:
        assert table.refused("deal") == "column 3 is empty: fill it before dealing"


@pytest.mark.parametrize(
    ("rule", "legal"), [("forbidden", False), ("allowed", True), ("allowed-when-short", True)]
)
def test_stock_deal_with_fewer_cards_than_columns(rule: str, legal: bool) -> None:
    table = board(["KS", "KH", ""], stock="AS AH AD", stock_deal_over_empty=rule)
    assert ("deal" in table.moves) is legal
    if not legal:
        assert "2 cards are left for 3 columns: the stock can never be dealt again" in table.refused("deal")
        assert table.outlook() is Outlook.DEAD


def test_several_empty_columns_are_all_named() -> None:
    table = board(["KS QS JS", "", ""], stock="AS AH AD")
    assert table.refused("deal") == "columns 2, 3 are empty: fill them before dealing"


def test_the_stock_deals_its_first_card_to_the_leftmost_column_and_turns_nothing_up() -> None:
    table = board(["(2H) KS", "KH", "KD"], stock="AS AH AD 2S").play("deal")
    assert [table.column(i) for i in (1, 2, 3)] == ["(2H) KS AS", "KH AH", "KD AD"]
    assert [str(card) for card in table.now.stock] == ["2S"]
    assert table.play("deal").column(1) == "(2H) KS AS 2S"
    assert table.refused("deal") == "the stock is empty"


def test_a_short_last_deal_goes_to_the_leftmost_columns_but_asks_that_all_hold_a_card() -> None:
    table = board(["KS", "KH", "KD", "KC"], stock="AS AH").play("deal")
    assert [table.column(i) for i in (1, 2, 3, 4)] == ["KS AS", "KH AH", "KD", "KC"]
    assert "deal" not in board(["KS 2S", "KH", "KD", ""], stock="AS AH").moves
    assert (
        board(["KS 2S", "KH", "KD", ""], stock="AS AH", stock_deal_over_empty="allowed")
        .play("deal")
        .column(4)
        == ""
    )


def test_automatic_removal_takes_the_sequence_and_optional_waits_for_the_hand() -> None:
    columns = [f"(5H) {run('S', 'K', '2')}", "9D AS"]
    automatic = board(columns, off=1).play("2>1")
    assert (automatic.column(1), automatic.now.off) == ("5H", 2)
    assert automatic.refused("remove 1") == "complete sequences leave by themselves in this game"
    optional = board(columns, off=1, sequence_removal="optional").play("2>1")
    assert optional.now.off == 1
    assert optional.moves[-1] == "remove 1"
    assert optional.play("remove 1").column(1) == "5H"
    assert optional.now.off == 2


def test_a_removal_by_hand_needs_a_whole_sequence() -> None:
    table = board(
        [run("S", "K", "2"), run("H", "Q", "A"), f"(KD) {run('D', 'Q', 'A')}"], sequence_removal="optional"
    )
    for column in (1, 2, 3):
        reason = f"column {column} does not end in a complete face-up K to A of one suit"
        assert table.refused(f"remove {column}") == reason
    assert table.refused("remove 4") == "there is no column 4: columns are 1 to 3"


def test_a_complete_sequence_may_be_split_where_removal_is_optional() -> None:
    table = board([run("S"), "2H", ""], sequence_removal="optional", off=1)
    assert "1>2" in table.moves
    assert "1>3x12" in table.moves


@pytest.mark.parametrize(("rule", "moves"), [("any", ["1>2", "3>2"]), ("kings", ["3>2"]), ("nothing", [])])
def test_what_an_empty_column_accepts(rule: str, moves: list[str]) -> None:
    table = board(["9H 5S", "", "9C KD"], empty_column_accepts=rule, stock_deal_over_empty="allowed")
    assert table.moves == moves
    if rule == "kings":
        assert table.refused("1>2") == "5S does not go into empty column 2: only a K does"
    if rule == "nothing":
        assert "nothing goes into empty columns" in table.refused("3>2")


def test_in_a_mini_game_its_highest_rank_is_king() -> None:
    table = board(["2S 3S", "", "2S"], ranks=3, empty_column_accepts="kings", stock_deal_over_empty="allowed")
    assert table.moves == ["1>2", "3>1"]


def test_whole_column_to_empty_may_be_forbidden() -> None:
    columns = ["9H 8H", "", "(2C) 5S", "KD"]
    assert board(columns).moves == ["1>2", "1>2x2", "3>2", "4>2"]
    table = board(columns, whole_column_to_empty="forbidden")
    assert table.moves == ["1>2", "3>2"]
    assert table.refused("4>2") == "all of column 4 may not move into an empty column in this game"
    assert table.play("3>2").column(3) == "2C"


def test_a_move_onto_its_own_column_is_refused() -> None:
    table = board(["9H 8H", "8S"])
    assert table.refused("1>1") == "column 1 cannot move onto itself"
    assert table.refused("1>1x2") == "column 1 cannot move onto itself"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("4>1", "there is no column 4: columns are 1 to 3"),
        ("1>9", "there is no column 9: columns are 1 to 3"),
        ("2>1", "column 2 is empty"),
        ("1>2x5", "column 1 holds 3 cards, not 5"),
        ("1>2x3", "column 1 has 2 face-up cards, not 3: face-down cards stay"),
    ],
)
def test_impossible_moves_say_what_is_wrong(move: str, reason: str) -> None:
    assert board(["(3C) 9H 8H", "", "8S"]).refused(move) == reason


def test_a_card_that_becomes_an_end_turns_up_and_undo_turns_it_down_again() -> None:
    table = board(["(3C) (4C) 8H", "9H"]).play("1>2")
    assert table.column(1) == "(3C) 4C"
    assert table.play("undo").column(1) == "(3C) (4C) 8H"


def test_won_the_moment_the_last_sequence_is_off() -> None:
    table = board(["AS", run("S", "K", "2")], off=7).play("1>2")
    assert table.outlook() is Outlook.WON
    assert table.moves == []
    assert table.refused("1>2") == "the game is already won"


def test_stuck_means_that_no_action_is_legal() -> None:
    table = board(["KS", "KH", "KD"])
    assert table.outlook() is Outlook.STUCK
    assert board(["KS", "KH", "KD"], stock="AS").outlook() is not Outlook.STUCK


def test_dead_means_that_no_line_turns_up_finishes_or_deals() -> None:
    # The nine can go to and fro between the tens for ever.
    table = board(["TS 9S", "TH", "KD"])
    assert table.moves == ["1>2"]
    assert table.outlook() is Outlook.DEAD
    assert board(["(2C) TS 9S", "TH", "KD"]).outlook() is Outlook.DEAD
    assert board(["(2C) 9S", "TH", "KD"]).outlook() is Outlook.ALIVE


def test_dead_is_not_said_past_the_bound() -> None:
    table = board(["TS 9S", "TH 8S", "KD", ""])
    assert table.outlook(bound=2) is Outlook.UNKNOWN
    assert table.outlook(bound=5000) is Outlook.DEAD


def test_movable_counts_the_run_at_the_end() -> None:
    table = position(["(KS) QS JS TS 9H 8H", ""])
    spider, widow, scorpion = (resolve(name) for name in ("spider-4", "black-widow", "scorpion"))
    assert [movable(v, table, 0) for v in (spider, widow, scorpion)] == [2, 5, 5]
    assert movable(spider, table, 1) == 0


def test_sequences_that_are_complete_at_the_start_leave_at_once() -> None:
    table = board([f"(9D) {run('H')}", run("S"), "KD"], off=1)
    assert (table.now.off, table.column(1), table.column(2)) == (3, "9D", "")


def test_sequences_one_under_the_other_leave_together() -> None:
    table = board([f"{run('H')} {run('S', 'K', '2')}", "2D AS"], off=1).play("2>1")
    assert (table.now.off, table.column(1)) == (3, "")
