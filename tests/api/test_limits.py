"""Bodies that are too long, and bodies that never come to their end."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.service import Service

PATH = "/v1/jobs"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    limits = {"SPIDERVET_BODY_SECONDS": "0.5", "SPIDERVET_MAX_BODY_BYTES": "20000"}
    folder: Path = tmp_path_factory.mktemp("limits")
    it = Service(folder / "data", limits, ("serve", "--port", "0", "--api-only"))
    try:
        yield it.start()
    finally:
        it.stop()


def dripped(service: Service, announced: int, pieces: Iterator[bytes]) -> tuple[str, dict[str, object]]:
    """Send a body piece by piece until the service answers and closes; gives its head and problem."""
    host, _, port = service.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as sock:
        head = f"POST {PATH} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        sock.sendall(f"{head}Content-Length: {announced}\r\n\r\n".encode())
        sock.settimeout(0.1)
        answer = b""
        for piece in pieces:
            sock.sendall(piece)
            try:
                answer = sock.recv(4096)
            except TimeoutError:
                continue
            break
        sock.settimeout(30)
        while more := sock.recv(4096):  # ends only because the service closes the connection
            answer += more
    text, _, body = answer.decode().partition("\r\n\r\n")
    return text, json.loads(body)


@pytest.mark.parametrize("piece", [b"", b"x"])
def test_a_body_that_never_ends_is_answered_and_cut(service: Service, piece: bytes) -> None:
    def pieces() -> Iterator[bytes]:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            yield piece

    head, problem = dripped(service, 10_000, pieces())
    assert head.startswith("HTTP/1.1 408 ")
    assert problem["type"] == "/problems/too-slow"
    assert problem["detail"] == "the body did not arrive within 0.5 s"


def test_a_long_body_in_time_is_refused_for_its_length_alone(service: Service) -> None:
    assert service.post(PATH, {"name": "x" * 30_000}).status_code == 413


def test_streams_may_last_longer_than_a_body(service: Service) -> None:
    job_id = service.submit(
        {
            "deals": {"first": 1, "count": 5},
            "variants": ["spider-1"],
            "evaluators": [{"player": "hint"}],
        }
    )
    host, _, port = service.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as sock:
        sock.sendall(f"GET /v1/jobs/{job_id}/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        time.sleep(1.5)
        service.post(f"/v1/jobs/{job_id}/cancel")
        seen = b""
        while b"cancelled" not in seen:
            more = sock.recv(4096)
            assert more, seen
            seen += more


HALF = b"GET /healthz HTTP/1.1\r\nHost: loc"


def connected(service: Service) -> socket.socket:
    host, _, port = service.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


@pytest.mark.parametrize("sent", [b"", HALF], ids=["nothing", "half a head"])
def test_a_connection_that_asks_for_nothing_is_closed(service: Service, sent: bytes) -> None:
    with connected(service) as sock:
        sock.sendall(sent)
        assert sock.recv(4096) == b""


def test_a_second_request_may_come_later_but_not_by_halves(service: Service) -> None:
    connection = HTTPConnection(service.url.removeprefix("http://"), timeout=30)
    for _ in range(2):
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (200, True)
        time.sleep(1.0)  # twice the time for a head: between requests the connection stays
    connection.sock.sendall(HALF)
    assert connection.sock.recv(4096) == b""
    connection.close()
