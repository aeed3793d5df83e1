"""HEAD is GET without its body, on every route, also where the body would go on for ever."""

import pytest
from fastapi.testclient import TestClient

from evaluation.access.roles import Role
from evaluation.access.tokens import create_token
from evaluation.db import Database
from evaluation.settings import Settings
from tests.support.jobs import SMALL


@pytest.mark.parametrize(
    "path", ["/v1/jobs", "/v1/variants", "/healthz", "/metrics", "/", "/static/app.css", "/nowhere"]
)
def test_the_headers_are_those_of_get(client: TestClient, path: str) -> None:
    got, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (got.status_code, b"")
    assert head.headers["content-type"] == got.headers["content-type"]
    assert "content-security-policy" in head.headers


def test_what_has_no_get_has_no_head(client: TestClient) -> None:
    assert client.head("/v1/deals/solve").status_code == 405


def test_a_body_that_streams_is_not_made(client: TestClient) -> None:
    job_id = client.post("/v1/jobs", json=SMALL).json()["id"]
    head = client.head(f"/v1/jobs/{job_id}/events")  # nobody works at it: with GET this stream has no end
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")
    file = client.head(f"/v1/jobs/{job_id}/report.csv")
    assert (file.status_code, file.content) == (200, b"")
    assert (
        file.headers["content-disposition"]
        == client.get(file.request.url.path).headers["content-disposition"]
    )


def test_requests_are_counted_as_what_they_were(client: TestClient) -> None:
    client.head("/v1/jobs")
    text = client.get("/metrics").text
    assert 'spidervet_http_requests_total{method="HEAD",route="/v1/jobs",status="200"} 1.0' in text


def test_a_door_that_is_shut_is_shut_to_head(client: TestClient, api_settings: Settings) -> None:
    db = Database.from_settings(api_settings)
    create_token(db, "ada", Role.VIEWER)
    db.dispose()
    assert client.head("/v1/jobs").status_code == 401
