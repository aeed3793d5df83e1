"""Tokens, sessions and quotas on both databases."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import select, update

from evaluation.access.quota import QuotaError, check_open_jobs, check_plan, nodes_of
from evaluation.access.roles import LOCAL, Identity, Limits, Role
from evaluation.access.sessions import close_session, csrf_of, identify_session, open_session
from evaluation.access.tables import Session, Token
from evaluation.access.tokens import (
    TokenError,
    any_tokens,
    create_token,
    identify,
    list_tokens,
    revoke_token,
)
from evaluation.db import Database
from evaluation.ledger.submit import submit
from evaluation.settings import Settings
from evaluation.spec import SpecError, parse_spec, plan_job


def named(name: str) -> dict[str, object]:
    return {
        "name": name,
        "deals": {"scheme": "spidervet", "first": 1, "count": 10},
        "variants": ["spider-1"],
        "evaluators": [{"solver": {"nodes": 1000, "shorten_nodes": 500}}, {"player": "hint"}],
    }


def test_roles_are_ordered() -> None:
    for i, role in enumerate(Role):
        assert [role.covers(other) for other in Role] == [j <= i for j in range(len(Role))]


def test_who_may_change_and_see_a_job() -> None:
    ann = Identity("ann", Role.SUBMITTER, "1")
    assert ann.may_change("ann")
    assert not ann.may_change("bob")
    assert not ann.may_change(None)
    assert not Identity("ann", Role.VIEWER, "1").may_change("ann")
    assert Identity("root", Role.ADMIN, "2").may_change("ann")
    assert LOCAL.may_change(None)
    assert not ann.may_see("vetting")
    assert Identity("ed", Role.EDITOR, "3").may_see("vetting")


def test_a_token_is_stored_as_a_hash_and_found_by_its_text(db: Database) -> None:
    assert not any_tokens(db)
    text = create_token(db, "ann", Role.EDITOR, limits=Limits(open_jobs=3, rate=7))
    with db.read() as conn:
        row = conn.execute(select(Token.__table__)).one()
    assert text.split("_")[2] not in str(tuple(row))
    assert any_tokens(db)
    assert identify(db, text) == Identity("ann", Role.EDITOR, row.id, Limits(open_jobs=3, rate=7))


@pytest.mark.parametrize(
    "spoil", [str.upper, lambda t: t[:-1], lambda t: t + "x", lambda t: "", lambda t: "svt"]
)
def test_any_other_text_is_nobody(db: Database, spoil: object) -> None:
    text = create_token(db, "ann", Role.VIEWER)
    assert identify(db, spoil(text)) is None  # type: ignore[operator]


def test_a_revoked_token_is_nobody_and_its_sessions_end(db: Database) -> None:
    text = create_token(db, "ann", Role.VIEWER)
    ann = identify(db, text)
    assert ann is not None
    cookie = open_session(db, ann, hours=1)
    assert identify_session(db, cookie) == ann
    assert revoke_token(db, "ann").state == "revoked"
    assert identify(db, text) is None
    assert identify_session(db, cookie) is None
    assert any_tokens(db), "revoking the last token must not open the service again"
    with pytest.raises(TokenError, match="no token 'bob'"):
        revoke_token(db, "bob")


def test_an_expired_token_is_nobody(db: Database) -> None:
    text = create_token(db, "ann", Role.VIEWER, days=0)
    assert identify(db, text) is None
    assert [t.state for t in list_tokens(db)] == ["expired"]


def test_a_name_is_used_once(db: Database) -> None:
    create_token(db, "ann", Role.VIEWER)
    revoke_token(db, "ann")
    with pytest.raises(TokenError, match="named 'ann' already"):
        create_token(db, "ann", Role.ADMIN)
    with pytest.raises(TokenError, match="letters, digits"):
        create_token(db, "=ann", Role.ADMIN)


def test_a_session_ends_by_time_and_by_signing_out(db: Database) -> None:
    ann = identify(db, create_token(db, "ann", Role.VIEWER))
    assert ann is not None
    first, second = open_session(db, ann, 1), open_session(db, ann, 1)
    assert first != second
    assert csrf_of(first) != csrf_of(second)
    close_session(db, first)
    assert identify_session(db, first) is None
    with db.write() as conn:
        conn.execute(update(Session).values(expires_at=0.0))
    assert identify_session(db, second) is None
    open_session(db, ann, 1)
    with db.read() as conn:
        assert len(conn.execute(select(Session.hash)).all()) == 1, "ended sessions are cleared away"


def test_a_job_beyond_the_tokens_size_is_refused_by_field(settings: Settings) -> None:
    plan = plan_job(parse_spec(named("a")), settings)
    assert nodes_of(plan) == 10 * 1500
    check_plan(Identity("ann", Role.SUBMITTER, "1", Limits(seeds=10, nodes=15_000)), plan, settings)
    with pytest.raises(SpecError, match="deals: 10 deals; a job of this token may have 9"):
        check_plan(Identity("ann", Role.SUBMITTER, "1", Limits(seeds=9)), plan, settings)
    with pytest.raises(SpecError, match="evaluators: up to 15,000 solver nodes"):
        check_plan(Identity("ann", Role.SUBMITTER, "1", Limits(nodes=14_999)), plan, settings)


def test_ten_posts_at_once_do_not_pass_the_limit_of_open_jobs(
    db: Database, ledger_settings: Settings
) -> None:
    ann = identify(db, create_token(db, "ann", Role.SUBMITTER, limits=Limits(open_jobs=3)))
    assert ann is not None
    plans = [plan_job(parse_spec(named(f"job {i}")), ledger_settings) for i in range(10)]
    refused: list[str] = []

    def post(i: int) -> None:
        try:
            submit(db, plans[i], ledger_settings, owner=ann)
        except QuotaError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=post, args=[i]) for i in range(10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert refused == ["ann has 3 jobs open; this token may have 3"] * 7
    with db.write() as conn:
        check_open_jobs(conn, LOCAL, ledger_settings)
