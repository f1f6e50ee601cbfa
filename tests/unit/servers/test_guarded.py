"""The application that lets only who may pass come to another one."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_notebook.servers.web_guard import Gate, Guarded


async def ask(kind: str, **headers: str) -> list[Any]:
    """Send a request through the gate; returns the messages that answered it."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send("the app")

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    await Guarded(app, Gate(["hub.example"]))({"type": kind, "headers": given}, receive, send)
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
