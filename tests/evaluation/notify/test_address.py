"""Where completion messages may go."""

from __future__ import annotations

import pytest

from evaluation.notify.address import AddressError, check_form, target_of
from evaluation.settings import Settings

PUBLIC = "93.184.216.34"


def settings(allow: str = "") -> Settings:
    return Settings(notify_allow=allow)


def told(url: str, *found: str, allow: str = "") -> str:
    """The address that would be connected to."""
    return target_of(url, settings(allow), lambda host, port: list(found)).url


def test_a_public_host_is_reached_by_the_address_that_was_checked() -> None:
    target = target_of("https://hooks.example/a?b=1", settings(), lambda host, port: [PUBLIC, "1.1.1.1"])
    assert target.url == f"https://{PUBLIC}:443/a?b=1"
    assert target.host == target.host_header == "hooks.example"


def test_another_port_and_ipv6_are_written_as_they_must_be() -> None:
    target = target_of("https://hooks.example:8443", settings(), lambda host, port: ["2606:4700::1111"])
    assert target.url == "https://[2606:4700::1111]:8443/"
    assert target.host_header == "hooks.example:8443"


@pytest.mark.parametrize(
    "ip",
    [
        "127.0.0.1", "10.0.0.8", "172.16.3.4", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1",
        "2002:7f00:1::", "64:ff9b::7f00:1", "fe80::1%eth0",
    ],
)  # fmt: skip
def test_an_inner_address_is_refused_whatever_name_leads_there(ip: str) -> None:
    with pytest.raises(AddressError, match="not a public address"):
        told("https://hooks.example/", ip)
    with pytest.raises(AddressError, match="not a public address"):
        told("https://hooks.example/", PUBLIC, ip)


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest"])
def test_an_inner_address_in_the_url_is_refused_before_anything_is_looked_up(url: str) -> None:
    with pytest.raises(AddressError, match="not a public address"):
        check_form(url, settings())


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example/", "file:///etc/passwd", "https://", "//a.example", "a.example", "",
        "https://user:pw@a.example/", "https://a.example:99999/", "https://a.example/\r\nX: 1", "https://ä.example/",
        "https://[::1",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(AddressError):
        check_form(url, settings())


def test_plain_http_is_for_allowed_hosts_only() -> None:
    with pytest.raises(AddressError, match="use https"):
        told("http://hooks.example/", PUBLIC)
    assert told("http://hooks.example/", PUBLIC, allow="hooks.example") == f"http://{PUBLIC}:80/"


def test_the_operator_can_allow_hosts_and_networks() -> None:
    assert told("https://ci.internal/x", "10.1.2.3", allow="other, ci.internal") == "https://10.1.2.3:443/x"
    assert told("http://127.0.0.1:9/", "127.0.0.1", allow="127.0.0.0/8") == "http://127.0.0.1:9/"
    with pytest.raises(AddressError):
        told("https://ci.internal/x", "10.1.2.3", allow="10.9.0.0/16")


def test_a_name_without_addresses_is_said() -> None:
    with pytest.raises(AddressError, match="has no address"):
        told("https://hooks.example/")
    with pytest.raises(AddressError, match=r"hooks\.invalid has no address"):
        target_of("https://hooks.invalid/", settings())
