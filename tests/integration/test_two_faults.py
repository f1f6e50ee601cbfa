"""Errors where two faults meet: each text says what happened, where, and what to do now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.real_servers import Farm, RealServer
from support.waiting import eventually

from openenv_notebook import connect
from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.values.errors import ClientClosed, ConnectFailed, OpenEnvError, SessionLost

pytestmark = pytest.mark.server

Env = SyncEnvClient[Any, Any, Any]
Do = Callable[[Env, RealServer], object]


def give_up(env: Env, server: RealServer) -> None:
    """Give the session up."""
    env.disconnect()


def close(env: Env, server: RealServer) -> None:
    """Close the client."""
    env.close()


def end_server(env: Env, server: RealServer) -> None:
    """End the server, and wait until that is known."""
    server.end()
    eventually(lambda: env.status != "open")


def step(env: Env) -> object:
    """Make a step."""
    return env.step(op="echo")


def wrong_step(env: Env) -> object:
    """Make a step with a field that is unknown."""
    return env.step({"op": "echo", "sede": 1})


def reset(env: Env) -> object:
    """Begin anew."""
    return env.reset()


CASES: list[tuple[list[Do], Callable[[Env], object], type[OpenEnvError], list[str]]] = [
    ([give_up], step, SessionLost, ["given up by disconnect()", "reset()"]),
    ([give_up, give_up], step, SessionLost, ["given up by disconnect()", "reset()"]),
    ([close], step, ClientClosed, ["closed", "connect"]),
    ([close, give_up], step, ClientClosed, ["closed", "connect"]),
    ([end_server], step, SessionLost, ["lost", "reset()"]),
    ([end_server], reset, ConnectFailed, ["nothing listens", "is the server running"]),
    ([end_server, give_up], reset, ConnectFailed, ["nothing listens", "is the server running"]),
    ([give_up, end_server], reset, ConnectFailed, ["nothing listens", "is the server running"]),
    ([give_up, end_server], step, SessionLost, ["given up by disconnect()", "reset()"]),
    ([end_server, close], step, ClientClosed, ["closed", "connect"]),
    ([close, end_server], step, ClientClosed, ["closed", "connect"]),
    ([end_server], wrong_step, OpenEnvError, []),
    ([give_up], wrong_step, OpenEnvError, []),
]


@pytest.mark.parametrize(
    ("faults", "call", "error", "words"),
    CASES,
    ids=lambda part: "-".join(each.__name__ for each in part) if isinstance(part, list) and part and callable(part[0])
    else getattr(part, "__name__", ""),
)  # fmt: skip
def test_the_text_is_for_both(
    farm: Farm, faults: list[Do], call: Callable[[Env], object], error: type[OpenEnvError], words: list[str]
) -> None:
    """After two faults a call says what happened, at which address, and what to do now."""
    with farm.server("lab") as server:
        env: Env = connect(server.url)
        try:
            env.reset()
            for fault in faults:
                fault(env, server)
            with pytest.raises(error) as caught:
                call(env)
        finally:
            env.close()
    text = str(caught.value)
    assert server.url in text and caught.value.hint, text
    assert [each for each in words if each not in text] == [], text
