"""The HTTP API from a shell: a thin client that turns problems into one line."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import orjson

from cli.common import NEGATIVE, USAGE, fail

TIMEOUT_S = 30.0


@dataclass(frozen=True)
class StreamEvent:
    """One event of a job's stream."""

    kind: str
    data: dict[str, Any]


class Client:
    """Requests to one service. A problem ends the command: exit 2 where the request is at fault, else 1."""

    def __init__(self, url: str) -> None:
        token = os.environ.get("SPIDERVET_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._url = url.rstrip("/")
        try:
            self._http = httpx2.Client(base_url=self._url, timeout=TIMEOUT_S, headers=headers)
        except httpx2.InvalidURL as error:
            fail(f"{url} is not an address: {error}", USAGE)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.close()

    def get(self, path: str, patience_s: float = 0.0) -> Any:
        """A document; a service that is away or answers 5xx is asked again for `patience_s`."""
        return self._call("GET", path, patience_s=patience_s)

    def post(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        return self._call("POST", path, body, headers)

    def delete(self, path: str) -> None:
        self._call("DELETE", path)

    def _call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        patience_s: float = 0.0,
    ) -> Any:
        content = None if body is None else orjson.dumps(body)
        sent = {"Content-Type": "application/json", **(headers or {})} if content else headers
        end = time.monotonic() + patience_s
        while True:
            late = time.monotonic() >= end
            try:
                answer = self._http.request(method, path, content=content, headers=sent)
                if answer.status_code < 500 or late:
                    break
            except httpx2.HTTPError as error:
                if late:
                    fail(f"{self._url} does not answer: {error}")
            time.sleep(1)
        if answer.status_code >= 400:
            _refused(answer.status_code, answer.content)
        try:
            return orjson.loads(answer.content) if answer.content else None
        except orjson.JSONDecodeError:
            fail(f"{self._url} answers, but not as this service does: {answer.text[:80]!r}")

    def download(self, path: str, target: Path) -> None:
        """Save a response's body; a cut download leaves no file."""
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        try:
            with self._http.stream("GET", path, timeout=None) as answer:
                if answer.status_code >= 400:
                    _refused(answer.status_code, answer.read())
                with draft.open("wb") as file:
                    for piece in answer.iter_bytes():
                        file.write(piece)
            draft.replace(target)
        except httpx2.HTTPError as error:
            fail(f"the download broke off: {error}")
        finally:
            draft.unlink(missing_ok=True)

    def events(self, path: str) -> Iterator[StreamEvent]:
        """A job's events until its stream ends; raises ConnectionError when it breaks."""
        kind, lines = "message", list[str]()
        try:
            with self._http.stream("GET", path, timeout=60) as answer:
                if answer.status_code >= 400:
                    _refused(answer.status_code, answer.read())
                for line in answer.iter_lines():
                    name, _, value = line.partition(":")
                    value = value.removeprefix(" ")
                    if name == "event":
                        kind = value
                    elif name == "data":
                        lines.append(value)
                    elif not line and lines:
                        yield StreamEvent(kind, orjson.loads("\n".join(lines)))
                        kind, lines = "message", []
        except httpx2.HTTPError as error:
            raise ConnectionError(str(error)) from error


def _refused(status: int, body: bytes) -> None:
    try:
        problem = orjson.loads(body)
        detail = (
            "\n".join(f"{e['field']}: {e['message']}" for e in problem.get("errors", ())) or problem["detail"]
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        detail = body[:200].decode(errors="replace")
    fail(f"{detail} ({status})", USAGE if status in (400, 413, 422) else NEGATIVE)
