"""A network namespace joined to this one by a cable that can be pulled."""

from __future__ import annotations

import os
import subprocess
import uuid

import pytest

from tests.support.needed import need


class Namespace:
    """``address`` is this side of the cable; ``command`` runs a program on the other side."""

    def __init__(self) -> None:
        tag = uuid.uuid4().hex[:6]
        self.name, self._here, self._there = f"sv{tag}", f"sva{tag}", f"svb{tag}"
        net = f"10.231.{os.getpid() % 250}"
        self.address = f"{net}.1"
        _ip("netns", "add", self.name)
        _ip("link", "add", self._here, "type", "veth", "peer", "name", self._there, "netns", self.name)
        _ip("addr", "add", f"{self.address}/24", "dev", self._here)
        _ip("link", "set", self._here, "up")
        _ip("-n", self.name, "addr", "add", f"{net}.2/24", "dev", self._there)
        for device in (self._there, "lo"):
            _ip("-n", self.name, "link", "set", device, "up")

    @property
    def command(self) -> tuple[str, ...]:
        return ("ip", "netns", "exec", self.name)

    def cut(self) -> None:
        _ip("-n", self.name, "link", "set", self._there, "down")

    def join(self) -> None:
        _ip("-n", self.name, "link", "set", self._there, "up")

    def close(self) -> None:
        _ip("netns", "del", self.name)
        subprocess.run(["ip", "link", "del", self._here], capture_output=True)


def make() -> Namespace:
    """A namespace, or a skip by name where this user may make none."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    need("ip")
    try:
        return Namespace()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"network namespaces are not allowed here: {error.stderr.decode().strip()}")


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
