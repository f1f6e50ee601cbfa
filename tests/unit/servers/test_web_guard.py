"""Who may talk to a server on this machine, and the application that lets only them through."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_notebook.servers.web_guard import Guarded, WebGuard, host_of


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "LOCALHOST:1", "[::1]", "[::1]:9", " 127.0.0.1:80 "])
def test_own_names_may_pass_with_any_port(host: str) -> None:
    """Requests to the loopback names pass, whatever the port, and so do pages from there."""
    assert WebGuard().refusal([host], []) is None
    assert WebGuard().refusal([host], ["http://localhost:8888"]) is None
    assert WebGuard().refusal([host], ["https://[::1]:8888"]) is None


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
    assert "host names" in (WebGuard().refusal(hosts, []) or "")


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
    assert "other sites" in (WebGuard().refusal(["localhost"], [origin]) or "")
    assert WebGuard().refusal(["localhost"], ["http://localhost", origin]) is not None


def test_allowed_hosts_are_added() -> None:
    """A name on the allow-list passes as host and as origin, the others still do not."""
    guard = WebGuard(["Hub.Example.org"])
    assert guard.refusal(["hub.example.org:443"], ["https://hub.example.org"]) is None
    assert guard.refusal(["localhost"], []) is None
    assert guard.refusal(["example.org"], []) is not None


@pytest.mark.parametrize("entry", ["http://hub.example.org", "hub.example.org:80", "*", "", "a b"])
def test_an_allowed_host_is_a_plain_name(entry: str) -> None:
    """An entry with a scheme, a port or a wildcard is refused when the guard is made."""
    with pytest.raises(ValueError, match="not a host name"):
        WebGuard([entry])


def test_one_text_is_not_a_list() -> None:
    """A text in place of the list is refused instead of being read letter by letter."""
    with pytest.raises(ValueError, match="a list of host names"):
        WebGuard("localhost")


def test_the_host_is_taken_without_its_port() -> None:
    """host_of drops the port and the case, and gives None for what is malformed."""
    assert host_of("LocalHost:80") == "localhost"
    assert host_of("[::1]:80") == "[::1]"
    assert host_of("a b") is None


async def ask(kind: str, **headers: str) -> list[Any]:
    """Send a request through the guard; returns the messages that answered it."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send("the app")

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    await Guarded(app, WebGuard(["hub.example"]))({"type": kind, "headers": given}, receive, send)
    return sent


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers", [{"host": "127.0.0.1:80"}, {"host": "hub.example", "origin": "https://hub.example"}]
)
async def test_who_may_pass_passes(kind: str, headers: dict[str, str]) -> None:
    """Requests to the loopback and to allowed hosts reach the application."""
    assert await ask(kind, **headers) == ["the app"]


@pytest.mark.parametrize(
    "headers", [{}, {"host": "evil.example"}, {"host": "localhost", "origin": "https://evil.example"}]
)
async def test_strangers_are_refused(headers: dict[str, str]) -> None:
    """A request of a stranger is answered 403 with the reason; its WebSocket is closed before it opens."""
    start, body = await ask("http", **headers)
    assert start["status"] == 403 and b"detail" in body["body"]
    assert await ask("websocket", **headers) == [{"type": "websocket.close", "code": 1008}]


async def test_the_life_of_the_server_is_none_of_its_business() -> None:
    """What is no request, such as the start of the server, passes."""
    assert await ask("lifespan") == ["the app"]
