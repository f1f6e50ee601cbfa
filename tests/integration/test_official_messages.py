"""Every message, judged by the official package: its models, its server, its client, on real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from openenv.core import GenericEnvClient as OfficialClient
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    JsonRpcRequest,
    JsonRpcResponse,
    WSMCPMessage,
    WSMCPResponse,
)
from openenv.core.env_server.types import (
    EnvironmentMetadata,
    HealthResponse,
    SchemaResponse,
    State,
    StepResponse,
    WSErrorCode,
    WSErrorResponse,
    WSIncomingMessage,
    WSObservationResponse,
    WSStateResponse,
)
from pydantic import TypeAdapter
from support.json_texts import meaning, objects, values
from support.real_servers import RealServer
from support.served import Divider
from support.tap import Tap

from openenv_notebook import (
    EnvironmentFailed,
    GenericEnvClient,
    InvalidAction,
    MCPToolClient,
    OpenEnvError,
    ServerError,
    StepResult,
    ToolFailed,
    serve,
)
from openenv_notebook.demo import demo_names

pytestmark = pytest.mark.server

REQUEST: TypeAdapter[Any] = TypeAdapter(WSIncomingMessage | WSMCPMessage)
REPLIES = {
    "observation": WSObservationResponse, "state": WSStateResponse, "mcp": WSMCPResponse, "error": WSErrorResponse,
}  # fmt: skip
HELLO = {"type": "openenv_notebook_hello"}
ACTIONS: dict[str, list[dict[str, Any]]] = {
    "echo": [{"message": "é☃\u2028"}, {"message": "hello", "metadata": {"a": [1]}}],
    "grid": [{"direction": "right"}, {"direction": "down"}],
    "guess": [{"guess": 50}, {"guess": 25}],
}


def requests(tap: Tap) -> list[dict[str, Any]]:
    """The requests that passed, each held against the official model; the greeting is none."""
    read = [json.loads(frame) for frame in tap.sent]
    made = [each for each in read if each != HELLO]
    assert len(read) - len(made) <= 1, "a session is greeted once"
    for each in made:
        message = REQUEST.validate_python(each)
        assert message.model_dump() == each
        if each["type"] == "mcp":
            JsonRpcRequest.model_validate(each["data"])
    return made


def replies(tap: Tap) -> list[dict[str, Any]]:
    """The replies that passed, each held against the official models, without that to the greeting."""
    read = [json.loads(frame) for frame in tap.came]
    for each in read:
        data = REPLIES[each["type"]].model_validate(each).data
        match each["type"]:
            case "observation":
                StepResponse.model_validate(data)
            case "state":
                State.model_validate(data)
            case "mcp":
                JsonRpcResponse.model_validate(data)
            case "error":
                assert isinstance(data["message"], str) and WSErrorCode(data["code"])
    return read[1:] if json.loads(tap.sent[0]) == HELLO else read


def parts(result: StepResult[Any]) -> str:
    """What a result has, as JSON."""
    return meaning([result.observation, result.reward, result.done, result.metadata])


def told(reply: dict[str, Any]) -> str:
    """What a reply to a reset or a step tells, as JSON."""
    data = reply["data"]
    metadata = data.get("metadata") or data["observation"].get("metadata") or {}
    return meaning([data["observation"], data["reward"], data["done"], metadata])


class TestOurClient:
    """Ours on the official server."""

    def test_a_session(self, lab: RealServer) -> None:
        """Each request is the official message of its kind, and each value is what json reads of its reply."""
        found: list[Any] = []
        with Tap(lab.url) as tap, GenericEnvClient(tap.url).sync() as env:
            found += [env.reset(seed=7, tag="x"), env.step(op="echo", value={"a": [1, None]}), env.state()]
            found += env.step_many([{"op": "echo", "value": each} for each in ([1.5], "é☃\u2028", 2**70)])
            found += [env.step({"op": "nan"}), env.step(op="end", tag=1), env.reset()]
            for wrong, kind in (({"op": "raise"}, EnvironmentFailed), ({"op": "x", "seconds": "no"}, InvalidAction)):
                with pytest.raises(kind) as caught:
                    env.step(wrong)
                found.append(caught.value)
        kinds = ["reset", "step", "state", *["step"] * 5, "reset", "step", "step", "close"]
        assert [each["type"] for each in requests(tap)] == kinds
        for value, reply in zip(found, replies(tap), strict=True):
            if isinstance(value, StepResult):
                assert parts(value) == told(reply) and meaning(value.raw) == meaning(reply["data"])
            elif isinstance(value, ServerError):
                assert (value.code, value.message) == (reply["data"]["code"], reply["data"]["message"])
            else:
                assert meaning(value) == meaning(reply["data"])
        for path, model in {"/schema": SchemaResponse, "/health": HealthResponse}.items():
            if path in tap.pages:
                model.model_validate_json(tap.pages[path])

    def test_tools(self, toolbox: RealServer) -> None:
        """Tools are listed and called by the official actions and by JSON-RPC, and answer what json reads."""
        found: dict[str, list[Any]] = {}
        taps: dict[str, Tap] = {}
        for mode in ("simulation", "production"):
            with Tap(toolbox.url) as taps[mode], MCPToolClient(taps[mode].url, mode=mode).sync() as env:
                env.reset()
                found[mode] = [[tool.name for tool in env.list_tools()], env.call_tool("add", a=2, b=3)]
                with pytest.raises(ToolFailed):
                    env.call_tool("fail", reason="so")
        called = [each["data"] for each in requests(taps["simulation"]) if each["type"] == "step"]
        assert [CallToolAction.model_validate(each).tool_name for each in called] == ["add", "fail"]
        methods = [each["data"]["method"] for each in requests(taps["production"]) if each["type"] == "mcp"]
        assert methods == ["tools/list", "tools/call", "tools/call"]
        for mode, names in found.items():
            listed = next(each["data"]["result"] for each in replies(taps[mode]) if each["type"] == "mcp")
            assert names == [[tool["name"] for tool in listed["tools"]], {"sum": 5}]


@pytest.fixture(scope="module")
def toolbox(farm: Any) -> Iterator[RealServer]:
    """A server of tools."""
    with farm.server("toolbox") as server:
        yield server


@pytest.fixture(scope="module")
def both(lab: RealServer) -> Iterator[tuple[Tap, Any, Any]]:
    """A tap on the official server, with our client and the official one behind it."""
    with Tap(lab.url) as tap, GenericEnvClient(tap.url).sync() as ours, OfficialClient(tap.url).sync() as theirs:
        ours.reset()
        theirs.reset()
        yield tap, ours, theirs


@given(values)
def test_any_value_goes_there_and_back_as_by_the_official_client(both: Any, value: Any) -> None:
    """What our client sends arrives as what the official one sends, and is read as json and as it read the reply."""
    tap, ours, theirs = both
    sent, came = len(tap.sent), len(tap.came)
    made: list[Any] = []
    for env, failure in ((ours, OpenEnvError), (theirs, RuntimeError)):
        try:
            result = env.step({"op": "echo", "value": value})
            made.append(meaning([result.observation["value"], result.observation["seen"], result.reward, result.done]))
        except failure as error:
            made.append(type(error))
    mine, official = map(json.loads, tap.sent[sent:])
    assert meaning(mine) == meaning(official)
    first, second = map(json.loads, tap.came[came:])
    assert first["type"] == second["type"]
    if first["type"] == "observation":
        seen = first["data"]["observation"]
        assert made == [meaning([seen["value"], seen["seen"], first["data"]["reward"], first["data"]["done"]])] * 2
        assert meaning(ours.episode[-1].result.raw) == meaning(first["data"])
    else:
        assert issubclass(made[0], EnvironmentFailed) and made[1] is RuntimeError


@given(objects)
def test_any_reset_arguments_go_as_by_the_official_client(both: Any, arguments: dict[str, Any]) -> None:
    """Arguments of a reset are sent by both clients alike."""
    tap, ours, theirs = both
    sent = len(tap.sent)
    named = {f"x{name}": value for name, value in arguments.items()}
    ours.reset(**named)
    theirs.reset(**named)
    mine, official = map(json.loads, tap.sent[sent:])
    assert meaning(mine) == meaning(official)


class TestOurServer:
    """The official client, and the official models, on ours."""

    @pytest.mark.parametrize("name", demo_names())
    def test_the_official_client_plays_a_demo(self, name: str) -> None:
        """Each reply of a demo's server fits the official models, and the official client reads it as json does."""
        with serve(f"demo:{name}") as server, Tap(server.url) as tap:
            with OfficialClient(tap.url).sync() as env:
                found: list[Any] = [env.reset(seed=3), *map(env.step, ACTIONS[name]), env.state()]
                with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
                    env.step({"nosuch": 1})
            came = replies(tap)
            for value, reply in zip(found[:-1], came, strict=False):
                data = reply["data"]
                assert [value.observation, value.reward, value.done] == [
                    data["observation"],
                    data["reward"],
                    data["done"],
                ]
                assert value.metadata == data.get("metadata")
            assert found[-1] == came[len(found) - 1]["data"]
            with GenericEnvClient(tap.url).sync() as ours:
                ours.schema(), ours.health(), ours.metadata()
        pages = {"/schema": SchemaResponse, "/health": HealthResponse, "/metadata": EnvironmentMetadata}
        for path, model in pages.items():
            model.model_validate_json(tap.pages[path])

    @pytest.mark.parametrize("mode", ["simulation", "production"])
    def test_what_has_no_tools_says_so_in_official_words(self, mode: str) -> None:
        """A question for tools is answered by a message that fits the official models, whichever way it is asked."""
        with serve("demo:echo") as server, Tap(server.url) as tap, MCPToolClient(tap.url, mode=mode).sync() as env:
            env.reset()
            assert env.list_tools() == []
            with pytest.raises(OpenEnvError):
                env.call_tool("add", a=1)
        assert [each["type"] for each in requests(tap)] == ["reset", "mcp", "close"]
        assert [each["type"] for each in replies(tap)] == ["observation", "mcp"]

    def test_a_class_in_this_process(self) -> None:
        """An official environment served from this process answers the official client by official messages."""
        with serve(Divider) as server, Tap(server.url) as tap, OfficialClient(tap.url).sync() as env:
            assert env.reset().observation["number"] == 100
            assert env.step({"by": 4}).observation["number"] == 25
            assert env.state()["step_count"] == 1
            with pytest.raises(RuntimeError, match="EXECUTION_ERROR"):
                env.step({"by": 0})
        assert [each["type"] for each in replies(tap)] == ["observation", "observation", "state", "error"]
