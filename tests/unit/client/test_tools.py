"""Tools of MCP environments: listing, calling, and the names they are called by."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.recorded import exchanges
from support.waiting import in_threads
from support.wire import FarEnd, error_frame, result_frame, scripted

from openenv_notebook.client.clients import GenericEnvClient, MCPToolClient, SyncEnvClient
from openenv_notebook.client.known import Known
from openenv_notebook.client.learnt import tools_of
from openenv_notebook.client.tool_calls import tool_value
from openenv_notebook.client.tools import ToolNamespace, tool_signature
from openenv_notebook.record.episode import Episode
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.errors import (
    MisuseError,
    NotSupportedHere,
    ProtocolError,
    ServerError,
    SessionLost,
    ToolFailed,
)

TOOLS = [
    {
        "name": "add",
        "description": "Add two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "times": {"type": "integer", "default": 1},
                "a": {"type": "number"},
                "class": {"type": "string"},
                "b-c": {"type": "string"},
                "items": {"type": "array"},
                "odd": True,
            },
            "required": ["a", "items"],
        },
    },
    {"name": "read-file", "input_schema": {"properties": {"path": {"type": "string"}}, "required": ["path"]}},
    {"name": "bare"},
]


def mcp_frame(**answer: Any) -> bytes:
    """Compose an mcp reply."""
    return json.dumps({"type": "mcp", "data": {"jsonrpc": "2.0", "id": 1, **answer}}).encode()


class ToolServer(FarEnd):
    """An MCP environment."""

    def __init__(self, *, knows_mcp: bool = True) -> None:
        super().__init__()
        self.knows_mcp = knows_mcp
        self.values: dict[str, Any] = {}
        self.policy = self.answer

    def answer(self, request: dict[str, Any]) -> bytes:
        """Reply."""
        data = request.get("data", {})
        match request["type"], data.get("method") or data.get("type"):
            case "mcp", _ if not self.knows_mcp:
                return error_frame("UNKNOWN_TYPE", "Unknown message type: mcp")
            case "mcp", "tools/list":
                return mcp_frame(result={"tools": TOOLS})
            case "mcp", "tools/call":
                name = data["params"]["name"]
                found = self.values.get(name, {"data": data["params"]})
                return mcp_frame(**found) if "error" in found else mcp_frame(result=found)
            case "step", "list_tools":
                return result_frame({"tools": TOOLS})
            case "step", "call_tool":
                found = self.values.get(data["tool_name"], {"result": {"data": data["arguments"]}})
                return result_frame(found, 0.5)
        return result_frame({})


@pytest.fixture
def server() -> ToolServer:
    """The server's side."""
    return ToolServer()


@pytest.fixture
def tools(server: ToolServer) -> Iterator[SyncEnvClient[Any, Any, Any]]:
    """A blocking client of it, reset."""
    client = scripted(MCPToolClient("localhost:1", message_timeout_s=10), server)
    client.sync().reset()
    yield client.sync()
    client.sync().close()


Env = SyncEnvClient[Any, Any, Any]


