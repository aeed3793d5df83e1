"""One message: its body, its signature, and the request that carries it."""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass
from typing import Any

import httpx2
import orjson
import stamina

from evaluation.ledger.views import JobView
from evaluation.notify.address import Resolve, resolve, target_of
from evaluation.settings import Settings
from evaluation.versions import engine_version

SIGNATURE = "X-Spidervet-Signature"
TRIES = 3


class DeliveryError(Exception):
    """The message was not taken. lasting: trying again cannot help."""

    def __init__(self, text: str, lasting: bool = False) -> None:
        super().__init__(text)
        self.lasting = lasting


@dataclass(frozen=True)
class Message:
    """A signed body."""

    body: bytes
    signature: str


def body_of(job: JobView) -> dict[str, Any]:
    """What the message tells: the job as the API shows it, without its arms."""
    return {"event": "job.ended", "job": job.to_json()}


def sign(body: bytes, key: str, at: int) -> str:
    """``t=SECONDS,v1=HEX``: HMAC-SHA256 of ``SECONDS.BODY``, so that an old message cannot be sent again."""
    digest = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def message_of(job: JobView, key: str, at: int) -> Message:
    """A job's message, signed at a time."""
    body = orjson.dumps(body_of(job))
    return Message(body, sign(body, key, at))


def deliver(url: str, job: JobView, settings: Settings, resolver: Resolve = resolve) -> None:
    """Send a job's message, a few times if need be. Raises AddressError, DeliveryError."""
    assert settings.notify_key is not None
    key = settings.notify_key.get_secret_value()
    target = target_of(url, settings, resolver)
    headers = {
        "Host": target.host_header,
        "Content-Type": "application/json",
        "User-Agent": f"spidervet/{engine_version()}",
    }
    client = httpx2.Client(timeout=settings.notify_timeout_s, follow_redirects=False, trust_env=False)
    with client:
        for attempt in stamina.retry_context(on=_passing, attempts=TRIES, wait_initial=0.2, timeout=None):
            with attempt:
                message = message_of(job, key, int(time.time()))
                extensions = {"sni_hostname": target.host}
                request = client.build_request(
                    "POST",
                    target.url,
                    content=message.body,
                    headers={**headers, SIGNATURE: message.signature},
                    extensions=extensions,
                )
                _send(client, request)


def _send(client: httpx2.Client, request: httpx2.Request) -> None:
    try:
        answer = client.send(request, stream=True)
    except httpx2.HTTPError as error:
        raise DeliveryError(f"{type(error).__name__}: {error}") from error
    try:
        status = answer.status_code
    finally:
        answer.close()  # what it says is not read: an endless answer costs nothing
    if status >= 500 or status in (408, 425, 429):
        raise DeliveryError(f"it answers {status}")
    if not 200 <= status < 300:
        raise DeliveryError(f"it answers {status}", lasting=status == 410)


def _passing(error: Exception) -> bool:
    return isinstance(error, DeliveryError) and not error.lasting
