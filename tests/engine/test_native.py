"""The native rules against the reference: random games of every variant, and all states of mini variants.

At each step: the same legal moves in the same order and in the same text, the same position, the same
verdict, every card still there; and what is played can be undone.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterator
from functools import lru_cache

import pytest

from engine import _core
from engine.core import rules_of
from engine.deals import deal
from engine.endings import Outlook, outlook
from engine.game import legal_moves, played, start, stuck, why_illegal, won
from engine.layouts import full_pack
from engine.moves import Action, Remove, StockDeal, Tableau, action_of, code_of
from engine.position import Position
from engine.schemes.spidervet import MASK
from engine.variants import NAMED, Variant
from tests.engine.families import ALL, MINIS

VERDICTS = {Outlook.DEAD: True, Outlook.UNKNOWN: None}


@lru_cache
def suits_of(variant: Variant) -> tuple[int, list[list[int]]]:
    """How many of each card a variant has, and the card codes of each of its suits."""
    pack = full_pack(variant)
    suits = [[card.code for card in pack if card.suit == suit] for suit in range(variant.suits)]
    return max(pack.values()), suits


def check_cards(variant: Variant, packed: bytes) -> None:
    """Cards on the table, in stock and off the table make up the pack. What is missing of a suit is whole
    sequences."""
    columns, off = packed[0], packed[1]
    held = Counter(packed[3 + 2 * columns :])
    copies, suits = suits_of(variant)
    missing = 0
    for codes in suits:
        gone = {copies - held[code] for code in codes}
        assert len(gone) == 1
        missing += gone.pop()
    assert missing == off
    assert held.total() + off * variant.ranks == variant.cards


def check_step(variant: Variant, position: Position, native: _core.Position) -> list[int]:
    moves = legal_moves(variant, position)
    codes = [code_of(move, variant) for move in moves]
    assert codes == native.legal_moves()
    assert [action_of(code) for code in codes] == moves
    assert [str(move) for move in moves] == [_core.move_text(code) for code in codes]
    packed = position.packed()
    assert native.packed() == packed
    assert native.won == won(variant, position)
    assert native.stuck == stuck(variant, position)
    check_cards(variant, packed)
    return codes


def check_game(variant: Variant, seed: int, most: int) -> int:
    """One random game, with a step back now and then; all of it is undone at the end. Returns its actions."""
    rng = random.Random(f"{variant.label} {seed}")
    made = deal(variant, seed)
    native = _core.Position(rules_of(variant), made.packed())
    past = [start(variant, made)]
    for _ in range(most):
        codes = check_step(variant, past[-1], native)
        if not codes:
            break
        code = rng.choice(codes)
        past.append(played(variant, past[-1], action_of(code)))
        native.apply(code)
        if rng.random() < 0.1:
            native.undo()
            past.pop()
    length = len(past) - 1
    assert native.dead(200) == VERDICTS.get(outlook(variant, past[-1], 200), False)
    while len(past) > 1:
        native.undo()
        past.pop()
        assert native.packed() == past[-1].packed()
    with pytest.raises(ValueError, match="nothing"):
        native.undo()
    return length


@pytest.mark.parametrize("label", ALL)
def test_random_games_are_the_same(label: str) -> None:
    assert sum(check_game(ALL[label], seed, 100) for seed in range(6)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("label", ALL)
def test_20000_random_games_are_the_same(label: str) -> None:
    per_variant = -(-20_000 // len(ALL))
    assert sum(check_game(ALL[label], 1000 + seed, 120) for seed in range(per_variant)) > 0


@pytest.mark.parametrize("label", ALL)
def test_a_move_is_refused_unless_it_is_listed(label: str) -> None:
    variant = ALL[label]
    rules, packed = rules_of(variant), deal(variant, 4).packed()
    for length in (0, 20, 60, 90):
        native = _core.Position(rules, packed)
        for code in _core.random_playout(rules, packed, 4, length):
            native.apply(code)
        position = Position.unpacked(native.packed())
        listed = set(native.legal_moves())
        for action in conceivable(position):
            code = code_of(action, variant)
            legal = why_illegal(variant, position, action) is None
            assert legal == (code in listed)
            if not legal:
                with pytest.raises(ValueError, match="illegal move"):
                    native.apply(code)


def conceivable(position: Position) -> Iterator[Action]:
    """Every move within the columns there are, up to one card too many."""
    columns = range(len(position.columns))
    for source in columns:
        most = len(position.columns[source]) + 1
        yield from (
            Tableau(source, target, n) for target in columns for n in range(1, most + 1) if target != source
        )
        yield Remove(source)
    yield StockDeal()


def explore(variant: Variant, seed: int, bound: int) -> tuple[int, set[Outlook]]:
    """Walk over every state that a deal can reach, comparing each; returns their number and endings."""
    made = deal(variant, seed)
    first = start(variant, made)
    queue, seen, verdicts = deque([first]), {first}, set()
    while queue:
        position = queue.popleft()
        native = _core.Position(rules_of(variant), position.packed())
        verdict = outlook(variant, position, 50)
        verdicts.add(verdict)
        assert native.dead(50) == VERDICTS.get(verdict, False)
        for code in check_step(variant, position, native):
            after = played(variant, position, action_of(code))
            native.apply(code)
            assert native.packed() == after.packed()
            native.undo()
            assert native.packed() == position.packed()
            if after not in seen:
                seen.add(after)
                queue.append(after)
        assert len(seen) <= bound, f"{variant.label} {seed} has more than {bound} states"
    return len(seen), verdicts


@pytest.mark.parametrize("variant", MINIS, ids=lambda v: v.label)
def test_all_states_of_a_mini_variant_are_the_same(variant: Variant) -> None:
    verdicts = set().union(*(explore(variant, seed, 20_000)[1] for seed in range(5)))
    assert verdicts == {Outlook.WON, Outlook.STUCK, Outlook.DEAD, Outlook.ALIVE}


@pytest.mark.slow
@pytest.mark.parametrize("variant", MINIS, ids=lambda v: v.label)
def test_all_states_of_many_mini_deals_are_the_same(variant: Variant) -> None:
    assert sum(explore(variant, 100 + seed, 100_000)[0] for seed in range(60)) > 60


@pytest.mark.parametrize("label", ALL)
def test_both_deal_the_same_cards(label: str) -> None:
    v = ALL[label]
    seeds = [0, 1, 12345, 2**63, MASK]
    native = _core.spidervet_deals(v.decks, v.suits, v.ranks, list(v.columns), list(v.face_down), seeds)
    assert native == [deal(v, seed).packed() for seed in seeds]


def test_random_playouts_count_what_single_playouts_play() -> None:
    variant = NAMED["spiderette-2"]
    rules, packed = rules_of(variant), deal(variant, 3).packed()
    games = [_core.random_playout(rules, packed, seed, 150) for seed in range(20)]
    assert _core.random_playouts(rules, packed, 0, 20, 150)[0] == sum(map(len, games))
    for game in games:
        position = start(variant, deal(variant, 3))
        for code in game:
            assert code in [code_of(m, variant) for m in legal_moves(variant, position)]
            position = played(variant, position, action_of(code))


@pytest.mark.parametrize(
    ("packed", "fault"),
    [
        (b"", "shorter than its header"),
        (bytes([9]) + bytes(22), "has 9 columns, the rules 10"),
        (bytes([10, 9, 0]) + bytes(20), "more sequences off"),
        (bytes([10, 0, 1]) + bytes(20), "holds 0 cards, its header says 1"),
        (bytes([10, 0, 0, 1, *[0] * 9, 1, *[0] * 9, 1]), "column 1 does not end face up"),
        (bytes([10, 0, 0, 1, *[0] * 19, 64]), "byte 64 is no card"),
        (bytes([10, 0, 105, *[0] * 20, *[1] * 105]), "more than 104 cards"),
    ],
)
def test_a_bad_packed_position_is_refused(packed: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        _core.Position(rules_of(NAMED["spider-4"]), packed)


def test_packed_positions_unpack() -> None:
    made = deal("spider-4", 3)
    assert Position.unpacked(made.packed()) == Position.of(made)
    for bad in (b"", b"\x02\x00\x00\x01", made.packed() + b"\x01", made.packed()[:-1] + b"\x00"):
        with pytest.raises(ValueError, match="no packed position"):
            Position.unpacked(bad)


def test_the_same_position_has_the_same_hash_and_another_has_another() -> None:
    variant = NAMED["spider-4"]
    rules = rules_of(variant)
    one, two = (_core.Position(rules, deal(variant, seed).packed()) for seed in (1, 2))
    before = one.hash
    assert before != two.hash
    one.apply(one.legal_moves()[0])
    assert one.hash != before
    one.undo()
    assert one.hash == before


def test_the_hash_sees_face_down_cards_and_the_order_of_columns() -> None:
    variant = NAMED["spider-4"]
    made = Position.of(deal(variant, 1))
    swapped = Position((made.columns[1], made.columns[0], *made.columns[2:]), made.face_down, made.stock)
    opened = Position(made.columns, (4, *made.face_down[1:]), made.stock)
    hashes = {_core.Position(rules_of(variant), p.packed()).hash for p in (made, swapped, opened)}
    assert len(hashes) == 3
