import random

from evaluation.rows import FAILED, Row
from evaluation.tally import EXACT_VALUES, Histogram, Tally, coarse


def _row(ordinal: int, rng: random.Random) -> Row:
    won = rng.random() < 0.4
    moves = rng.randrange(50, 200)
    return Row(
        ordinal,
        str(ordinal),
        "won" if won else "stuck",
        won,
        moves,
        5,
        8 if won else 2,
        {"windows": 500 - moves},
        nodes=rng.randrange(10**6),
    )


def test_any_split_into_chunks_in_any_order_gives_the_same_bytes() -> None:
    rng = random.Random(7)
    rows = [_row(i, rng) for i in range(300)]
    whole = Tally.of(rows)
    parts = [rows[i : i + 37] for i in range(0, 300, 37)]
    rng.shuffle(parts)
    merged = Tally()
    for part in parts:
        merged.merge(Tally.from_bytes(Tally.of(part).to_bytes()))
    assert merged.to_bytes() == whole.to_bytes()


def test_coarse_histograms_do_not_depend_on_the_order_either() -> None:
    values = [i * 1009 for i in range(EXACT_VALUES + 50)]
    one = Histogram()
    for value in values:
        one.add(value)
    parts = [Histogram(), Histogram()]
    for value in reversed(values):
        parts[value % 2].add(value)
    parts[0].merge(parts[1])
    assert one.is_coarse
    assert parts[0].to_json() == one.to_json()
    assert one.total == sum(values)
    exact = sorted(values)[len(values) // 2]
    median = one.quantile(0.5)
    assert median is not None
    assert abs(median - exact) / exact < 0.005


def test_coarse_keeps_three_digits() -> None:
    assert [coarse(v) for v in (0, 999, 1004, 1005, 123456, -123456)] == [0, 999, 1000, 1010, 123000, -123000]


def test_failed_rows_count_apart() -> None:
    tally = Tally.of([Row(0, "1", "won", True, 100), Row(1, "2", FAILED, reason="crash")])
    assert (tally.rows, tally.n, tally.won) == (2, 1, 1)
    assert tally.reasons == {}
    tally.drop_failed(1)
    assert tally.to_bytes() == Tally.of([Row(0, "1", "won", True, 100)]).to_bytes()
