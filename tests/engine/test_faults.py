"""Faults that people reported in programs of this kind, each by name (docs/rules.md lists them).

Where a fault is covered by a whole test file, the test here is the case as it was reported.
"""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest

from engine.deals import SCHEMES, DealError, deal
from engine.endings import Ending, Outlook
from engine.formats import Format, FormatError, read_deal, write_deal
from engine.formats.dealjson import deal_object
from engine.moves import StockDeal, Undo, action_of
from engine.playing import Game
from engine.position import Position
from engine.proofs import Certificate, search_plainly
from engine.replay import judge
from engine.scoring import windows
from engine.solver import Reason, SolverSpec, Verdict, solve_batch
from engine.variants import NAMED, resolve
from evaluation.stats import wilson, winnability
from tests.engine.boards import Board, board, position, run


def test_pysolfc_369_a_refused_deal_says_why() -> None:
    table = board(["KS QS", "KH", ""], stock="AS AH AD")
    assert table.refused("deal") == "column 3 is empty: fill it before dealing"


def test_pysolfc_340_565_595_not_stuck_while_runs_can_be_split_to_fill_columns_and_deal() -> None:
    table = board(["KS QS JS", "", ""], stock="AS AH AD")
    assert table.outlook() is Outlook.ALIVE
    assert table.play("1>2", "1>3", "deal").now.stock == ()


def test_pysolfc_543_fewer_cards_than_columns_under_the_strict_rule_is_lost() -> None:
    table = board(["KS QS", "", ""], stock="AS AH AD")
    assert table.moves != []
    assert table.outlook() is Outlook.DEAD
    assert (
        board(["KS QS", "", ""], stock="AS AH AD", stock_deal_over_empty="allowed").outlook() is Outlook.ALIVE
    )


def test_pysolfc_3cd6b6ec_42e6288e_undo_leaves_the_verdict_and_a_win_is_told_before_stuck() -> None:
    table = board(["(2C) TS 9S", "TH", "KD"])
    first = table.outlook()
    assert table.play("1>2", "undo").outlook() is first
    last = board(["AS", run("S", "K", "2")], off=7)
    assert last.outlook() is Outlook.ALIVE
    assert last.play("1>2").outlook() is Outlook.WON


def test_pysolfc_163_209_2_0515a01a_a_numbered_deal_is_the_same_at_every_call() -> None:
    for scheme, numbering in SCHEMES.items():
        for name in numbering.variants or NAMED:
            assert deal(name, 17, scheme) == deal(name, "17", scheme)


def test_pysolfc_168_a_deal_that_another_solver_gave_up_is_never_called_unsolvable() -> None:
    made = deal("simple-simon", "98804262199142645760", "pysolfc")
    answer = solve_batch(made.variant, [made.packed()], SolverSpec(nodes=500_000, memory_mb=128))[0]
    assert answer.verdict is Verdict.SOLVED
    game = Game(made.variant, made)
    for code in answer.moves:
        game.enter(action_of(code))
    assert game.won


@pytest.mark.parametrize("nodes", [1, 30, 300])
def test_fc_solve_simple_simon_a_search_that_ran_out_says_unknown_not_unsolvable(nodes: int) -> None:
    made = deal("simple-simon", "98804262199142645760", "pysolfc")
    answer = solve_batch(made.variant, [made.packed()], SolverSpec(nodes=nodes, memory_mb=16))[0]
    assert (answer.verdict, answer.reason) == (Verdict.UNKNOWN, Reason.NODES)
    assert (answer.moves, answer.certificate) == ((), "")


def test_kde_216923_serenity_8079_runs_are_looked_for_after_the_whole_row_in_every_column() -> None:
    table = board([run("S", "K", "2"), "KH", run("D", "K", "2"), "KC"], stock="AS 2H AD 2C", off=1).play(
        "deal"
    )
    assert table.now.off == 3
    assert [table.column(i) for i in (1, 2, 3, 4)] == ["", "KH 2H", "", "KC 2C"]


def test_kde_283519_265857_racket_10_a_face_down_king_is_no_part_of_a_run() -> None:
    table = board([f"(KS) {run('S', 'Q', '2')}", "AS"], off=1).play("2>1")
    assert table.now.off == 1
    optional = board([f"(KS) {run('S', 'Q', 'A')}", "2H"], off=1, sequence_removal="optional")
    assert "remove 1" not in optional.moves


