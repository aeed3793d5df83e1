"""Bodies have a limit, whether or not they announce their length, and a time in which to arrive."""

from __future__ import annotations

import asyncio
import contextlib
import time

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import Answer, Problem
from evaluation.spec import FieldFault


class BodyLimit:
    """ASGI middleware: 413 to a body over ``most`` bytes, 408 to one not there after ``seconds``.

    The clock runs from the first look for the body, however slowly its bytes drip in after that.
    """

    def __init__(self, app: ASGIApp, most: int, seconds: float, answer: Answer) -> None:
        self._app = app
        self._answer = answer
        self._most = most
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self._most:
            await self._answer(Request(scope), self._too_large())(scope, receive, send)
            return
        body, started = _Body(receive, self._most, self._seconds), False

        async def passed(message: Message) -> None:
            nonlocal started
            if body.fault is None:  # else whatever the application says of the cut body is not sent
                started = True
                await send(message)

        with contextlib.suppress(_CutError):
            await self._app(scope, body.receive, passed)
        if body.fault is not None and not started:
            problem = self._too_large() if body.fault == "size" else self._too_slow()
            await self._answer(Request(scope), problem)(scope, receive, send)

    def _too_large(self) -> Problem:
        text = f"what was sent is larger than {self._most:,} bytes, the most that this service takes"
        return Problem(413, text, "/problems/too-large", [FieldFault("body", text)])

    def _too_slow(self) -> Problem:
        text = f"the body did not arrive within {self._seconds:g} s"
        fault = [FieldFault("body", text)]
        return Problem(408, text, "/problems/too-slow", fault, {"Connection": "close"})


class _CutError(Exception):
    """The application shall read no more of this body."""


class _Body:
    """A request's body on its way in. fault: ``size`` or ``time`` once it broke its limit."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive, self._most, self._seconds = receive, most, seconds
        self._seen, self._whole = 0, False
        self._until: float | None = None
        self.fault: str | None = None

    async def receive(self) -> Message:
        """The next message; after the body's end there is no limit to waiting for a disconnect."""
        if self._whole:
            return await self._receive()
        self._until = self._until or time.monotonic() + self._seconds
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            self.fault = "time"
            raise _CutError from None
        self._seen += len(message.get("body", b""))
        self._whole = message["type"] != "http.request" or not message.get("more_body", False)
        if self._seen > self._most:
            self.fault = "size"
            raise _CutError
        return message
