"""Clients on a scripted far end: no network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.recorded import schemas
from support.wire import FarEnd, scripted

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.values.attribute_dict import attribute_dict


@pytest.fixture
def far_end() -> FarEnd:
    """The server's side."""
    return FarEnd()


@pytest.fixture
def client(far_end: FarEnd) -> Iterator[GenericEnvClient]:
    """An asynchronous client whose schema is known; closed in the end."""
    made = scripted(GenericEnvClient("scripted.test:80", message_timeout_s=10), far_end)
    made.known.schema = attribute_dict(schemas()["connect4"])
    yield made
    made.sync().close()


@pytest.fixture
def env(client: GenericEnvClient) -> SyncEnvClient[Any, Any, Any]:
    """Its blocking twin."""
    return client.sync()


@pytest.fixture
def playing(env: SyncEnvClient[Any, Any, Any]) -> SyncEnvClient[Any, Any, Any]:
    """A blocking client whose environment was reset."""
    env.reset()
    return env
