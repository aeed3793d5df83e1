"""The solver's face: verdicts, budgets, cancelling, and the faults other solvers were caught with."""

from __future__ import annotations

import dataclasses
import threading
import time

import pytest

from engine import _core, game, solver
from engine.core import Control, rules_of
from engine.deals import deal
from engine.moves import action_of
from engine.position import Position
from engine.schedules import family, native_schedule, parse, schedule_for, shipped
from engine.solver import Reason, SearchError, SolverSpec, Verdict, replay, solve_batch
from engine.variants import NAMED, Removal, Variant, resolve

SPIDER = NAMED["spider-4"]
LIMITED = SolverSpec(nodes=400_000)


def packed(name: str, *seeds: int) -> list[bytes]:
    return [deal(name, seed).packed() for seed in seeds]


@pytest.mark.parametrize("name", sorted(NAMED))
def test_every_named_variant_is_searched_and_its_lines_win(name: str) -> None:
    answers = solve_batch(NAMED[name], packed(name, *range(1, 7)), LIMITED)
    for answer, start in zip(answers, packed(name, *range(1, 7)), strict=True):
        if answer.verdict is Verdict.SOLVED:
            replay(NAMED[name], start, answer.moves)
            assert answer.reason is None
            assert answer.length == len(answer.moves)


def test_a_line_the_reference_refuses_is_an_error_with_the_deal_in_it() -> None:
    [start] = packed("spider-1", 1)
    [answer] = solve_batch(NAMED["spider-1"], [start], LIMITED)
    assert answer.verdict is Verdict.SOLVED
    with pytest.raises(SearchError, match=start.hex()):
        replay(NAMED["spider-1"], start, answer.moves[1:])
    with pytest.raises(SearchError, match="does not win"):
        replay(NAMED["spider-1"], start, answer.moves[:-1])


def test_gave_up_is_unknown_for_nodes_never_unsolvable() -> None:
    [answer] = solve_batch(SPIDER, packed("spider-4", 3), SolverSpec(nodes=2000))
    assert (answer.verdict, answer.reason, answer.moves) == (Verdict.UNKNOWN, Reason.NODES, ())
    assert 2000 <= answer.positions < 2200


def test_a_deal_without_a_win_is_proved_unsolvable() -> None:
    """Beams find nothing there; the exhaustive search of the schedule proves it."""
    answers = solve_batch(NAMED["simple-simon-1"], packed("simple-simon-1", *range(1, 41)), LIMITED)
    lost = [a for a in answers if a.verdict is Verdict.UNSOLVABLE]
    assert lost
    for answer in lost:
        assert (answer.reason, answer.moves, answer.length) == (None, (), None)
        assert answer.certificate


def test_shortening_counts_apart_and_never_lengthens() -> None:
    deals = packed("spider-2", 1, 2, 3)
    raw = solve_batch(NAMED["spider-2"], deals, LIMITED)
    short = solve_batch(NAMED["spider-2"], deals, dataclasses.replace(LIMITED, shorten_nodes=200_000))
    for a, b in zip(raw, short, strict=True):
        assert a.positions == b.positions
        assert (a.length or 0) >= (b.length or 0)
    assert sum(a.length or 0 for a in raw) >= sum(b.length or 0 for b in short)


def test_a_search_that_fills_its_memory_is_unknown_for_memory() -> None:
    steps = [[0, 40_000, 8, 16, 0, 0, 0, 0]]
    schedule = _core.Schedule([next(iter(shipped().vectors.values()))], steps, 1)
    [answer] = _core.solve_batch(
        rules_of(SPIDER), packed("spider-4", 3), schedule, 10**9, 42 << 20, 0, 0.0, None
    )
    assert list(Reason)[answer[1]] is Reason.MEMORY


def restarts(width: int, nodes: int = 0) -> _core.Schedule:
    """Beams under vectors drawn at random from two, and nothing else."""
    vectors = [shipped().vectors[name] for name in ("four-cma", "four-staged")]
    return _core.Schedule(vectors, [[-2, width, 6, 12, nodes, 0, 100, 300]])


def restarted(deals: list[bytes], nodes: int) -> list[tuple[str, int]]:
    answers = _core.solve_batch(rules_of(SPIDER), deals, restarts(8), nodes, 512 << 20, 0, 0.0, None)
    return [(list(Verdict)[a[0]].value, a[3]) for a in answers]


def test_restarts_go_on_until_the_budget_is_spent_or_a_line_found() -> None:
    deals = packed("spider-4", *range(20, 32))
    few, many = restarted(deals, 50_000), restarted(deals, 400_000)
    solved = [n for n, (verdict, _) in enumerate(few) if verdict == "solved"]
    assert 0 < len(solved) < sum(verdict == "solved" for verdict, _ in many)
    for n, (verdict, nodes) in enumerate(many):
        assert few[n] == many[n] if n in solved else few[n][1] >= 50_000
        assert verdict == "solved" or nodes >= 400_000
    assert many == restarted(deals, 400_000)


