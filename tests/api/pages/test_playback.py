"""Games laid out for people: frames are the reference's, scores the scoring rules', words are right."""

from __future__ import annotations

import random

import pytest

from api.pages.playback import frames_json, playback
from engine.deals import Deal, deal
from engine.formats.board import read
from engine.game import legal_moves
from engine.playing import Game
from engine.scoring import scores_of_trail
from engine.variants import NAMED, Scoring, resolve


def random_game(start: Deal, seed: int, length: int = 120) -> tuple[list[str], Game]:
    """A game of random moves with undos between."""
    rnd, game, texts = random.Random(seed), Game(start.variant, start), []
    for _ in range(length):
        moves = legal_moves(start.variant, game.position)
        if not moves or game.won:
            break
        entry = rnd.choice(moves)
        game.enter(entry)
        texts.append(str(entry))
    return texts, game


@pytest.mark.parametrize("name", list(NAMED))
@pytest.mark.parametrize("scoring", list(Scoring))
def test_frames_and_scores_are_the_references(name: str, scoring: Scoring) -> None:
    variant = resolve({"base": name, "name": "scored", "scoring": scoring.value})
    start = deal(variant, 3)
    texts, game = random_game(start, 5)
    shown = playback(start, texts)
    assert shown.fault == ""
    assert [f.position for f in shown.frames] == game.trail
    for i in (0, len(texts) // 2, len(texts)):
        assert shown.frames[i].score == scores_of_trail(variant, game.trail[: i + 1])[scoring]


@pytest.mark.parametrize("name", ["spider-1", "spiderette-4", "scorpion", "simple-simon-2"])
def test_what_the_script_gets_adds_up_to_the_frames(name: str) -> None:
    start = deal(name, 9)
    texts, game = random_game(start, 8)
    data = frames_json(playback(start, texts), hidden=True)
    columns, down = list(data["columns"]), list(data["down"])
    for frame, position in zip(data["frames"], game.trail, strict=True):
        for i, (letters, count) in frame["c"].items():
            columns[i], down[i] = letters, count
        assert columns == ["".join(map(str, c)) for c in position.columns]
        assert tuple(down) == position.face_down
        assert (frame["k"], len(frame["o"])) == (len(position.stock), position.off)


@pytest.mark.parametrize("name", ["spider-1", "spiderette-4", "double-scorpion"])
def test_cards_that_are_not_shown_are_not_sent(name: str) -> None:
    start = deal(name, 9)
    texts, game = random_game(start, 8)
    data = frames_json(playback(start, texts), hidden=False)
    columns, down = list(data["columns"]), list(data["down"])
    assert data["stock"] == "??" * len(start.stock)
    for frame, position in zip(data["frames"], game.trail, strict=True):
        for i, (letters, count) in frame["c"].items():
            columns[i], down[i] = letters, count
        assert tuple(down) == position.face_down
        for letters, cards, count in zip(columns, position.columns, position.face_down, strict=True):
            assert letters == "??" * count + "".join(map(str, cards[count:]))


def test_undo_and_resign_are_shown() -> None:
    start = deal("spider-2", 1)
    first = str(legal_moves(start.variant, Game(start.variant, start).position)[0])
    shown = playback(start, [first, "undo", "resign"])
    assert [f.did for f in shown.frames[2:]] == [f"Takes back {first}.", "Resigns."]
    assert [f.score for f in shown.frames] == [500, 499, 498, 498]
    assert (shown.last.moves, shown.last.undos) == (1, 1)
    assert shown.last.position == shown.frames[0].position


def test_a_game_stops_at_its_first_fault_and_says_why() -> None:
    shown = playback(deal("spider-4", 1), ["deal", "1>2x9", "deal"])
    assert len(shown.frames) == 2
    assert shown.fault.startswith("Entry 2, '1>2x9': ")


def test_moves_are_described() -> None:
    start = deal("spider-4", 12345)
    texts, _ = random_game(start, 3, 40)
    shown = playback(start, texts)
    by_kind = {f.entry.partition(">")[0] if f.entry == "deal" else "move": f.did for f in shown.frames[1:]}
    assert by_kind["deal"].startswith("Deals 10 cards from the stock, ")
    assert by_kind["move"].startswith("Moves ")
    turned = [
        f for i, f in enumerate(shown.frames[1:]) if shown.frames[i].position.hidden > f.position.hidden
    ]
    assert turned
    assert all("Turns up " in f.did and "up " in f.brief for f in turned)


def test_a_sequence_that_leaves_is_named() -> None:
    mini = resolve(
        {"name": "mini", "decks": 1, "suits": 4, "ranks": 2, "columns": [2] * 4, "face_down": [1, 0, 0, 0]}
    )
    start = read(": (AH) 2S\n: 2H AS\n: 2D AC\n: 2C AD\n", mini)
    shown = playback(start, ["2>1"])
    assert shown.last.did == (
        "Moves A♠ from column 2 onto 2♠ in column 1. Turns up A♥ in column 1."
        " A complete sequence of spades leaves the table."
    )
    assert shown.last.brief == "A♠ on 2♠, up A♥, ♠ done"
    assert shown.last.score == 599