def test_kde_260748_solvitaire_140_a_face_down_card_does_not_move() -> None:
    table = board(["(9S) 8S", "TH", ""])
    assert table.refused("1>2x2") == "column 1 has 1 face-up card, not 2: face-down cards stay"
    assert board(["(9S) 8S", "TS", ""], base="scorpion").refused("1>2x2").endswith("face-down cards stay")


def test_kde_389540_466229_one_card_columns_long_columns_and_long_games_do_no_harm() -> None:
    tall = " ".join(["KS QH"] * 50)
    table = board([tall, "KH", ""])
    for _ in range(120):
        table.play("1>2", "2>1")
    assert len(table.past) == 241
    assert board([f"{tall} 2S", "3S", "AC"]).play("1>2", "3>2").column(3) == ""


def test_kde_190602_results_are_told_apart_by_variant() -> None:
    labels = {str(deal(name, 1).identity) for name in ("spider-1", "spider-2", "spider-4")}
    assert len(labels) == 3


def test_kpat_9eac0ec7_a_file_without_its_suit_count_is_read_or_refused() -> None:
    text = write_deal(deal("spider-2", 3, "kpat"), Format.KPAT)
    assert read_deal(text.replace(' game-type-options="2"', "")).variant is NAMED["spider-2"]
    with pytest.raises(FormatError, match="3' suits"):
        read_deal(text.replace('game-type-options="2"', 'game-type-options="3"'))


def test_gnome_443307_thirteen_cards_of_mixed_suits_are_not_complete() -> None:
    mixed = f"{run('S', 'K', '7')} {run('H', '6', '2')}"
    assert board([mixed, "AH"], off=1).play("2>1").now.off == 1
    assert board([mixed, "AH"], off=1, group_move="any-suit").play("2>1").now.off == 1
    by_hand = board([f"{mixed} AH", "KD"], off=1, sequence_removal="optional")
    assert by_hand.refused("remove 1").endswith("of one suit")


def test_aisleriot_21e4483a_a_face_down_card_that_fits_is_no_part_of_the_run() -> None:
    table = board(["(9S) 8S 7S", "9H", ""])
    assert table.moves == ["1>3", "1>2x2", "1>3x2", "2>3"]


def test_aisleriot_00844656_a_move_onto_its_own_column_is_refused() -> None:
    assert "cannot move onto itself" in board(["9S 8S", "KD"]).refused("1>1")


def test_aisleriot_6836aeb6_18f60ef9_score_and_status_follow_an_undo() -> None:
    made = deal("spider-1", 1)
    game = Game(made.variant, made)
    before = game.position
    played = judge(made.variant, made, ["deal", "undo"])
    assert played.scores[made.variant.scoring] == 500 - 2
    assert (played.stock_deals, played.ending) == (0, Ending.UNFINISHED)
    game.enter(StockDeal())
    game.enter(Undo())
    assert game.position == before


def test_simple_solitaire_7_a_win_is_noticed_on_the_last_run() -> None:
    table = board([run("S", "K", "2"), "AS"], off=7).play("2>1")
    assert table.outlook() is Outlook.WON


def test_simple_solitaire_63_72_t_games_150_moving_to_and_fro_farms_no_points() -> None:
    to_and_fro = [0] * 200
    assert windows(to_and_fro) == 500 - 199
    lost_late, won_early = windows([0] * 150 + [7] * 50), windows([0] * 150 + [8])
    assert lost_late < won_early
    farmed = [0] + [1, 0] * 20
    assert windows(farmed) == 500 - 40