class TestListing:
    """What tools there are."""

    def test_tools_are_listed_once(self, tools: Env, server: ToolServer) -> None:
        """Listing is no step, is remembered, and can be asked for anew."""
        assert [tool.name for tool in tools.list_tools()] == ["add", "read-file", "bare"]
        tools.list_tools()
        assert server.kinds == ["reset", "mcp"]
        tools.list_tools(use_cache=False)
        assert server.kinds == ["reset", "mcp", "mcp"]
        assert len(tools.episode) == 1

    @pytest.mark.parametrize(
        "look",
        [lambda env: env.list_tools(), lambda env: env.get_tool("add"), lambda env: env.has_tool("add")],
        ids=("all", "one", "any"),
    )
    def test_looking_never_acts(self, server: ToolServer, tools: Env, look: Callable[[Env], Any]) -> None:
        """R35: A server that lists tools by a step only is not asked for them; a call of one is sent all the same."""
        server.knows_mcp = False
        with pytest.raises(NotSupportedHere, match="only as a step"):
            look(tools)
        assert "step" not in server.kinds and len(tools.episode) == 1
        assert tools.call_tool("add", a=1) == {"a": 1}
        assert [action.get("type") for action in server.steps] == ["call_tool"]

    def test_a_server_without_a_schema_is_not_asked_either(self, server: ToolServer, tools: Env) -> None:
        """R35: What a front end wants to know of the tools costs no step, where it knows nothing of the actions."""
        server.knows_mcp = False
        assert tools_of(tools, None) == []
        assert "step" not in server.kinds and len(tools.episode) == 1

    def test_a_tool_is_found_by_name(self, tools: Env) -> None:
        """get_tool gives the tool or None, has_tool tells."""
        add = tools.get_tool("add")
        assert add is not None
        assert add.description == "Add two numbers."
        assert tools.get_tool("nothing") is None
        assert tools.has_tool("bare")
        assert not tools.has_tool("nothing")

    @pytest.mark.parametrize("answer", [{"result": None}, {"result": {"tools": None}}, {"result": {"tools": [{}]}}])
    def test_an_odd_list_is_a_protocol_error(self, tools: Env, server: ToolServer, answer: Any) -> None:
        """A list that is none is a malformed reply, never another library's exception."""
        server.policy = lambda request: mcp_frame(**answer)
        with pytest.raises(ProtocolError):
            tools.list_tools()

    @pytest.mark.parametrize("odd", [None, 3, ["a"]])
    def test_what_is_odd_in_a_tool_is_left_empty(self, tools: Env, server: ToolServer, odd: Any) -> None:
        """A tool without a docstring, or with an odd schema, is listed and can be called."""
        listed = [{"name": "add", "description": odd, "inputSchema": odd}]
        usual = server.policy
        server.policy = lambda request: (
            mcp_frame(result={"tools": listed}) if request["type"] == "mcp" else usual(request)
        )
        assert tools.list_tools() == [Tool(name="add")]
        assert tools.call_tool("add", a=1) == {"a": 1}

    def test_a_tool_without_a_name_is_left_out(self, tools: Env, server: ToolServer) -> None:
        """One malformed tool does not take the others away."""
        server.policy = lambda request: mcp_frame(result={"tools": [{}, 3, {"name": "add"}]})
        assert [tool.name for tool in tools.list_tools()] == ["add"]

    def test_an_environment_without_tools_has_none(self, tools: Env, server: ToolServer) -> None:
        """A server that says it knows no tools gives an empty list; another failure is told."""
        server.policy = lambda request: mcp_frame(error={"code": -32603, "message": "Environment does not support MCP"})
        assert tools.list_tools() == []
        server.policy = lambda request: mcp_frame(error={"code": -32000, "message": "it timed out"})
        with pytest.raises(ServerError, match="-32000: it timed out"):
            tools.list_tools(use_cache=False)

    @pytest.mark.parametrize("name", [name for name in exchanges() if "echo" in name])
    def test_recorded_lists_are_read(self, name: str) -> None:
        """The list of every recorded version of the echo environment has its tools."""
        listed = [
            json.loads(line["frame"])["data"]
            for line in exchanges()[name]
            if (line["dir"] == "recv" and "inputSchema" in line["frame"]) or "input_schema" in str(line["frame"])
        ]
        found = [tool for data in listed for tool in data.get("result", data.get("observation", {})).get("tools", [])]
        assert {Tool.model_validate(tool).name for tool in found} >= {"echo_message"}
        assert all(Tool.model_validate(tool).input_schema["properties"] for tool in found)


