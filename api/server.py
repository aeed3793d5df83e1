"""uvicorn, with one change: open event streams are told when the process is to stop."""

from __future__ import annotations

import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

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
            error.errno, f"cannot listen on {settings.host}:{settings.port}: {error.strerror}"
        ) from error
    sock.set_inheritable(False)
    return sock


def make_server(app: FastAPI, settings: Settings) -> Server:
    """A server that logs as the rest of the process does."""
    config = uvicorn.Config(
        app,
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
