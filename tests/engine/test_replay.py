"""Replays: legal or the first illegal move with its reason, endings, undo and move limits, hidden cards."""

from __future__ import annotations

import json
import random

import pytest

from engine.deals import Deal, deal
from engine.endings import Ending, Outlook, outlook
from engine.formats import FormatError
from engine.formats.games import game_object, read_game, write_game
from engine.game import legal_moves
from engine.moves import parse_move
from engine.playing import Game
from engine.replay import MAX_ENTRIES, GameRecord, judge, judge_record
from engine.scoring import Tally
from engine.trails import fast_outlook
from engine.variants import NAMED, Scoring, Variant, resolve

MINI = resolve(
    {"name": "mini", "decks": 1, "suits": 1, "ranks": 3, "columns": [2, 2, 2], "face_down": [1, 1, 0],
     "stock_deal_over_empty": "allowed"}
)  # fmt: skip


def winning_line(variant: Variant, made: Deal) -> list[str] | None:
    """A win of a mini variant, by depth-first search over positions."""
    first = Game(variant, made)
    stack, seen = [(first.position, [])], {first.position}
    while stack:
        where, line = stack.pop()
        for move in legal_moves(variant, where):
            game = Game(variant, made)
            for text in [*line, str(move)]:
                game.enter(parse_move(text))
            if game.won:
                return [*line, str(move)]
            if game.position not in seen:
                seen.add(game.position)
                stack.append((game.position, [*line, str(move)]))
    return None


def won_mini() -> tuple[Deal, list[str]]:
    for seed in range(100):
        made = deal(MINI, seed)
        line = winning_line(MINI, made)
        if line:
            return made, line
    raise AssertionError("no mini deal can be won")


def test_a_win_is_judged_with_moves_scores_and_ending() -> None:
    made, line = won_mini()
    verdict = judge(MINI, made, line)
    assert (verdict.legal, verdict.won, verdict.ending, verdict.outlook) == (
        True,
        True,
        Ending.WON,
        Outlook.WON,
    )
    assert (verdict.moves, verdict.undos, verdict.length) == (len(line), 0, len(line))
    assert verdict.sequences == 4
    assert verdict.scores[Scoring.WINDOWS] == 500 + 400 - len(line)
    assert verdict.scores[Scoring.SOLITAIRE_PLUS] == 12
    assert verdict.tally == Tally(0, 4, 0)


def test_nothing_is_played_after_a_win_not_even_undo() -> None:
    made, line = won_mini()
    for entry in ("deal", "undo", "resign"):
        fault = judge(MINI, made, [*line, entry]).fault
        assert fault is not None
        assert (fault.number, fault.reason) == (len(line) + 1, "the game is already won")


def test_the_first_illegal_move_is_told_with_its_number_reason_and_position() -> None:
    made = deal("spider-4", 5)
    verdict = judge(made.variant, made, ["deal", "1>1", "5>1"])
    assert not verdict.legal
    assert verdict.fault is not None
    assert (verdict.fault.number, verdict.fault.move) == (2, "1>1")
    assert verdict.fault.reason == "column 1 cannot move onto itself"
    assert verdict.fault.shown.endswith("stock 40, sequences off 0")
    assert (verdict.moves, verdict.stock_deals) == (1, 1)


@pytest.mark.parametrize(
    "text", ["", "dael", "0>1", "1>0", "1>2x0", "remove 0", "remove", "1->2", "deal 2", "1>2x1000"]
)
def test_text_that_is_no_move_is_a_fault_of_the_replay(text: str) -> None:
    made = deal("spider-4", 5)
    fault = judge(made.variant, made, [text]).fault
    assert fault is not None
    assert "is no move: expected 3>7" in fault.reason


def test_resigned_counts_the_points_so_far_and_ends_the_game() -> None:
    made = deal("spider-4", 5)
    verdict = judge(made.variant, made, ["deal", "resign"])
    assert (verdict.ending, verdict.moves) == (Ending.RESIGNED, 1)
    assert verdict.scores[Scoring.WINDOWS] == 499
    fault = judge(made.variant, made, ["resign", "deal"]).fault
    assert fault is not None
    assert fault.reason == "the game has been resigned"


def test_unfinished_stuck_and_dead_are_told_apart() -> None:
    made = deal("simple-simon", 46, "pysolfc")
    stuck = judge(made.variant, made, [])
    assert (stuck.ending, stuck.outlook) == (Ending.STUCK, Outlook.STUCK)
    other = deal("spider-4", 5)
    assert judge(other.variant, other, []).ending is Ending.UNFINISHED
    lost = deal("simple-simon", 18, "pysolfc")
    assert judge(lost.variant, lost, []).ending is Ending.DEAD


def test_a_bound_too_small_says_that_it_does_not_know() -> None:
    lost = deal("simple-simon", 18, "pysolfc")
    for look in (outlook, fast_outlook):
        verdict = judge(lost.variant, lost, [], dead_bound=1, look=look)
        assert (verdict.ending, verdict.outlook) == (Ending.UNFINISHED, Outlook.UNKNOWN)


def test_undo_is_counted_apart_and_undone_actions_still_count() -> None:
    made = deal("spider-4", 5)
    verdict = judge(made.variant, made, ["deal", "undo", "deal", "deal"])
    assert (verdict.moves, verdict.undos, verdict.length, verdict.stock_deals) == (3, 1, 2, 2)
    assert verdict.scores[Scoring.WINDOWS] == 496


def reason(variant: Variant, entries: list[str]) -> str:
    fault = judge(variant, deal(variant, 5), entries).fault
    assert fault is not None
    assert fault.number == len(entries)
    return fault.reason


