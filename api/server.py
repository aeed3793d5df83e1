"""uvicorn, with two changes: open event streams are told when the process is to stop, and whoever connects
must say what is wanted within a time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from evaluation.settings import Settings


class Server(uvicorn.Server):
    """uvicorn waits for open responses before it stops, and an event stream never ends by itself."""

    on_exit: Callable[[], None] | None = None
    """Called at the first signal, so that workers stop while connections end."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        app = self.config.app
        if isinstance(app, FastAPI) and hasattr(app.state, "service"):
            app.state.service.stopping.set()
        if self.on_exit is not None:
            self.on_exit()
        super().handle_exit(sig, frame)


def protocol_with(head_s: float) -> type[H11Protocol]:
    """uvicorn's protocol, which closes a connection whose request has not shown its whole head in that time.

    uvicorn itself waits for ever for a head, and a connection that waits takes one of the places that all
    clients share (`SPIDERVET_MAX_CONNECTIONS`). Between requests its own timeout counts.
    """

    class Protocol(H11Protocol):
        _head_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait_for_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._wait_for_head()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._stop_waiting()

        def _wait_for_head(self) -> None:
            if self.conn.their_state is not h11.IDLE:  # it is here
                self._stop_waiting()
            elif self._head_timer is None:
                self._head_timer = self.loop.call_later(head_s, self.transport.close)

        def _stop_waiting(self) -> None:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None

    return Protocol


def listen(settings: Settings) -> socket.socket:
    """The listening socket; raises OSError where the address is taken. Port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((settings.host, settings.port))
    except OSError as error:
        sock.close()
        raise OSError(
            error.errno,
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}"
            " (SPIDERVET_HOST and SPIDERVET_PORT, or --host and --port, name another address)",
        ) from error
    sock.set_inheritable(False)
    return sock


def make_server(app: FastAPI, settings: Settings) -> Server:
    """A server that logs as the rest of the process does."""
    config = uvicorn.Config(
        app,
        http=protocol_with(settings.body_seconds),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=int(settings.stop_grace_s),
        timeout_keep_alive=30,
        server_header=False,
        limit_concurrency=settings.max_connections,
        proxy_headers=True,
        forwarded_allow_ips=settings.trusted_proxies,
        lifespan="on",
    )
    return Server(config)
