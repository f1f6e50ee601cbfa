"""A client on its way: whatever can connect, close and be made blocking."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from openenv_notebook.client.starting import Starting, from_docker_image, from_env
from openenv_notebook.values.errors import InvalidTarget, MisuseError


class Blocking:
    """A blocking client that notes what it is asked."""

    def __init__(self, calls: list[str], fails: bool) -> None:
        self.calls = calls
        self.fails = fails

    def connect(self) -> None:
        """Note it."""
        self.calls.append("connect")
        if self.fails:
            raise RuntimeError("no server")

    def close(self) -> None:
        """Note it."""
        self.calls.append("close")


class Client:
    """An asynchronous client that notes what it is asked."""

    def __init__(self, fails: bool = False, **settings: Any) -> None:
        self.calls: list[str] = []
        self.settings = settings
        self.twin = Blocking(self.calls, fails)

    async def connect(self) -> None:
        """Note it."""
        self.twin.connect()

    async def close(self) -> None:
        """Note it."""
        self.twin.close()

    def sync(self) -> Blocking:
        """Give the twin."""
        return self.twin


def test_it_gives_the_connected_client_or_its_twin() -> None:
    """Awaited it gives the client, by .sync() the blocking twin, connected; nothing is made before."""
    made: list[Client] = []

    def make() -> Client:
        made.append(Client())
        return made[-1]

    first, second = Starting(make), Starting(make)
    assert made == []
    assert asyncio.run(first) is made[0]
    assert second.sync() is made[1].twin
    assert [client.calls for client in made] == [["connect"], ["connect"]]
    with pytest.raises(MisuseError, match="used already"):
        second.sync()


def test_one_that_cannot_connect_is_closed() -> None:
    """A client that cannot connect is closed, and why is raised."""
    for use in (asyncio.run, lambda start: start.sync()):
        client = Client(fails=True)
        with pytest.raises(RuntimeError, match="no server"):
            use(Starting(lambda client=client: client))
        assert client.calls == ["connect", "close"]


def test_options_of_the_start_are_not_the_client_s() -> None:
    """What is the client's own goes to it; an option that nobody knows is refused, and so is what is no Space."""

    class Known(Client):
        def __init__(self, provider: Any = None, flavour: str = "plain") -> None:
            super().__init__(provider=provider, flavour=flavour)

    client = asyncio.run(from_docker_image(Known, "image", None, {"port": 1, "flavour": "sweet"}))
    assert client.settings["flavour"] == "sweet" and not client.settings["provider"].holds
    with pytest.raises(MisuseError, match=r"'colour' is neither an option of the start .* nor of Known"):
        from_docker_image(Known, "image", None, {"colour": "red"})
    with pytest.raises(InvalidTarget, match="owner/name"):
        from_env(Known, "localhost:8000", True, None, None, {})
