"""Who holds sessions of which server."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.client.open_sessions import earlier_holders, remember
from openenv_notebook.values import front_end
from openenv_notebook.values.front_end import Owner

URL = "http://localhost:1"


@pytest.fixture(autouse=True)
def nobody() -> Iterator[None]:
    """No owner is installed afterwards."""
    yield
    front_end.install(None)


def test_without_a_notebook_nobody_owns_anything() -> None:
    """Nothing is noted and nothing is found until something names owners."""
    assert front_end.current_owner() is None
    client = GenericEnvClient(URL)
    remember(client, URL, None)
    assert earlier_holders(URL, None) == []
    front_end.install(front_end.FrontEnd(owner=lambda: Owner("cell", 1)))
    assert front_end.current_owner() == Owner("cell", 1)


def test_only_earlier_runs_of_the_same_cell_are_found() -> None:
    """Another run of the same owner at the same address is found; other cells, addresses and this run are not."""
    clients = [GenericEnvClient(URL) for _ in range(4)]
    remember(clients[0], URL, Owner("cell", 1))
    remember(clients[1], URL, Owner("cell", 2))
    remember(clients[2], URL, Owner("other", 1))
    remember(clients[3], "http://elsewhere", Owner("cell", 1))
    assert earlier_holders(URL, Owner("cell", 2)) == [clients[0]]
    assert set(earlier_holders(URL, Owner("cell", 3))) == {clients[0], clients[1]}
    assert earlier_holders(URL, Owner("new", 1)) == []


def test_closed_and_collected_clients_are_not_found() -> None:
    """A client that was closed holds nothing, and none is kept alive."""
    closed, dropped = GenericEnvClient(URL), GenericEnvClient(URL)
    remember(closed, URL, Owner("cell", 1))
    remember(dropped, URL, Owner("cell", 1))
    closed.sync().close()
    del dropped
    gc.collect()
    assert earlier_holders(URL, Owner("cell", 2)) == []