def limited(**changed: int) -> Variant:
    return resolve({"base": "spider-4", "name": "limited", **changed})


def test_undo_limits() -> None:
    assert reason(NAMED["spider-4"], ["undo"]) == "there is nothing to undo"
    assert reason(NAMED["spider-4"], ["deal", "undo", "undo"]) == "there is nothing to undo"
    assert reason(limited(undo_limit=0), ["deal", "undo"]) == "this game has no undo"
    far = ["deal", "deal", "deal", "undo", "undo", "undo"]
    assert reason(limited(undo_limit=2), far) == "undo goes back 2 actions at most in this game"
    made = deal("spider-4", 5)
    assert judge(limited(undo_limit=2), made, [*far[:5], "deal", "undo"]).legal
    assert judge(limited(undo_limit=3), made, far).legal


def test_the_move_limit_ends_the_game() -> None:
    variant = limited(move_limit=2)
    assert reason(variant, ["deal", "deal", "deal"]) == "the game is over: its limit of 2 actions is reached"
    verdict = judge(variant, deal(variant, 5), ["deal", "deal"])
    assert verdict.ending is Ending.MOVE_LIMIT
    assert judge(variant, deal(variant, 5), ["deal"]).ending is Ending.UNFINISHED
    assert reason(variant, ["deal", "undo", "deal", "deal"]).startswith("the game is over")


def test_a_replay_longer_than_the_bound_is_refused() -> None:
    made = deal("spider-4", 5)
    with pytest.raises(ValueError, match=f"at most {MAX_ENTRIES} entries"):
        judge(made.variant, made, ["deal", "undo"] * (MAX_ENTRIES // 2 + 1))


def test_faults_never_show_a_card_that_the_player_could_not_see() -> None:
    rng = random.Random(3)
    for seed in range(20):
        made = deal("spider-4", seed)
        game = Game(made.variant, made)
        for _ in range(rng.randrange(30)):
            moves = legal_moves(made.variant, game.position)
            if moves:
                game.enter(rng.choice(moves))
        shown = game.position.shown()
        seen = sum(len(c) - d for c, d in zip(game.position.columns, game.position.face_down, strict=True))
        assert shown.count("??") == game.position.hidden
        tokens = [t for row in shown.splitlines()[:-1] for t in row.split()[1:] if t != "??"]
        assert len(tokens) == seen


def test_a_game_file_is_read_and_judged() -> None:
    made, line = won_mini()
    record = GameRecord(made, tuple(line), "someone", "0.1.0")
    assert read_game(write_game(record)) == record
    assert judge_record(read_game(write_game(record))).won


def test_a_game_file_has_the_documented_keys() -> None:
    made = deal("spider-4", 5)
    out = game_object(GameRecord(made, ("deal",), "player:club", "0.1.0"))
    assert list(out) == ["format", "variant", "id", "deal", "moves", "by", "engine"]
    assert out["format"] == "spidervet-game/1"
    assert out["variant"] == NAMED["spider-4"].record()
    assert out["id"] == "spidervet:spider-4:5"
    assert list(out["deal"]) == ["columns", "face_down", "stock"]


def test_a_game_file_may_leave_the_cards_to_its_id_or_the_id_to_its_cards() -> None:
    made = deal("spider-4", 5)
    out = game_object(GameRecord(made, ("deal",)))
    by_id = {k: v for k, v in out.items() if k != "deal"}
    assert read_game(json.dumps(by_id)).deal == made
    by_cards = {**out, "id": None}
    read = read_game(json.dumps(by_cards)).deal
    assert (read.scheme, read.packed()) == ("layout", made.packed())
    custom = deal(resolve("spider-1+tavern"), 3)
    assert read_game(write_game(GameRecord(custom, ()))).deal == custom


GAME = game_object(GameRecord(deal("spider-4", 5), ("deal", "1>2")))

REFUSED = [
    ({**GAME, "format": "spidervet-deal/1"}, "format: expected 'spidervet-game/1'"),
    ({**GAME, "moves": ["deal", "fly"]}, "moves[1]: 'fly' is no move"),
    ({**GAME, "moves": ["deal", 7]}, "moves[1]: expected text, not 7"),
    ({**GAME, "moves": "deal"}, "moves: expected a list"),
    ({**GAME, "moves": ["deal"] * (MAX_ENTRIES + 1)}, f"at most {MAX_ENTRIES} are judged"),
    ({**GAME, "id": "spidervet:spider-4:6"}, "deals other cards than these"),
    ({**GAME, "id": "spidervet:spider-2:5"}, "a deal of spider-2, not of spider-4"),
    ({**GAME, "variant": "spider-9"}, "no variant is named 'spider-9'"),
    ({**GAME, "variant": {**GAME["variant"], "suits": False}}, "suits: expected a whole number, not false"),
    ({**GAME, "colour": "red"}, "unknown key 'colour'"),
    ({**GAME, "by": 3}, "by: expected text, not 3"),
    ({k: v for k, v in GAME.items() if k not in ("id", "deal")}, "'deal' is missing"),
    (
        {**{k: v for k, v in GAME.items() if k != "deal"}, "variant": "spider-1"},
        "a deal of spider-4, but the game",
    ),
    ({**{k: v for k, v in GAME.items() if k != "deal"}, "id": "x:spider-4:1"}, "no scheme is named 'x'"),
]


@pytest.mark.parametrize(("record", "message"), REFUSED)
def test_a_bad_game_file_is_refused_with_the_reason(record: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_game(json.dumps(record, indent=1))
    assert message in caught.value.message
    assert caught.value.spot.line >= 1
