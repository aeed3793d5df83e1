"""Bodies have a limit, whether or not they announce their length."""

from __future__ import annotations

import contextlib

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import Problem
from evaluation.spec import FieldFault


class BodyLimit:
    """ASGI middleware that answers 413 to a body over ``most`` bytes."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self._most:
            await self._refuse(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise _TooLargeError
            return message

        async def passed(message: Message) -> None:
            if seen <= self._most:  # else whatever the application says of the cut body is not sent
                await send(message)

        with contextlib.suppress(_TooLargeError):
            await self._app(scope, counted, passed)
        if seen > self._most:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"the body is larger than {self._most} bytes"
        problem = Problem(413, text, "/problems/too-large", [FieldFault("body", text)])
        await problem.response(Request(scope))(scope, receive, send)


class _TooLargeError(Exception):
    pass
