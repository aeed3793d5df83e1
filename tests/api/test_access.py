"""Who is let in, who may do what, and what a foreign web page may not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from api.access import COOKIE, SAFE, is_loopback
from api.app import create_app
from evaluation.access.roles import Identity, Limits, Role
from evaluation.access.sessions import csrf_of, open_session
from evaluation.access.tokens import create_token, identify, revoke_token
from evaluation.db import Database
from evaluation.settings import Settings
from tests.support.jobs import SMALL
from tests.support.routes import routes_below


@pytest.fixture
def client(settings: Settings, ledger: Database) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as it:
        yield it


def bearer(db: Database, name: str, role: Role, **limits: int) -> dict[str, str]:
    return {"Authorization": f"Bearer {create_token(db, name, role, limits=Limits(**limits))}"}


def signed_in(db: Database, client: TestClient, name: str, role: Role) -> tuple[Identity, str]:
    """A browser session: sets the cookie, gives who it is and the token of its forms."""
    who = identify(db, create_token(db, name, role))
    assert who is not None
    cookie = open_session(db, who, 1)
    client.cookies.set(COOKIE, cookie, domain="127.0.0.1")
    return who, csrf_of(cookie)


def post(client: TestClient, headers: dict[str, str] | None = None, **changes: Any) -> Any:
    return client.post("/v1/jobs", json={**SMALL, **changes}, headers=headers)


def test_without_tokens_loopback_is_open(client: TestClient) -> None:
    assert post(client).status_code == 202
    assert client.get("/v1/jobs").json()["jobs"][0]["owner"] is None


def test_the_first_token_shuts_the_door_while_the_service_runs(client: TestClient, ledger: Database) -> None:
    assert client.get("/v1/jobs").status_code == 200
    ann = bearer(ledger, "ann", Role.VIEWER)
    answer = client.get("/v1/jobs")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-type"] == "application/problem+json"
    assert client.get("/v1/jobs", headers=ann).status_code == 200
    revoke_token(ledger, "ann")
    assert client.get("/v1/jobs", headers=ann).status_code == 401
    assert client.get("/v1/jobs").status_code == 401


def test_beyond_loopback_there_is_no_open_door(settings: Settings, ledger: Database) -> None:
    with TestClient(create_app(settings.model_copy(update={"host": "0.0.0.0"}))) as client:
        assert client.get("/v1/jobs").status_code == 401
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
        assert client.get("/metrics").status_code == 401


@pytest.mark.parametrize("text", ["nonsense", "svt_00000000_x", "", "Ünicode"])
def test_a_wrong_token_is_401_even_where_nobody_needs_one(client: TestClient, text: str) -> None:
    answer = client.get("/v1/jobs", headers={"Authorization": f"Bearer {text}".encode("latin-1")})
    assert answer.status_code == 401
    assert "unknown, revoked or expired" in answer.json()["detail"]


def test_guessing_tokens_is_slowed_down(settings: Settings, ledger: Database) -> None:
    ann = bearer(ledger, "ann", Role.VIEWER)
    with TestClient(create_app(settings.model_copy(update={"login_rate": 3}))) as client:
        wrong = {"Authorization": "Bearer svt_00000000_x"}
        codes = [client.get("/v1/jobs", headers=wrong).status_code for _ in range(5)]
        assert codes == [401, 401, 401, 429, 429]
        assert client.get("/v1/jobs", headers=ann).status_code == 429
        assert int(client.get("/v1/jobs", headers=ann).headers["retry-after"]) >= 1


def test_roles_at_the_jobs(client: TestClient, ledger: Database) -> None:
    viewer, submitter = bearer(ledger, "vic", Role.VIEWER), bearer(ledger, "sue", Role.SUBMITTER)
    other, admin = bearer(ledger, "sam", Role.EDITOR), bearer(ledger, "ada", Role.ADMIN)
    refused = post(client, viewer)
    assert refused.status_code == 403
    assert refused.json()["detail"] == "this takes the role submitter; vic is viewer"
    made = post(client, submitter).json()
    assert made["owner"] == "sue"
    url = f"/v1/jobs/{made['id']}"
    assert client.get(url, headers=viewer).status_code == 200
    for who in (viewer, other):
        assert client.post(f"{url}/cancel", headers=who).status_code == 403
        assert client.post(f"{url}/retry", headers=who).status_code == 403
        assert client.delete(url, headers=who).status_code == 403
    assert client.post(f"{url}/cancel", headers=submitter).status_code == 202
    assert client.delete(url, headers=admin).status_code == 204
    assert client.delete(url, headers=admin).status_code == 404


def test_what_vetting_works_on_is_there_for_editors_only(client: TestClient, ledger: Database) -> None:
    from sqlalchemy import update

    from evaluation.schema import Job

    submitter, editor = bearer(ledger, "sue", Role.SUBMITTER), bearer(ledger, "ed", Role.EDITOR)
    job_id = post(client, submitter).json()["id"]
    with ledger.write() as conn:
        conn.execute(update(Job).values(kind="vetting"))
    for path in ("", "/results", "/events", "/report.json", "/report.csv"):
        assert client.get(f"/v1/jobs/{job_id}{path}", headers=submitter).status_code == 404
    assert client.post(f"/v1/jobs/{job_id}/cancel", headers=submitter).status_code == 404
    assert client.get("/v1/jobs", headers=submitter).json()["jobs"] == []
    assert len(client.get("/v1/jobs", headers=editor).json()["jobs"]) == 1
    assert client.get(f"/v1/jobs/{job_id}", headers=editor).status_code == 200


def test_a_tokens_limits_are_answered_with_their_reason(client: TestClient, ledger: Database) -> None:
    sue = bearer(ledger, "sue", Role.SUBMITTER, open_jobs=1, seeds=10, nodes=0)
    too_many = post(client, sue, deals={"first": 1, "count": 11})
    assert too_many.status_code == 422
    assert too_many.json()["errors"][0]["field"] == "deals"
    assert post(client, sue, evaluators=[{"solver": {"nodes": 5}}]).status_code == 422
    keyed = {**sue, "Idempotency-Key": "k"}
    assert post(client, keyed).status_code == 202
    second = post(client, sue)
    assert second.status_code == 429
    assert second.json()["detail"] == "sue has 1 job open; this token may have 1"
    assert post(client, keyed).status_code == 202, "a repeated request is not one more job"


def test_idempotency_keys_of_two_tokens_are_apart(client: TestClient, ledger: Database) -> None:
    ids = {
        post(client, {**bearer(ledger, name, Role.SUBMITTER), "Idempotency-Key": "same"}).json()["id"]
        for name in ("sue", "sam")
    }
    assert len(ids) == 2


def test_a_tokens_rate_is_kept(client: TestClient, ledger: Database) -> None:
    ann = bearer(ledger, "ann", Role.VIEWER, rate=5)
    codes = [client.get("/v1/variants", headers=ann).status_code for _ in range(7)]
    assert codes[:5] == [200] * 5
    assert codes[5:] == [429] * 2


def test_a_session_needs_the_token_of_its_forms(client: TestClient, ledger: Database) -> None:
    _, csrf = signed_in(ledger, client, "sue", Role.SUBMITTER)
    assert client.get("/v1/jobs").status_code == 200
    assert post(client).status_code == 403
    assert post(client, {"X-CSRF-Token": "0" * 64}).status_code == 403
    assert post(client, {"X-CSRF-Token": csrf}).status_code == 202


@pytest.mark.parametrize("multipart", [False, True])
def test_a_form_carries_the_token_as_a_field(client: TestClient, ledger: Database, multipart: bool) -> None:
    _, csrf = signed_in(ledger, client, "sue", Role.SUBMITTER)
    files = {"file": ("a.txt", b"x" * 70_000)} if multipart else None
    url = "/v1/jobs/none/cancel"
    assert client.post(url, data={"csrf": csrf}, files=files).status_code == 404, "past the gate"
    assert client.post(url, data={"csrf": "wrong"}, files=files).status_code == 403
    assert client.post(url, data={"other": "1"}, files=files).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8080"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_elsewhere_cannot_post(client: TestClient, headers: dict[str, str]) -> None:
    assert post(client, headers).status_code == 403
    assert client.get("/v1/jobs", headers=headers).status_code == 200


def test_a_page_of_the_service_can_post(client: TestClient) -> None:
    assert post(client, {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}).status_code == 202


@pytest.mark.parametrize(
    ("host", "status"), [("evil.example", 403), ("localhost:8000", 200), ("[::1]:80", 200)]
)
def test_an_open_service_answers_to_loopback_names_only(client: TestClient, host: str, status: int) -> None:
    assert client.get("/v1/jobs", headers={"Host": host}).status_code == status


def test_browsers_are_led_to_the_login_page(client: TestClient, ledger: Database) -> None:
    create_token(ledger, "ann", Role.VIEWER)
    page = {"Accept": "text/html,*/*"}
    answer = client.get("/jobs/new?a=1", headers=page, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=/jobs/new%3Fa%3D1"
    assert client.get("/v1/jobs", headers=page, follow_redirects=False).status_code == 401


def test_every_answer_carries_the_headers(client: TestClient) -> None:
    for path in ("/healthz", "/v1/jobs", "/nowhere", "/v1/jobs/none"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in headers
        assert "server" not in headers
    assert "strict-transport-security" in client.get("https://127.0.0.1/healthz").headers


def test_no_other_origin_is_let_in_by_cors(client: TestClient) -> None:
    answer = client.options(
        "/v1/jobs", headers={"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    )
    assert not [h for h in answer.headers if h.startswith("access-control")]


def roles_of(route: APIRoute) -> list[Role]:
    """The roles that a route's dependencies ask for."""
    found, todo = [], [route.dependant]
    while todo:
        dependant = todo.pop()
        role = getattr(dependant.call, "role", None)
        if role is not None:
            found.append(role)
        todo += dependant.dependencies
    return found


def test_every_route_that_changes_something_says_who_may(settings: Settings) -> None:
    app = create_app(settings)
    routes = [r for r in routes_below(app.routes) if not r.methods <= set(SAFE)]
    silent = [r.path for r in routes if not roles_of(r) and r.path not in ("/login", "/logout")]
    assert len(routes) >= 4
    assert silent == []


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
     ("::", False), ("192.168.1.5", False), ("example.org", False)],
)  # fmt: skip
def test_is_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
