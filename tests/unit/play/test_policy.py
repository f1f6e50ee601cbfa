"""Whom a run asks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from support.recorded import schemas
from support.wire import FarEnd, Replier

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.play.policy import Policy
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.errors import MisuseError

Env = SyncEnvClient[Any, Any, Any]
TOOL = {
    "name": "echo_message",
    "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
}


def tools_of(*tools: Any) -> Any:
    """A server with tools."""
    usual = Replier()

    def answer(request: dict[str, Any]) -> bytes:
        if request["type"] == "mcp":
            result = {"jsonrpc": "2.0", "id": request["data"]["id"], "result": {"tools": list(tools)}}
            return json.dumps({"type": "mcp", "data": result}).encode()
        return usual(request)

    return answer


def test_random_calls_of_tools(env: Env, far_end: FarEnd) -> None:
    """In an environment with tools, chance calls one of them with arguments it takes; the tools are asked for once."""
    env.known.schema = attribute_dict(schemas()["echo"])
    far_end.policy = tools_of(TOOL)
    policy = Policy("random", env)
    for _ in range(5):
        action = policy({})
        assert (action["type"], action["tool_name"]) == ("call_tool", "echo_message")
        assert isinstance(action["arguments"]["message"], str)
    assert far_end.kinds == ["mcp"]


def test_an_environment_that_tells_no_tools(env: Env, far_end: FarEnd) -> None:
    """Where there are no tools, the action is what its schema takes."""
    env.known.schema = attribute_dict(schemas()["echo"])
    assert set(Policy("random", env)({})) == {"type", "tool_name"}


def test_no_schema_no_random_actions(env: Env) -> None:
    """Without a schema nothing can be made up, and the error says what to do."""
    env.known.schema, env.known.schema_refused = None, True
    with pytest.raises(MisuseError, match="tells no schema"):
        Policy("random", env)({})


def test_an_empty_schema_is_asked_nothing(env: Env) -> None:
    """An action without fields is sent as it is."""
    env.known.schema = attribute_dict({"action": {"type": "object", "properties": {}}})
    assert Policy("random", env)({}) == {}


def test_a_function_has_no_seed(env: Env) -> None:
    """A seed is for chance only; a function is asked as it is."""
    policy = Policy(lambda observation: observation, env)
    policy.seed(3)
    assert policy(7) == 7
    policy.cancel()
    policy.close()


def test_cancelled_before_it_is_awaited(env: Env) -> None:
    """What is awaited after the cancellation is cancelled at once, and no coroutine is left unawaited."""

    async def policy(observation: Any) -> Any:
        await asyncio.get_running_loop().create_future()

    asked = Policy(policy, env)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        asked({})
    asked.close()
