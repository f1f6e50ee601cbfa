"""Bytes among the arguments of a tool, written as its schema says, whichever way it is called."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import Base64Bytes, BaseModel, TypeAdapter
from support.wire import FarEnd, result_frame, scripted

from openenv_notebook.client.clients import MCPToolClient, SyncEnvClient
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.messages import CallToolAction

HARD = b"\xff\xfe?>"


class Kept(BaseModel):
    """What the tool takes, as its server would read it."""

    text: bytes = b""
    coded: Base64Bytes = b""
    many: list[Base64Bytes] = []
    by_name: dict[str, Base64Bytes] = {}


TOOLS = [{"name": "keep", "inputSchema": Kept.model_json_schema()}, {"name": "other", "inputSchema": {}}]


class Keeper(FarEnd):
    """An MCP environment, with a tool that takes bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = self.answer

    def answer(self, request: dict[str, Any]) -> bytes:
        """Reply."""
        if request["type"] == "mcp":
            listed = request["data"]["method"] == "tools/list"
            data = {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS} if listed else {"data": 1}}
            return json.dumps({"type": "mcp", "data": data}).encode()
        return result_frame({"result": {"data": 1}})

    @property
    def arguments(self) -> Any:
        """The arguments of the last call that arrived."""
        data = self.requests[-1]["data"]
        return data["params"]["arguments"] if "params" in data else data["arguments"]


@pytest.fixture
def server() -> Keeper:
    """The server's side."""
    return Keeper()


@pytest.fixture(params=["simulation", "production"])
def env(server: Keeper, request: pytest.FixtureRequest) -> Iterator[SyncEnvClient[Any, Any, Any]]:
    """A blocking client of it, reset, its tools listed."""
    client = scripted(MCPToolClient("localhost:1", mode=request.param), server).sync()
    client.reset()
    client.list_tools()
    yield client
    client.close()


DOORS: dict[str, Callable[[Any, dict[str, Any]], object]] = {
    "call_tool": lambda env, given: env.call_tool("keep", **given),
    "namespace": lambda env, given: env.tools.keep(**given),
    "item": lambda env, given: env.tools["keep"](**given),
    "step, a dict": lambda env, given: env.step({"type": "call_tool", "tool_name": "keep", "arguments": given}),
    "step, keywords": lambda env, given: env.step(type="call_tool", tool_name="keep", arguments=given),
    "step, a model": lambda env, given: env.step(CallToolAction(tool_name="keep", arguments=given)),
    "step_many": lambda env, given: env.step_many([CallToolAction(tool_name="keep", arguments=given)]),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "given",
    [
        {"coded": HARD},
        {"coded": b"hello", "text": b"hello"},
        {"coded": bytearray(HARD), "text": memoryview(b"x")},
        {"many": [HARD, b"hello"], "by_name": {"a": HARD}},
    ],
    ids=["hard", "text", "views", "inside"],
)
def test_bytes_arrive_as_the_tool_takes_them(env: Any, server: Keeper, door: str, given: dict[str, Any]) -> None:
    """R22: what the tool's own model reads are the bytes that were given, by whichever door they came."""
    DOORS[door](env, given)
    read = Kept.model_validate_json(json.dumps(server.arguments))
    meant = TypeAdapter(dict[str, Any]).validate_python(
        {name: bytes(value) if isinstance(value, (bytearray, memoryview)) else value for name, value in given.items()}
    )
    assert {name: getattr(read, name) for name in meant} == meant


@pytest.mark.parametrize("door", DOORS)
def test_bytes_that_a_tool_cannot_take_are_refused_by_name(env: Any, server: Keeper, door: str) -> None:
    """R22: bytes that are no text, for an argument that is one, are refused with their place, and nothing is sent."""
    before = list(server.kinds)
    with pytest.raises(InvalidAction) as caught:
        DOORS[door](env, {"text": b"no\xff"})
    (line,) = caught.value.errors
    assert line.removeprefix("arguments.").startswith("text: takes bytes as UTF-8 text")
    assert "b64encode" in str(caught.value)
    assert server.kinds == before


def test_a_tool_that_says_nothing_gets_the_usual_form(env: Any, server: Keeper) -> None:
    """R22: without a word in the schema bytes are the text that they are, else base64 as in URLs."""
    env.call_tool("other", a=b"hello", b=HARD)
    assert server.arguments == {"a": "hello", "b": base64.urlsafe_b64encode(HARD).decode()}