class TestCalling:
    """Calling them."""

    @pytest.mark.parametrize("mode", ["simulation", "production"])
    @pytest.mark.parametrize(
        ("rule", "given", "sent"),
        [
            ({"type": "string"}, b"\xff\xfe", "__4="),
            ({"type": "string", "format": "byte"}, b"\xff\x00a", "/wBh"),
            ({"type": "string", "contentEncoding": "base64"}, bytearray(b"\xff\x00a"), "/wBh"),
            ({"type": "string", "contentEncoding": "base64url"}, b"\xff\xfe", "__4="),
            ({"type": "string", "format": "binary"}, "ü".encode(), "ü"),
            ({"anyOf": [{"type": "string", "contentEncoding": "base16"}, {"type": "null"}]}, b"\xff", "FF"),
            ({"type": "array", "items": {"type": "string", "contentEncoding": "base64"}}, [b"\xff"], ["/w=="]),
        ],
    )
    def test_bytes_go_as_the_schema_says(
        self, server: ToolServer, mode: Any, rule: dict[str, Any], given: Any, sent: Any
    ) -> None:
        """R22: Bytes among a tool's arguments are written as its schema says, as those of an action are."""
        listed = [{"name": "put", "inputSchema": {"type": "object", "properties": {"data": rule}}}]
        usual = server.policy
        server.policy = lambda request: (
            mcp_frame(result={"tools": listed})
            if request.get("data", {}).get("method") == "tools/list"
            else usual(request)
        )
        env = scripted(MCPToolClient("localhost:1", mode=mode), server).sync()
        if mode == "simulation":
            env.reset()
        found = env.call_tool("put", data=given)
        assert found.get("arguments", found) == {"data": sent}
        if mode == "simulation":
            env.step({"type": "call_tool", "tool_name": "put", "arguments": {"data": given}})
            assert server.steps[-1]["arguments"] == {"data": sent}
        env.close()

    def test_a_call_is_a_step(self, tools: Env, server: ToolServer) -> None:
        """In simulation mode a call is a step with a reward, and gives the tool's value."""
        assert tools.call_tool("add", a=1, items=[2]) == {"a": 1, "items": [2]}
        assert server.steps == [{"type": "call_tool", "tool_name": "add", "arguments": {"a": 1, "items": [2]}}]
        assert (tools.episode[-1].kind, tools.episode.total_reward) == ("step", 0.5)

    def test_in_production_it_is_none(self, server: ToolServer) -> None:
        """In production mode a call goes beside the steps, and stands in the record as what it is."""
        client = scripted(MCPToolClient("localhost:1", mode="production"), server)
        env = client.sync()
        assert env.call_tool("add", a=1) == {"name": "add", "arguments": {"a": 1}}
        assert server.steps == []
        assert [step.kind for step in env.episode] == ["tool"]
        assert env.episode[0].action.params.name == "add"
        server.values["bare"] = {"error": {"code": -32000, "message": "no"}}
        with pytest.raises(ToolFailed, match=r"the tool 'bare' failed \(-32000\): no"):
            env.call_tool("bare")
        env.close()

    @pytest.mark.parametrize(
        "answer",
        [
            {"data": [1, 2, 3]},
            [1, 2, 3],
            "",
            {"content": [{"type": "text", "text": "[1,2,3]"}, {"type": "image", "data": "aGk="}], "isError": False},
            {"structuredContent": {"result": 0}},
            "\u2028",
            {"error": {"code": -32000, "message": "no"}},
        ],
    )
    def test_its_answer_stands_in_the_record(self, server: ToolServer, answer: Any) -> None:
        """R06: what a tool called beside the steps gave, or failed with, stands in the record and in the saved line."""
        env = scripted(MCPToolClient("localhost:1", mode="production"), server).sync()
        env.reset()
        failed = isinstance(answer, dict) and "error" in answer
        server.values["add"] = answer
        with pytest.raises(ToolFailed) if failed else contextlib.nullcontext():
            env.call_tool("add", a=1)
        seen = {"tool_name": "add", "result": None if failed else answer, "error": answer["error"] if failed else None}
        read = Episode.from_jsonl(env.episode.to_jsonl())
        for step in (env.episode[-1], read[-1]):
            assert step.result is not None and step.result.observation == seen
            assert (step.kind, step.reward, step.done) == ("tool", None, False)
        assert json.loads(env.episode.to_jsonl())["steps"][-1]["result"]["observation"] == seen
        assert env.last is not None and env.last.observation == {}, "it is no step"
        read[-1].fold()
        assert read[-1].folded and read[-1].error is None
        env.close()

    def test_arguments_may_have_any_name(self, tools: Env) -> None:
        """No argument of a tool collides with one of ours."""
        assert tools.call_tool("add", name="n", self="s", timeout=1, tool_name="t") == {
            "name": "n",
            "self": "s",
            "timeout": 1,
            "tool_name": "t",
        }

    def test_an_unknown_tool_is_not_called(self, tools: Env, server: ToolServer) -> None:
        """A misspelt tool is named with its nearest, and no step is made."""
        with pytest.raises(MisuseError, match=r"no tool 'ad'; did you mean 'add'\?.*tools: add, read-file, bare"):
            tools.call_tool("ad")
        assert server.steps == []

    @pytest.mark.parametrize(
        "answer", [{"result": None}, {"result": {"tools": [{}]}}, {"error": {"code": 1, "message": "no"}}, {"error": 3}]
    )
    def test_a_list_that_cannot_be_read_blocks_no_call(self, tools: Env, server: ToolServer, answer: Any) -> None:
        """A tool is called although the list of tools is malformed or refused."""
        usual = server.policy
        server.policy = lambda request: mcp_frame(**answer) if request["type"] == "mcp" else usual(request)
        assert tools.call_tool("add", a=1) == {"a": 1}

    def test_no_call_without_tools(self, tools: Env, server: ToolServer) -> None:
        """An environment that says it has no tools is told by name, and no step is made."""
        server.policy = lambda request: mcp_frame(result={"tools": []})
        with pytest.raises(NotSupportedHere, match="this environment has no tools"):
            tools.call_tool("add")
        assert server.steps == []

    @pytest.mark.parametrize(
        ("error", "text"),
        [
            ({"error_type": "IOError", "message": "no file"}, r"the tool 'add' failed \(IOError\): no file"),
            ({"message": "no"}, "the tool 'add' failed: no"),
            ("plain", "the tool 'add' failed: plain"),
        ],
    )
    def test_a_failing_tool_raises(self, tools: Env, server: ToolServer, error: Any, text: str) -> None:
        """A tool's own failure is ToolFailed with its words; the step happened."""
        server.values["add"] = {"error": error}
        with pytest.raises(ToolFailed, match=text):
            tools.call_tool("add", a=1)
        assert tools.episode.length == 1

    @pytest.mark.parametrize(
        ("result", "value"),
        [
            (5, 5),
            (None, None),
            ("text", "text"),
            ({"data": 5, "content": []}, 5),
            ({"data": 0}, 0),
            ({"data": None, "structured_content": {"a": 1}}, {"a": 1}),
            ({"structuredContent": {"a": 1}}, {"a": 1}),
            ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
            ({"data": None}, None),
            ({"own": 1}, {"own": 1}),
        ],
    )
    def test_a_tools_value_is_found(self, result: Any, value: Any) -> None:
        """The value is data, else the structured content, else the text of the content."""
        assert tool_value(result) == value

    async def test_e23_calls_at_once_get_their_own_answers(self, server: ToolServer) -> None:
        """E23: ten concurrent calls by gather, and from threads, each get their own answer."""
        client = scripted(MCPToolClient("localhost:1", message_timeout_s=10), server)
        await client.reset()
        values = await asyncio.gather(*(client.call_tool("add", a=n) for n in range(10)))
        assert [value["a"] for value in values] == list(range(10))
        env = client.sync()
        works = [lambda n=n: env.call_tool("add", a=n) for n in range(10)]
        answers = await asyncio.to_thread(in_threads, *works)
        assert [value["a"] for value in answers] == list(range(10))
        await client.close()

    def test_a_lost_session_refuses_tools_too(self, tools: Env, server: ToolServer) -> None:
        """After a loss no tool runs in an environment that was not reset."""
        tools.list_tools()
        server.end(1006)
        with pytest.raises(SessionLost):
            tools.call_tool("add", a=1)


