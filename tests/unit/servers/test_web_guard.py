"""Who may talk to a server on this machine."""

from __future__ import annotations

import pytest

from openenv_notebook.servers.web_guard import Gate, host_of


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "LOCALHOST:1", "[::1]", "[::1]:9", " 127.0.0.1:80 "])
def test_own_names_may_pass_with_any_port(host: str) -> None:
    """Requests to the loopback names pass, whatever the port, and so do pages from there."""
    assert Gate().refusal([host], []) is None
    assert Gate().refusal([host], ["http://localhost:8888"]) is None
    assert Gate().refusal([host], ["https://[::1]:8888"]) is None


@pytest.mark.parametrize(
    "hosts",
    [
        ["evil.example"],
        ["localhost.evil.example"],
        ["127.0.0.1.nip.example:80"],
        ["evil.example@127.0.0.1"],
        ["127.0.0.1:80:80"],
        ["127.0.0.1:"],
        ["::1"],
        ["127.0.0.2"],
        ["localhost."],
        [""],
        [],
        ["127.0.0.1", "evil.example"],
        ["127.0.0.1", "127.0.0.1"],
    ],
)
def test_a_foreign_host_is_refused(hosts: list[str]) -> None:
    """A request to another name, to a malformed one or without exactly one is refused."""
    assert "host names" in (Gate().refusal(hosts, []) or "")


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://localhost.evil.example",
        "http://localhost@evil.example",
        "http://evil.example#localhost",
        "http://localhost/path",
        "null",
        "file://",
        "localhost",
        "ftp://localhost",
        "",
    ],
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    """A page of another site is refused, and so is an origin that is none."""
    assert "other sites" in (Gate().refusal(["localhost"], [origin]) or "")
    assert Gate().refusal(["localhost"], ["http://localhost", origin]) is not None


def test_allowed_hosts_are_added() -> None:
    """A name on the allow-list passes as host and as origin, the others still do not."""
    gate = Gate(["Hub.Example.org"])
    assert gate.refusal(["hub.example.org:443"], ["https://hub.example.org"]) is None
    assert gate.refusal(["localhost"], []) is None
    assert gate.refusal(["example.org"], []) is not None


@pytest.mark.parametrize("entry", ["http://hub.example.org", "hub.example.org:80", "*", "", "a b"])
def test_an_allowed_host_is_a_plain_name(entry: str) -> None:
    """An entry with a scheme, a port or a wildcard is refused when the gate is made."""
    with pytest.raises(ValueError, match="not a host name"):
        Gate([entry])


def test_one_text_is_not_a_list() -> None:
    """A text in place of the list is refused instead of being read letter by letter."""
    with pytest.raises(ValueError, match="a list of host names"):
        Gate("localhost")


def test_the_host_is_taken_without_its_port() -> None:
    """host_of drops the port and the case, and gives None for what is malformed."""
    assert host_of("LocalHost:80") == "localhost"
    assert host_of("[::1]:80") == "[::1]"
    assert host_of("a b") is None
