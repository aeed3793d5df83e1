"""Signing in and out as a browser does, with its cookies and forms."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.access import COOKIE
from api.app import create_app
from api.pages.login import local_path
from evaluation.access.roles import Role
from evaluation.access.tokens import create_token
from evaluation.db import Database
from evaluation.settings import Settings
from tests.support.jobs import SMALL

PAGE = {"Accept": "text/html"}


@pytest.fixture
def tokens(api_settings: Settings) -> dict[Role, str]:
    db = Database.from_settings(api_settings)
    made = {role: create_token(db, role.value, role) for role in Role}
    db.dispose()
    return made


@pytest.fixture
def browser(api_settings: Settings, tokens: dict[Role, str]) -> Iterator[TestClient]:
    with TestClient(create_app(api_settings), base_url="http://127.0.0.1", headers=PAGE) as it:
        yield it


def sign_in(browser: TestClient, token: str, after: str = "/") -> str:
    answer = browser.post("/login", data={"token": token, "next": after}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def csrf_in(browser: TestClient, path: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', browser.get(path).text)
    assert found, f"no form on {path} carries the token"
    return found[1]


def test_the_way_in_and_out(browser: TestClient, tokens: dict[Role, str]) -> None:
    away = browser.get("/workers", follow_redirects=False)
    assert away.headers["location"] == "/login?next=/workers"
    form = browser.get(away.headers["location"]).text
    assert 'name="token"' in form
    assert 'value="/workers"' in form
    assert sign_in(browser, tokens[Role.VIEWER], "/workers") == "/workers"
    shown = browser.get("/workers")
    assert shown.status_code == 200
    assert "viewer" in shown.text
    csrf = csrf_in(browser, "/workers")
    assert browser.post("/logout", data={}).status_code == 403
    assert browser.post("/logout", data={"csrf": csrf}, follow_redirects=False).status_code == 303
    assert browser.get("/workers", follow_redirects=False).status_code == 303


def test_a_cookie_kept_from_before_signing_out_opens_nothing(
    browser: TestClient, tokens: dict[Role, str]
) -> None:
    sign_in(browser, tokens[Role.VIEWER])
    kept = browser.cookies[COOKIE]
    browser.post("/logout", data={"csrf": csrf_in(browser, "/")})
    browser.cookies.clear()
    again = browser.get("/", headers={"Cookie": f"{COOKIE}={kept}"}, follow_redirects=False)
    assert again.headers["location"].startswith("/login")


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(
    browser: TestClient, tokens: dict[Role, str]
) -> None:
    answer = browser.post("/login", data={"token": tokens[Role.VIEWER]}, follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    assert tokens[Role.VIEWER] not in cookie
    secure = browser.post(
        "https://127.0.0.1/login", data={"token": tokens[Role.VIEWER]}, follow_redirects=False
    )
    assert "Secure" in secure.headers["set-cookie"]


def test_a_wrong_token_is_told_on_the_form_and_not_shown_again(browser: TestClient) -> None:
    answer = browser.post("/login", data={"token": "svt_0_guess", "next": "/workers"})
    assert answer.status_code == 401
    assert "unknown, revoked or expired" in answer.text
    assert "guess" not in answer.text
    assert 'value="/workers"' in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "/a\nb"],
)
def test_signing_in_leads_to_pages_of_the_service_only(target: str) -> None:
    assert local_path(target) == "/"


def test_a_viewer_gets_no_job_from_the_form_and_a_submitter_owns_theirs(
    browser: TestClient, tokens: dict[Role, str]
) -> None:
    fields = {"csrf": "", "name": "mine", "first": "1", "count": "3"}
    sign_in(browser, tokens[Role.VIEWER])
    refused = browser.post("/jobs/new", data={**fields, "csrf": csrf_in(browser, "/")})
    assert refused.status_code == 403
    browser.cookies.clear()
    sign_in(browser, tokens[Role.SUBMITTER])
    headers = {"X-CSRF-Token": csrf_in(browser, "/")}
    made = browser.post("/v1/jobs", json=SMALL, headers=headers).json()
    assert made["owner"] == "submitter"
    browser.cookies.clear()
    sign_in(browser, tokens[Role.EDITOR])
    csrf = csrf_in(browser, "/")
    assert browser.post(f"/jobs/{made['id']}/cancel", data={"csrf": csrf}).status_code == 403
    browser.cookies.clear()
    sign_in(browser, tokens[Role.SUBMITTER])
    csrf = csrf_in(browser, "/")
    done = browser.post(f"/jobs/{made['id']}/cancel", data={"csrf": csrf}, follow_redirects=False)
    assert done.status_code == 303
    assert browser.get(f"/v1/jobs/{made['id']}").json()["state"] in ("cancelling", "cancelled")