class TestNamespace:
    """env.tools.NAME(...)."""

    def test_tools_are_methods(self, tools: Env) -> None:
        """A listed tool is called by its name, with signature and description."""
        tools.list_tools()
        assert tools.tools.add(a=1) == {"a": 1}
        assert tools.tools["read-file"](path="x") == {"path": "x"}
        assert tools.tools.add.__doc__ == "Add two numbers."
        assert str(inspect.signature(tools.tools.add)) == "(*, a: float, items: list, times: int = 1, odd=None)"

    async def test_the_asynchronous_form_is_awaited(self, server: ToolServer) -> None:
        """On the asynchronous client a tool is awaited."""
        client = scripted(GenericEnvClient("localhost:1"), server)
        await client.reset()
        assert await client.tools.add(a=1) == {"a": 1}
        await client.close()

    def test_looking_asks_nobody(self, tools: Env, server: ToolServer) -> None:
        """Completion, repr and len never ask the server."""
        assert "list_tools()" in repr(tools.tools)
        assert (dir(tools.tools), len(tools.tools), list(tools.tools)) == ([], 0, [])
        assert server.kinds == ["reset"]
        tools.list_tools()
        assert dir(tools.tools) == ["add", "bare"]
        assert tools.tools._ipython_key_completions_() == ["add", "read-file", "bare"]
        assert repr(tools.tools).splitlines()[1] == "read-file(*, path: str)"

    def test_a_wrong_name_is_named(self, tools: Env) -> None:
        """Once listed, an unknown tool is an AttributeError with the nearest; probes find nothing."""
        tools.list_tools()
        with pytest.raises(AttributeError, match=r"no tool 'ad'; tools: add, read-file, bare; did you mean 'add'\?"):
            tools.tools.ad
        with pytest.raises(AttributeError):
            tools.tools._repr_html_

    def test_an_environment_without_tools_says_so(self) -> None:
        """An empty list is shown as none."""
        assert repr(ToolNamespace(Known(tools=[]), print)) == "<no tools>"

    @pytest.mark.parametrize("schema", [{}, {"properties": {}}, {"properties": {"a": {"type": ["string", "null"]}}}])
    def test_odd_schemas_have_a_signature(self, schema: Any) -> None:
        """A tool's schema may say little."""
        assert tool_signature(Tool(name="f", input_schema=schema))