def test_restarts_solve_a_deal_whose_last_row_leaves_most_positions_stuck() -> None:
    """No two cards of the row fit on one another: without a join of a dealt card nothing moves any more. The
    beams of the schedule's list, which do not look at that, run into it at every width."""
    layout = deal("spider-4", 914, "pysolfc")
    last = {card.rank for card in layout.stock[-10:]}
    assert not any(rank + 1 in last for rank in last)
    vectors = [vector for name, vector in shipped().vectors.items() if name.startswith("four-")]
    step = [-2, 50, 6, 12, 0, 0, 300, 250]
    answer = one_step(vectors, step, layout.packed(), 20_000_000)
    assert list(Verdict)[answer[0]] is Verdict.SOLVED
    replay(SPIDER, layout.packed(), answer[2])
    for every_empty in (0, 1):
        answer = one_step(vectors[:1], [0, 800, 6, 12, 0, every_empty, 0, 0], layout.packed(), 20_000_000)
        assert list(Verdict)[answer[0]] is Verdict.UNKNOWN


def one_step(
    vectors: list[tuple[int, ...]], step: list[int], packed_deal: bytes, nodes: int
) -> solver.Answer:
    schedule = _core.Schedule(vectors, [step])
    [answer] = _core.solve_batch(rules_of(SPIDER), [packed_deal], schedule, nodes, 512 << 20, 0, 0.0, None)
    return answer


def test_restarts_are_as_wide_as_memory_allows() -> None:
    hard = deal("spider-4", 1748, "pysolfc").packed()
    [answer] = _core.solve_batch(rules_of(SPIDER), [hard], restarts(400), 4_000_000, 1 << 20, 0, 0.0, None)
    assert list(Reason)[answer[1]] is Reason.NODES
    assert answer[3] >= 4_000_000


def test_the_same_deal_twenty_times_gives_the_same_answer() -> None:
    """Also between other deals, so that nothing of an earlier search shows in a later one."""
    deals = packed("spider-4", *[7, 8] * 20)
    answers = [
        dataclasses.replace(a, seconds=0) for a in solve_batch(SPIDER, deals, SolverSpec(nodes=150_000))
    ]
    assert len(set(answers[::2])) == 1
    assert len(set(answers[1::2])) == 1


@pytest.mark.parametrize("name", ["spider-4", "simple-simon-4"])
def test_two_threads_answer_as_one(name: str) -> None:
    """In the order of the deals, whoever ends first: hard and easy ones, solved and open ones."""
    deals = packed(name, *range(40, 56))
    spec = SolverSpec(nodes=120_000, shorten_nodes=20_000)
    one, two, three = (
        [dataclasses.replace(a, seconds=0) for a in solve_batch(NAMED[name], deals, spec, threads=n)]
        for n in (1, 2, 3)
    )
    assert one == two == three
    assert len({a.positions for a in one}) > 8


def test_threads_tell_the_first_fault_and_stop_when_cancelled() -> None:
    with pytest.raises(ValueError, match="threads: 0"):
        solve_batch(SPIDER, packed("spider-4", 1), LIMITED, threads=0)
    with pytest.raises(ValueError, match="packed"):
        solve_batch(SPIDER, [*packed("spider-4", 1, 2), b"\x0a\x00"], LIMITED, threads=2)
    control = Control()
    control.cancel()
    answers = solve_batch(SPIDER, packed("spider-4", 1, 2, 3), SolverSpec(nodes=50_000), control, threads=2)
    assert [a.reason for a in answers] == [Reason.CANCELLED] * 3


@pytest.mark.parametrize("name", ["spider-4", "spider-2", "spiderette-4", "simple-simon-4"])
def test_more_budget_keeps_what_was_decided(name: str) -> None:
    """A deal decided at some budget has the same verdict, line and count at every larger one."""
    deals = packed(name, *range(20, 32))
    before: dict[bytes, solver.Solution] = {}
    for nodes in (30_000, 60_000, 200_000, 500_000):
        for start, answer in zip(
            deals, solve_batch(NAMED[name], deals, SolverSpec(nodes=nodes)), strict=True
        ):
            answer = dataclasses.replace(answer, seconds=0)
            assert before.get(start, answer) == answer
            if answer.verdict is not Verdict.UNKNOWN:
                before[start] = answer
    assert before


