"""Servers of one's own on free ports of this machine, for tests, benchmarks and the jobs of docs/evidence."""

from __future__ import annotations

import socket


class MissingProgramError(RuntimeError):
    """A server's program is not installed; the text names it."""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
