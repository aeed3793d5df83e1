"""Where a message may go: users name addresses, and the service stands inside a network that they do not.

A host's addresses must be public ones, unless the operator allows the host or its network. The
connection is made to an address that was checked, so a name that changes its mind gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from evaluation.settings import Settings

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]


class AddressError(ValueError):
    """A message may not go there."""


@dataclass(frozen=True)
class Target:
    """A checked destination. ip: what is connected to. host: whose certificate is expected."""

    scheme: str
    host: str
    port: int
    path: str
    ip: str

    @property
    def url(self) -> str:
        shown = f"[{self.ip}]" if ":" in self.ip else self.ip
        return f"{self.scheme}://{shown}:{self.port}{self.path}"

    @property
    def host_header(self) -> str:
        usual = {"https": 443, "http": 80}[self.scheme]
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return shown if self.port == usual else f"{shown}:{self.port}"


def resolve(host: str, port: int) -> list[str]:
    """Addresses of a name. Raises AddressError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise AddressError(f"{host} has no address: {error}") from error
    return [str(entry[4][0]) for entry in found]


def check_form(url: str, settings: Settings) -> None:
    """What can be said of an address without asking the network. Raises AddressError."""
    parts, _ = _parts(url)
    host = parts.hostname or ""
    allowed = _Allowed(settings)
    if parts.scheme == "http" and not allowed.host(host):
        raise AddressError("http is for hosts in SPIDERVET_NOTIFY_ALLOW; use https")
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return
    allowed.check(host, ip)


def target_of(url: str, settings: Settings, resolver: Resolve = resolve) -> Target:
    """Look the host up and check every address it has. Raises AddressError."""
    check_form(url, settings)
    parts, port = _parts(url)
    host = parts.hostname or ""
    allowed = _Allowed(settings)
    found = [ipaddress.ip_address(text.partition("%")[0]) for text in resolver(host, port)]
    if not found:
        raise AddressError(f"{host} has no address")
    for ip in found:
        allowed.check(host, ip)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path, str(found[0]))


def _parts(url: str) -> tuple[SplitResult, int]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"not an address: {error}") from error
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or not url.isascii()
        or not url.isprintable()
    ):
        raise AddressError("expected https://host/path")
    if parts.username is not None or parts.password is not None:
        raise AddressError("no user name or password in the address")
    return parts, port or {"https": 443, "http": 80}[parts.scheme]


class _Allowed:
    """SPIDERVET_NOTIFY_ALLOW: host names and networks, with commas between."""

    def __init__(self, settings: Settings) -> None:
        self._names: set[str] = set()
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in filter(None, (e.strip() for e in settings.notify_allow.split(","))):
            try:
                self._networks.append(ipaddress.ip_network(entry))
            except ValueError:
                self._names.add(entry.lower())

    def host(self, host: str) -> bool:
        if host.lower() in self._names:
            return True
        try:
            return self._inside(ipaddress.ip_address(host))
        except ValueError:
            return False

    def _inside(self, ip: Ip) -> bool:
        return any(ip.version == n.version and ip in n for n in self._networks)

    def check(self, host: str, ip: Ip) -> None:
        """Raises AddressError for an address that is not public and not allowed."""
        plain = getattr(ip, "ipv4_mapped", None) or ip
        public = plain.is_global and not plain.is_multicast and not _embeds_private(plain)
        if not (public or host.lower() in self._names or self._inside(plain)):
            raise AddressError(f"{host} is {ip}, which is not a public address")


def _embeds_private(ip: Ip) -> bool:
    """6to4, Teredo and NAT64 addresses lead to the IPv4 address inside them."""
    if isinstance(ip, ipaddress.IPv4Address):
        return False
    inner = [ip.sixtofour, *(ip.teredo or ())]
    if ip in ipaddress.ip_network("64:ff9b::/96"):
        inner.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    return any(i is not None and not i.is_global for i in inner)