def test_cancelling_stops_within_a_tenth_of_a_second_and_says_so() -> None:
    control = Control()
    schedule = native_schedule(SPIDER)
    out: list[tuple[object, ...]] = []

    def work() -> None:
        out.extend(
            _core.solve_batch(rules_of(SPIDER), [HARD] * 500, schedule, 10**12, 512 << 20, 0, 0.0, control)
        )

    thread = threading.Thread(target=work)
    thread.start()
    while control.nodes == 0 or (control.done == 0 and time.perf_counter() < 0):
        time.sleep(0.001)
    control.cancel()
    thread.join()
    assert list(Reason)[out[-1][1]] is Reason.CANCELLED  # type: ignore[call-overload]
    assert out[-1][3] == 0  # never begun: the first look of each deal comes before its first node
    assert [a[1] for a in out[1:]] == [list(Reason).index(Reason.CANCELLED)] * 499


HARD = packed("spider-4", 3)[0]


def test_progress_counts_deals_and_nodes() -> None:
    control = Control()
    answers = solve_batch(SPIDER, packed("spider-4", 1, 2, 3), SolverSpec(nodes=50_000), control)
    assert control.done == 3
    assert control.nodes == sum(a.positions for a in answers)


@pytest.mark.parametrize(
    "spec",
    [
        SolverSpec(nodes=0),
        SolverSpec(memory_mb=0),
        SolverSpec(shorten_nodes=-1),
        SolverSpec(seconds=-1.0),
        SolverSpec(seconds=float("nan")),
    ],
)
def test_a_spec_out_of_range_is_refused_by_name(spec: SolverSpec) -> None:
    with pytest.raises(ValueError, match=r"nodes|memory_mb|shorten_nodes|seconds"):
        solve_batch(SPIDER, packed("spider-4", 1), spec)


def test_a_broken_packed_deal_is_refused() -> None:
    with pytest.raises(ValueError, match="packed position"):
        solve_batch(SPIDER, [b"\x0a\x00"], LIMITED)


def test_a_line_keeps_to_the_move_limit() -> None:
    [start] = packed("spider-1", 1)
    [free] = solve_batch(NAMED["spider-1"], [start], LIMITED)
    assert free.length is not None
    tight = dataclasses.replace(NAMED["spider-1"], name="tight", move_limit=free.length - 1)
    [answer] = solve_batch(tight, [start], LIMITED)
    assert answer.length is None or answer.length < free.length


def start_of(columns: list[list[int]], down: list[int], stock: list[int], off: int = 0) -> bytes:
    cards = [c for column in columns for c in column]
    return bytes([len(columns), off, len(stock), *map(len, columns), *down, *cards, *stock])


RUN = list(range(13, 1, -1))  # King to 2 of spades


def test_a_run_completed_by_the_stock_deal_is_seen_after_the_whole_row_is_down() -> None:
    """Seven sequences off; the row puts the Ace on the run and a card beside it."""
    variant = dataclasses.replace(NAMED["spider-1"], name="two", columns=(52, 52), face_down=(0, 0))
    start = start_of([RUN, [1]], [0, 0], [1, 5], off=7)
    [answer] = solve_batch(variant, [start], LIMITED)
    assert answer.verdict is Verdict.SOLVED
    replay(variant, start, answer.moves)


def test_a_face_down_king_is_not_counted_in_a_run() -> None:
    """The column looks like King to 2, but the King lies face down: the Ace does not complete it."""
    variant = dataclasses.replace(NAMED["spider-1"], name="two", columns=(52, 52), face_down=(0, 0))
    start = start_of([RUN, [1]], [1, 0], [], off=7)
    [answer] = solve_batch(variant, [start], LIMITED)
    if answer.verdict is Verdict.SOLVED:
        replay(variant, start, answer.moves)
        assert answer.length is not None
        assert answer.length > 1


def test_restarts_end_where_a_beam_drops_nothing() -> None:
    """Lost, and so small that a beam sees all of it: another vector would see the same."""
    variant = dataclasses.replace(NAMED["spider-1"], name="two", columns=(52, 52), face_down=(0, 0))
    start = start_of([[9, 6, 5], [2, 6]], [0, 0], [], off=7)
    [answer] = _core.solve_batch(rules_of(variant), [start], restarts(50), 10**9, 512 << 20, 0, 0.0, None)
    assert 0 < answer[3] < 100


def test_columns_of_a_hundred_cards_are_searched() -> None:
    variant = Variant("tall", 2, 4, (101, 1, 1, 1), (0, 0, 0, 0))
    for answer in solve_batch(variant, packed_of(variant, range(5)), SolverSpec(nodes=20_000)):
        assert answer.verdict is not None
    turned = Variant("tall", 2, 1, (52, 52), (51, 51))
    solve_batch(turned, packed_of(turned, range(5)), SolverSpec(nodes=20_000))


def packed_of(variant: Variant, seeds: range) -> list[bytes]:
    return [deal(variant, seed).packed() for seed in seeds]


