"""HEAD: wherever GET is answered, the same answer without its body (RFC 9110, 9.3.2)."""

from __future__ import annotations

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    """ASGI middleware. Runs GET's route, ends the answer after its headers, and stops a body that streams."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        inner: Scope = {**scope, "method": "GET"}

        with anyio.CancelScope() as enough:

            async def headers_only(message: Message) -> None:
                if message["type"] == "http.response.start":
                    scope["route"] = inner.get("route")  # requests are counted by it
                    await send(message)
                    return
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                if message.get("more_body", False):
                    enough.cancel()
                    await anyio.lowlevel.checkpoint()

            await self._app(inner, receive, headers_only)
