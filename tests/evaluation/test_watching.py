"""What pages ask of the ledger, on SQLite and PostgreSQL: order, filters, pages, pairs, speed, work."""

from __future__ import annotations

import pytest

from evaluation.db import Database
from evaluation.ledger import watching
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.pairing import Side, differing, paired
from evaluation.ledger.ranking import Beside, Mark, Question, Ranked, Sort, page_query, ranked
from evaluation.ledger.views import get_detail
from evaluation.migrate import upgrade
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.support.evaluated import evaluate_chunks, submit_two


@pytest.fixture
def own(ledger_settings: Settings) -> Settings:
    """Chunks of four deals."""
    return ledger_settings.model_copy(update={"chunk_max_units": 4, "chunks_ahead": 50})


@pytest.fixture
def arms(db: Database, own: Settings) -> tuple[str, int, int]:
    """A finished job: its id, the player's arm and the solver's."""
    job = submit_two(db, own)
    while evaluate_chunks(db, own):
        pass
    player, solver = get_detail(db, job, own).arms
    return job, player.id, solver.id


def ordinals(rows: list[Ranked]) -> list[int]:
    return [r.ordinal for r in rows]


def test_rows_are_sorted_and_filtered(db: Database, arms: tuple[str, int, int]) -> None:
    _, player, solver = arms
    assert ordinals(ranked(db, Question(player), None, 100)) == list(range(12))
    longest = ranked(db, Question(solver, Sort.LENGTH, descending=True), None, 3)
    assert [(r.ordinal, r.moves, r.won) for r in longest] == [(11, 71, True), (10, 70, True), (9, 69, True)]
    assert ordinals(ranked(db, Question(solver, Sort.NODES), None, 2)) == [11, 10]
    assert ordinals(ranked(db, Question(solver, outcome="unknown"), None, 9)) == [5]
    assert ordinals(ranked(db, Question(player, won=True), None, 9)) == [0, 3, 6, 9]


def test_searched_deals_by_positions_come_from_an_index(
    settings: Settings,
) -> None:
    lite = Database.from_settings(settings)
    upgrade(lite)
    for descending in (False, True):
        question = Question(1, Sort.NODES, descending, solver=True)
        query = page_query(question, Mark(5.0, 3), 100)
        with lite.read() as conn:
            text = str(query.compile(conn.engine, compile_kwargs={"literal_binds": True}))
            plan = "\n".join(row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}"))
        assert "ix_results_arm_nodes" in plan
        assert "TEMP B-TREE" not in plan
    lite.dispose()


def test_solved_but_lost_by_the_player(db: Database, arms: tuple[str, int, int]) -> None:
    _, player, solver = arms
    rows = ranked(db, Question(solver, won=True, other=player, beside=Beside.LOST), None, 100)
    assert ordinals(rows) == [1, 2, 4, 8, 10, 11]
    assert {r.other_outcome for r in rows} == {"stuck"}
    lost = ranked(db, Question(player, other=solver, beside=Beside.LOST), None, 100)
    assert ordinals(lost) == [7]


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("descending", [False, True])
def test_pages_neither_repeat_nor_skip(
    db: Database, arms: tuple[str, int, int], sort: Sort, descending: bool
) -> None:
    for arm in arms[1:]:
        question = Question(arm, sort, descending)
        whole = ordinals(ranked(db, question, None, 100))
        pages: list[int] = []
        mark: Mark | None = None
        while page := ranked(db, question, mark, 5):
            pages += ordinals(page)
            mark = Mark.parse(Mark(page[-1].value, page[-1].ordinal).text())
        assert pages == whole


@pytest.mark.parametrize("text", ["", "1", "a~1", "1~b", "1~-1", "9" * 70 + "~1"])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"place in this list|could not convert"):
        Mark.parse(text)


def test_pairs_are_counted_and_listed(db: Database, own: Settings, arms: tuple[str, int, int]) -> None:
    job, player, solver = arms
    a, b = Side(player, job), Side(solver, job)
    pairs = paired(db, a, b)
    assert (pairs.both, pairs.only_a, pairs.only_b, pairs.neither, pairs.undecided) == (4, 0, 6, 1, 1)
    assert [d.seed for d in differing(db, a, b)] == ["102", "103", "105", "109", "111", "112"]
    assert paired(db, b, a).only_a == 6
    other = submit_two(db, own, name="shifted", deals={"first": 107, "count": 12})
    while evaluate_chunks(db, own, first=107):
        pass
    shifted = get_detail(db, other, own).arms[0]
    across = paired(db, a, Side(shifted.id, other))
    assert across.n == 6  # seeds 107 to 112 are in both jobs


def test_speed_counts_every_row(db: Database, arms: tuple[str, int, int]) -> None:
    speed = watching.speed(db, arms[0])
    assert sum(r.per_s for r in speed.rates) * speed.slice_s == pytest.approx(24)
    assert watching.speed(db, "no such job").rates == ()


def test_chunks_at_work_are_told_with_their_worker(db: Database, own: Settings) -> None:
    job = submit_two(db, own)
    assert watching.at_work(db, job) == []
    item = next_to_send(db, own)[0]
    assert isinstance(claim(db, item.chunk_id, "host/7", engine_version(), own.lease_s), Lease)
    (work,) = watching.at_work(db, job)
    assert (work.worker, work.size, work.progress, work.job_name) == ("host/7", 4, 0, "=two arms")
    assert work.for_s >= 0
    assert len(watching.at_work(db)) == 1


def test_log_lines_come_newest_first(db: Database, arms: tuple[str, int, int]) -> None:
    kinds = [line.data for line in watching.last_events(db, arms[0]) if line.kind == "state"]
    assert "completed" in kinds[0]
    assert "queued" in kinds[-1]
