"""Completion messages to a real receiver on loopback."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update

from evaluation.db import Database
from evaluation.ledger.control import cancel, delete_job
from evaluation.ledger.views import events_after
from evaluation.metrics import read_totals
from evaluation.notify.notifier import Notifier, due, pause_s
from evaluation.notify.sending import SIGNATURE, TRIES, sign
from evaluation.notify.tables import Notification
from evaluation.schema import Job
from evaluation.settings import Settings
from evaluation.spec import SpecError, parse_spec, plan_job
from tests.support.jobs import SMALL, submit_small

KEY = "a key for tests"


class Receiver:
    """Keeps what it gets; answers with the next of `answers`, then 204."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append((dict(self.headers), body))
                status = outer.answers.pop(0) if outer.answers else 204
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", outer.url + "/elsewhere")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook?a=1"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    it = Receiver()
    yield it
    it.close()


@pytest.fixture
def sending(ledger_settings: Settings) -> Settings:
    return ledger_settings.model_copy(
        update={
            "notify_key": SecretStr(KEY),
            "notify_allow": "127.0.0.1/32",
            "notify_attempts": 2,
            "notify_pause_s": 0.0001,
        }
    )


def ended(db: Database, settings: Settings, receiver: Receiver) -> str:
    job_id = submit_small(db, settings, notify=receiver.url)
    assert due(db) == [], "nothing is told before the end"
    cancel(db, job_id)
    return job_id


def state_of(db: Database, job_id: str) -> tuple[str, int, str]:
    with db.read() as conn:
        row = conn.execute(select(Notification.__table__).where(Notification.job_id == job_id)).one()
    return row.state, row.attempts, row.error


def test_the_end_of_a_job_is_told_once_signed(db: Database, sending: Settings, receiver: Receiver) -> None:
    job_id = ended(db, sending, receiver)
    notifier = Notifier(db, sending)
    assert notifier.step() == 1
    assert notifier.step() == 0
    ((headers, body),) = receiver.got
    told = json.loads(body)
    assert told["event"] == "job.ended"
    assert (told["job"]["id"], told["job"]["state"]) == (job_id, "cancelled")
    stamp, _, digest = headers[SIGNATURE].removeprefix("t=").partition(",v1=")
    assert abs(time.time() - int(stamp)) < 60
    wanted = hmac.new(KEY.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert digest == wanted
    assert state_of(db, job_id) == ("delivered", 1, "")


def test_a_receiver_that_stumbles_is_asked_again_at_once(
    db: Database, sending: Settings, receiver: Receiver
) -> None:
    ended(db, sending, receiver)
    receiver.answers = [503, 429]
    assert Notifier(db, sending).step() == 1
    assert len(receiver.got) == 3 == TRIES


def test_a_receiver_that_refuses_is_given_up_and_the_job_says_so(
    db: Database, sending: Settings, receiver: Receiver
) -> None:
    job_id = ended(db, sending, receiver)
    receiver.answers = [500] * 2 * TRIES
    notifier = Notifier(db, sending)
    assert notifier.step() == 0
    assert state_of(db, job_id) == ("waiting", 1, "it answers 500")
    time.sleep(0.01)
    assert notifier.step() == 0
    assert state_of(db, job_id)[:2] == ("given_up", 2)
    assert notifier.step() == 0
    assert len(receiver.got) == 2 * TRIES
    lines = [e.data["message"] for e in events_after(db, job_id, 0) if e.kind == "log"]
    assert "completion message, attempt 2: it answers 500; given up" in lines
    counted = {json.loads(k)["outcome"]: n for k, n in read_totals(db)["notifications"].items()}
    assert counted == {"failed": 1, "given_up": 1}


def test_gone_is_gone(db: Database, sending: Settings, receiver: Receiver) -> None:
    job_id = ended(db, sending, receiver)
    receiver.answers = [410]
    Notifier(db, sending).step()
    assert state_of(db, job_id)[:2] == ("given_up", 1)
    assert len(receiver.got) == 1


def test_a_redirect_leads_nowhere(db: Database, sending: Settings, receiver: Receiver) -> None:
    job_id = ended(db, sending, receiver)
    receiver.answers = [302] * TRIES
    Notifier(db, sending).step()
    assert state_of(db, job_id)[2] == "it answers 302"
    assert all("elsewhere" not in str(h) for h, _ in receiver.got)


def test_a_host_that_moves_inside_is_not_followed(
    db: Database, sending: Settings, receiver: Receiver
) -> None:
    job_id = ended(db, sending, receiver)
    with db.write() as conn:
        conn.execute(update(Notification).values(url="https://hooks.example/"))
    Notifier(db, sending, lambda host, port: ["10.0.0.1"]).step()
    assert state_of(db, job_id)[2] == "hooks.example is 10.0.0.1, which is not a public address"
    assert receiver.got == []


def test_only_one_process_sends(db: Database, sending: Settings, receiver: Receiver) -> None:
    ended(db, sending, receiver)
    first, second = Notifier(db, sending), Notifier(db, sending)
    assert [first.step(), second.step()] == [1, 0]


def test_a_deleted_job_takes_its_message_along(db: Database, sending: Settings, receiver: Receiver) -> None:
    job_id = ended(db, sending, receiver)
    delete_job(db, job_id)
    with db.read() as conn:
        assert conn.execute(select(Job.id)).all() == []
    assert due(db) == []


def test_a_job_may_not_ask_where_nothing_can_be_signed_or_sent(settings: Settings, sending: Settings) -> None:
    asks = parse_spec({**SMALL, "notify": "https://hooks.example/"})
    with pytest.raises(SpecError, match="notify: this service sends no messages"):
        plan_job(asks, settings)
    plan_job(asks, sending)
    with pytest.raises(SpecError, match=r"notify: 10\.0\.0\.1 is 10\.0\.0\.1, which is not a public address"):
        plan_job(parse_spec({**SMALL, "notify": "https://10.0.0.1/"}), sending)


def test_signatures_bind_time_and_body() -> None:
    assert len({sign(b"a", "k", 1), sign(b"a", "k", 2), sign(b"b", "k", 1), sign(b"a", "l", 1)}) == 4


def test_pauses_grow_to_an_hour() -> None:
    assert [pause_s(n, 10) for n in (1, 2, 3, 9)] == [10, 40, 160, 3600]