def test_simple_solitaire_39_rates_lie_between_0_and_1() -> None:
    for n in range(30):
        for hits in range(n + 1):
            for interval in (wilson(hits, n), winnability(hits, (n - hits) // 2, n - hits - (n - hits) // 2)):
                assert 0 <= interval.lo <= interval.hi <= 1
    for hits, n in ((5, 4), (1, 0), (-1, 4)):
        with pytest.raises(ValueError, match=f"{hits} hits of {n}"):
            wilson(hits, n)


def test_avalonia_22_moves_to_empty_columns_stay_legal_when_the_stock_is_gone() -> None:
    table = board(["5H 9C", "", "KD"], stock="")
    assert "1>2" in table.moves


def test_vuesolitaire_10_playtime_1_a_mixed_group_is_refused_as_not_a_same_suit_run() -> None:
    assert board(["8H 7S", "9D"]).refused("1>2x2") == "8H 7S in column 1 is not a same-suit run"


def test_t_games_228_errors_name_visible_cards_only() -> None:
    table = board(["(2C) (3C) KD 9H", "(4C) 5S", ""], stock="AC AD AH")
    hidden = {"2C", "3C", "4C", "AC", "AD", "AH"}
    for source, target, count in itertools.product(range(1, 5), range(1, 5), range(1, 6)):
        move = f"{source}>{target}x{count}"
        if not {move, move.removesuffix("x1")} & set(table.moves):
            reason = table.refused(move)
            assert not any(card in reason for card in hidden)
            assert "?" not in reason
    fault = judge(deal("spider-4", 1).variant, deal("spider-4", 1), ["1>1"]).fault
    assert fault is not None
    down = deal("spider-4", 1).columns[0][0]
    assert fault.shown.splitlines()[0].split()[1:6] == ["??"] * 5
    assert str(down) not in fault.reason


def test_fc_solve_2_pysolfc_tests_bad_decks_and_numbers_of_columns_are_refused_with_the_reason() -> None:
    record = deal_object(deal("simple-simon", 1))
    first, *others = record["columns"]
    assert first[0] != others[0][0]
    for columns, face_down, reason in (
        ([[others[0][0], *first[1:]], *others], [0] * 10, f"{others[0][0]} once too often"),
        ([first[:-1], *others], [0] * 10, f"missing: {first[-1]}$"),
        ([first, *others[:-1]], [0] * 9, "9 columns; simple-simon-4 has 10"),
        ([first, *others, []], [0] * 11, "11 columns; simple-simon-4 has 10"),
    ):
        with pytest.raises(FormatError, match=reason):
            read_deal(json.dumps({**record, "columns": columns, "face_down": face_down}))
    with pytest.raises(FormatError, match="the file is empty"):
        read_deal("")


def test_pirate_solitaire_23_a_verdict_comes_with_its_line_or_its_proof() -> None:
    """Deal 101 is lost, which the reference's plain search confirms; deal 2 can be won."""
    simon = NAMED["simple-simon-4"]
    lost, won = (deal(simon, seed, "pysolfc") for seed in (101, 2))
    spec = SolverSpec(nodes=500_000, memory_mb=128)
    proved, solved = solve_batch(simon, [lost.packed(), won.packed()], spec)
    assert (proved.verdict, solved.verdict) == (Verdict.UNSOLVABLE, Verdict.SOLVED)
    assert Certificate.parse(proved.certificate).positions >= 1
    assert search_plainly(simon, lost).winnable is False
    game = Game(simon, won)
    for code in solved.moves:
        game.enter(action_of(code))
    assert game.won


def test_terraforming_mars_1733_a_seed_alone_is_no_identity() -> None:
    identity = deal("spider-4", 1).identity
    assert str(identity) == "spidervet:spider-4:1"
    with pytest.raises(DealError):
        deal("spider-4", 1, "")


def test_optional_removal_wins_where_automatic_removal_cannot() -> None:
    """Six sequences off, a complete spade sequence and K Q J of hearts on the table, ten hearts in stock:
    automatic removal leaves three cards for ten columns and no deal ever (docs/rules.md)."""
    stock = "9H TH 8H 7H 6H 5H 4H 3H 2H AH"
    where = position([run("S"), "KH QH JH", *[""] * 8], stock, off=6)
    spider = NAMED["spider-4"]
    automatic = Board(spider, where)
    assert (automatic.now.off, automatic.now.on_table) == (7, 3)
    assert automatic.outlook() is Outlook.DEAD
    by_hand = Board(resolve({"base": "spider-4", "name": "by-hand", "sequence_removal": "optional"}), where)
    by_hand.play(*(f"1>{column}" for column in range(3, 11)), "deal")
    by_hand.play("1>2", *(f"{column}>2" for column in range(3, 11)), "remove 2")
    by_hand.play(*(f"{column}>1" for column in range(10, 2, -1)), "remove 1")
    assert by_hand.outlook() is Outlook.WON


def test_with_one_suit_any_suit_and_same_suit_groups_are_the_same_game() -> None:
    """[C]: with one suit the box for same-suit moves changes nothing."""
    for name in ("spider-1", "spider44-1", "spiderette-1"):
        same = NAMED[name]
        loose = resolve({**same.record(), "name": "loose", "group_move": "any-suit"})
        for seed in range(5):
            made = deal(same, seed)
            one, two = Board(same, Position.of(made)), Board(loose, Position.of(made))
            for _ in range(60):
                assert one.moves == two.moves
                if not one.moves:
                    break
                move = one.moves[(seed * 7 + len(one.past)) % len(one.moves)]
                one.play(move)
                two.play(move)
                assert one.now == two.now


def test_a_deal_is_frozen() -> None:
    made = deal("spider-4", 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.seed = "2"  # type: ignore[misc]
