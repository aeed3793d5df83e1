"""Whatever goes wrong, a browser gets a page and a program a problem, also before any route."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.pages.errors import sentence
from api.problems import Problem
from evaluation.access.roles import Role
from evaluation.access.tokens import create_token
from evaluation.db import Database
from evaluation.settings import Settings

PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
LARGE = {"text": "x" * 30_000}


@pytest.fixture
def client(api_settings: Settings) -> Iterator[TestClient]:
    """The application with a route that fails as told; 0 stands for a fault in the service itself."""
    app = create_app(api_settings)

    @app.api_route("/fails/{status}", methods=["GET", "POST"])
    def fails(status: int) -> None:
        if not status:
            raise ZeroDivisionError
        raise Problem(status, "this and that", headers={"Retry-After": "7"})

    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("status", [400, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_every_error_is_a_page_to_browsers_and_a_problem_to_programs(
    client: TestClient, method: str, status: int
) -> None:
    path = f"/fails/{0 if status == 500 else status}"
    page = client.request(method, path, headers=PAGE)
    assert page.status_code == status
    assert page.headers["content-type"].startswith("text/html")
    assert f'<p class="empty-code">{status}</p>' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    program = client.request(method, path)
    assert program.status_code == status
    assert program.headers["content-type"] == "application/problem+json"
    if status != 500:
        assert "This and that." in page.text
        assert page.headers["retry-after"] == program.headers["retry-after"] == "7"


def test_a_method_that_a_page_does_not_take_is_told_on_a_page(client: TestClient) -> None:
    answer = client.post("/workers", headers=PAGE)
    assert answer.status_code == 405
    assert "does not take what was sent" in answer.text
    assert answer.headers["allow"] == "GET"


@pytest.mark.parametrize("announced", [True, False])
def test_a_file_that_is_too_large_is_told_on_a_page_with_the_way_back(
    client: TestClient, announced: bool
) -> None:
    headers = PAGE | {"Referer": "http://testserver/deals"}
    if announced:
        answer = client.post("/deals/import", data=LARGE, headers=headers)
    else:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        pieces = iter([b"text=", b"x" * 30_000])
        answer = client.post("/deals/import", content=pieces, headers=headers | kind)
    assert answer.status_code == 413
    assert answer.headers["content-type"].startswith("text/html")
    assert "larger than 20,000 bytes" in answer.text
    assert 'href="/deals" data-back' in answer.text
    assert client.post("/deals/import", data=LARGE).headers["content-type"] == "application/problem+json"
    api = client.post("/v1/jobs", json=LARGE, headers=PAGE)
    assert api.headers["content-type"] == "application/problem+json"


def test_the_way_back_leads_nowhere_else(client: TestClient) -> None:
    for came in ("https://elsewhere.example/deals", "javascript:alert(1)", "//elsewhere.example/"):
        answer = client.post("/fails/422", headers=PAGE | {"Referer": came})
        assert "data-back" not in answer.text
        assert "elsewhere" not in answer.text


def test_a_session_that_has_ended_is_led_to_its_end_on_a_page(
    api_settings: Settings, client: TestClient
) -> None:
    db = Database.from_settings(api_settings)
    create_token(db, "ada", Role.ADMIN)
    db.dispose()
    came = {"Referer": "http://testserver/jobs/new?from=x"}
    answer = client.post("/jobs/new", data={"name": "n"}, headers=PAGE | came)
    assert answer.status_code == 401
    assert 'href="/login?next=/jobs/new%3Ffrom%3Dx"' in answer.text
    foreign = client.post("/jobs/new", headers=PAGE | {"Origin": "https://elsewhere.example"})
    assert foreign.status_code == 403
    assert "another origin" in foreign.text
    assert foreign.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the job runs", "The job runs."),
        ("limit: 9; at most 5", "limit: 9; at most 5."),
        ("Others wait; try again.", "Others wait; try again."),
        ("", ""),
    ],
)
def test_details_become_sentences(text: str, said: str) -> None:
    assert sentence(text) == said