def test_optional_removal_lets_a_complete_sequence_fill_the_gaps_before_a_deal() -> None:
    """docs/rules.md: six sequences off, a complete run and K Q J of hearts, ten hearts in stock. Automatic
    removal leaves three cards for ten columns; optional removal splits the run over the gaps."""
    hearts = [0x10 | r for r in range(10, 0, -1)]
    columns = [list(range(13, 0, -1)), [0x1D, 0x1C, 0x1B], *[[] for _ in range(8)]]
    start = start_of(columns, [0] * 10, hearts, off=6)
    optional = dataclasses.replace(NAMED["spider-2"], name="optional", sequence_removal=Removal.OPTIONAL)
    [answer] = solve_batch(optional, [start], SolverSpec(nodes=3_000_000))
    assert answer.verdict is Verdict.SOLVED
    [answer] = solve_batch(NAMED["spider-2"], [start], LIMITED)
    assert answer.verdict is not Verdict.SOLVED


def test_no_line_moves_a_face_down_card() -> None:
    """`replay` refuses it; this shows that lines really pass over turned cards."""
    [start] = packed("spider-2", 5)
    [answer] = solve_batch(NAMED["spider-2"], [start], SolverSpec(nodes=5_000_000))
    position = Position.unpacked(start)
    turned = 0
    for code in answer.moves:
        after = game.apply(NAMED["spider-2"], position, action_of(code))
        turned += position.hidden - after.hidden
        position = after
    assert turned == 44


def test_hash_tells_face_down_cards_and_columns_while_stock_remains() -> None:
    weights = next(iter(shipped().vectors.values()))
    rules = rules_of(NAMED["spider-1"])

    def child_hashes(columns: list[list[int]], down: list[int], stock: list[int]) -> set[int]:
        columns, down = columns + [[]] * (10 - len(columns)), down + [0] * (10 - len(down))
        return {c[5] for c in _core.packed_children(rules, start_of(columns, down, stock), weights, True)}

    a, b = [9, 2, 6], [12, 7]
    assert child_hashes([a, b], [0, 0], []).isdisjoint(child_hashes([a, b], [1, 0], []))
    assert child_hashes([a, b], [0, 0], []) == child_hashes([b, a], [0, 0], [])
    row = [1] * 10
    assert child_hashes([a, b], [0, 0], row).isdisjoint(child_hashes([b, a], [0, 0], row))


def test_two_threads_search_at_once() -> None:
    """The call holds no GIL: a second thread gets through a batch of its own before the first is done."""
    slow, quick = Control(), Control()
    thread = threading.Thread(
        target=_core.solve_batch,
        args=(rules_of(SPIDER), [HARD] * 100, native_schedule(SPIDER), 10**12, 512 << 20, 0, 0.0, slow),
    )
    thread.start()
    solve_batch(SPIDER, packed("spider-4", 3), SolverSpec(nodes=20_000), quick)
    assert quick.done == 1
    assert thread.is_alive()
    slow.cancel()
    thread.join()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("spider-4", "spider-4"),
        ("spider44-2", "spider-2"),
        ("spider50-1", "spider-1"),
        ("black-widow", "black-widow"),
        ("spiderette-4", "spiderette-4"),
        ("will-o-the-wisp-2", "will-o-the-wisp-2"),
        ("simple-simon-1", "simple-simon-1"),
        ("scorpion-ii", "scorpion"),
        ("double-scorpion", "double-scorpion"),
        ("spider-4+tavern", "spider-4"),
    ],
)
def test_a_variant_is_searched_under_the_schedule_of_its_rules(spec: str, expected: str) -> None:
    assert family(resolve(spec)) == expected
    assert schedule_for(resolve(spec)).nodes > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "x"}', "format"),
        ('{"format": "spidervet-solver-weights/1", "features": ["one"]}', "features"),
    ],
)
def test_a_broken_data_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("steps", "widen"),
    [
        ([], 0),
        ([[1, 5, 8, 8, 0, 0, 0, 0]], 0),
        ([[0, 0, 8, 8, 0, 0, 0, 0]], 0),
        ([[0, 5, 0, 8, 0, 0, 0, 0]], 0),
        ([[0, 5, 8, 8, 0, 0, 0, 0]], 2),
        ([[0, 5, 8, 8, 0, 0, -1, 0]], 0),
        ([[-2, 5, 8, 8, 0, 0, 0, 1001]], 0),
        ([[-3, 5, 8, 8, 0, 0, 0, 0]], 0),
    ],
)
def test_a_broken_schedule_is_refused(steps: list[list[int]], widen: int) -> None:
    with pytest.raises(ValueError, match="schedule"):
        _core.Schedule([[0] * 3 * _core.solver_features], steps, widen)
