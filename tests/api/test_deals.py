"""/v1/deals and /v1/replays: cards, small solves and plays, and judged games."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.interactive import Desk, desk_of
from engine.deals import deal
from engine.formats import Format, read_deal, write_deal
from engine.formats.dealjson import deal_object
from engine.formats.games import game_object
from engine.replay import GameRecord
from engine.variants import resolve
from evaluation.settings import Settings
from tests.api.test_jobs import fields, problem


def test_a_deals_cards_come_by_scheme_variant_and_seed(client: TestClient) -> None:
    found = client.get("/v1/deals/pysolfc/spider/24").json()
    assert found == deal_object(deal("spider-4", 24, "pysolfc")) | {"outlook": "alive"}
    tavern = resolve("spider-1+tavern")
    for name in ("spider-1+tavern", tavern.label):
        assert client.get(f"/v1/deals/spidervet/{name}/7").json()["id"] == str(deal(tavern, 7).identity)


@pytest.mark.parametrize("form", list(Format))
def test_a_deals_cards_come_in_every_format(client: TestClient, form: Format) -> None:
    found = client.get(f"/v1/deals/kpat/simple-simon/24?format={form.value}")
    made = deal("simple-simon", 24, "kpat")
    assert read_deal(found.content, made.variant).packed() == made.packed()


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("windows/spider-4/1", "scheme"),
        ("spidervet/spider-9/1", "variant"),
        ("kpat/scorpion/1", "variant"),
        ("spidervet/spider-4/-1", "seed"),
        ("spidervet/spider-4/18446744073709551616", "seed"),
        ("pysolfc/spider-4/0", "seed"),
    ],
)
def test_no_such_deal_names_what_is_wrong(client: TestClient, path: str, field: str) -> None:
    answer = client.get(f"/v1/deals/{path}")
    assert answer.status_code == 404
    assert [e["field"] for e in problem(answer, 404)["errors"]] == [field]


def test_a_format_without_words_for_the_deal_is_refused(client: TestClient) -> None:
    answer = client.get("/v1/deals/spidervet/spider-4/1?format=pysolfc")
    assert answer.status_code == 422
    assert fields(answer) == ["format"]
    assert client.get("/v1/deals/spidervet/spider-4/1?format=pso").status_code == 422


def test_a_deal_is_solved_by_number_or_by_cards(client: TestClient) -> None:
    made = deal("spider-1", 1)
    by_number = {"variant": "spider-1", "seed": 1, "nodes": 300_000}
    first = client.post("/v1/deals/solve", json=by_number).json()
    assert (first["verdict"], first["id"]) == ("solved", "spidervet:spider-1:1")
    for layout in (deal_object(made), write_deal(made, Format.SOLVITAIRE)):
        body = {"variant": "spider-1", "layout": layout, "nodes": 300_000}
        assert client.post("/v1/deals/solve", json=body).json()["moves"] == first["moves"]
    game = {"format": "spidervet-game/1", "variant": "spider-1", "id": first["id"], "moves": first["moves"]}
    judged = client.post("/v1/replays", json=game).json()
    assert (judged["won"], judged["moves"]) == (True, first["length"])


def test_a_deal_is_played_and_the_game_is_judged_the_same(client: TestClient) -> None:
    body = {"variant": "spiderette-1", "seed": "5", "player": "hint", "rng": 3}
    played = client.post("/v1/deals/play", json=body).json()
    assert (played["player"], played["id"]) == ("player:hint", "spidervet:spiderette-1:5")
    game = {
        "format": "spidervet-game/1",
        "variant": "spiderette-1",
        "id": played["id"],
        "moves": played["moves"],
    }
    judged = client.post("/v1/replays", json=game).json()
    assert judged["legal"] is True
    assert judged["scores"] == played["scores"]
    assert (judged["sequences"], judged["won"]) == (played["sequences"], played["won"])


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("solve", {"variant": "spider-9", "seed": 1}, "variant"),
    ("solve", {"variant": {"base": "spider-4", "suits": 3}, "seed": 1}, "variant.suits"),
    ("solve", {"variant": "spider-4"}, "seed"),
    ("solve", {"variant": "spider-4", "seed": 1, "layout": "x"}, "seed"),
    ("solve", {"variant": "spider-4", "seed": -1}, "seed"),
    ("solve", {"variant": "spider-4", "seed": 1, "scheme": "x"}, "scheme"),
    ("solve", {"variant": "spider-4", "layout": ": 4X"}, "layout"),
    ("solve", {"variant": "spider-4", "seed": 1, "nodes": 10**9}, "nodes"),
    ("solve", {"variant": "spider-4", "seed": 1, "nodes": 0}, "nodes"),
    ("solve", {"variant": "spider-4", "seed": 1, "nodes": False}, "nodes"),
    ("solve", {"variant": "spider-4", "seed": 1, "colour": "red"}, "colour"),
    ("play", {"variant": "spider-4", "seed": 1}, "player"),
    ("play", {"variant": "spider-4", "seed": 1, "player": "master"}, "player"),
    ("play", {"variant": "spider-4", "seed": 1, "player": {"solver": {"nodes": 1}}}, "player"),
    ("play", {"variant": "spider-4", "seed": 1, "player": "hint", "rng": -1}, "rng"),
]


@pytest.mark.parametrize(("what", "body", "field"), REFUSED)
def test_bad_requests_name_the_field(client: TestClient, what: str, body: dict[str, Any], field: str) -> None:
    answer = client.post(f"/v1/deals/{what}", json=body)
    assert answer.status_code == 422
    assert any(name.startswith(field) for name in fields(answer))


def test_a_full_desk_says_try_again(
    client: TestClient, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Desk(api_settings.model_copy(update={"interactive_calls": 0}))
    monkeypatch.setattr("api.routes.deals.desk_of", lambda _: full)
    assert desk_of(api_settings) is not full
    answer = client.post("/v1/deals/solve", json={"variant": "spider-1", "seed": 1})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


def test_a_replay_is_judged_to_its_first_fault(client: TestClient) -> None:
    game = game_object(GameRecord(deal("spider-4", 5), ("deal", "undo", "1>1")))
    judged = client.post("/v1/replays", json=game).json()
    assert (judged["legal"], judged["moves"], judged["undos"]) == (False, 1, 1)
    assert judged["fault"]["number"] == 3
    assert judged["fault"]["reason"] == "column 1 cannot move onto itself"
    assert "??" in judged["fault"]["position"]
    assert judged["scores"] == {"windows": 498, "windows-floor": 498, "solitaire-plus": 0, "none": None}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"format": "spidervet-game/2"}', b"\xff\xfe"])
def test_what_is_no_game_is_refused_with_line_and_column(client: TestClient, body: bytes) -> None:
    answer = client.post("/v1/replays", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert fields(answer) == ["body"]
    assert "line 1, column " in problem(answer, 422)["detail"]
