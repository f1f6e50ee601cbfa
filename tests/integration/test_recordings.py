"""Every recorded frame of every version is sent and parsed as it was."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from support.playback import Pair, Playback, lines, pairs, recordings

from openenv_notebook import (
    AtCapacity,
    EnvironmentFailed,
    Episode,
    GenericEnvClient,
    InvalidAction,
    MCPToolClient,
    OpenEnvError,
    ProtocolError,
    RequestRejected,
    SessionRefused,
    StepResult,
    SyncEnvClient,
    ToolFailed,
)
from openenv_notebook.client.results import read_result
from openenv_notebook.wire.protocol import Exchange, Request, frame
from openenv_notebook.wire.replies import reply_data

CODES = {
    "VALIDATION_ERROR": InvalidAction,
    "EXECUTION_ERROR": EnvironmentFailed,
    "UNKNOWN_TYPE": RequestRejected,
    "INVALID_JSON": RequestRejected,
    "CAPACITY_REACHED": AtCapacity,
    "SESSION_ERROR": SessionRefused,
}
KINDS = ("reset", "step", "state", "mcp")

ALL_PAIRS = [
    pytest.param(*pair, id=f"{folder}-{number}")
    for name in ("episode.jsonl", "ws_session_id.jsonl")
    for folder in recordings(name)
    for number, pair in enumerate(pairs(folder, name))
]
RPC_PAIRS = [
    pytest.param(*pair, id=f"{folder}-{name}-{number}")
    for name in ("mcp_ws.jsonl", "mcp_http.jsonl")
    for folder in recordings(name)
    for number, pair in enumerate(pairs(folder, name))
]


def metadata(data: dict[str, Any]) -> Any:
    """Find the metadata that a reply has, in whichever place its version puts it."""
    return data.get("metadata") or data["observation"].get("metadata") or {}


def check_error(error: OpenEnvError | None, data: dict[str, Any]) -> None:
    """Compare an error with the frame it was made of; nothing of it is lost."""
    assert type(error) is CODES[data["code"]]
    assert (error.code, error.message) == (data["code"], data["message"])
    assert error.details == {key: value for key, value in data.items() if key not in ("code", "message")}
    if isinstance(error, InvalidAction):
        assert len(error.errors) == len(data["errors"])
        for line, item in zip(error.errors, data["errors"], strict=True):
            said = "no such field" if "no such field" in line else item["msg"]
            assert line.startswith((".".join(map(str, item["loc"])) or "(action)") + ": " + said)


def check_result(result: StepResult[Any], data: dict[str, Any]) -> None:
    """Compare a result with the data it was made of; nothing of it is lost."""
    assert result.observation == data["observation"]
    assert (result.reward, result.done, result.metadata) == (data.get("reward"), data["done"], metadata(data))
    assert result.raw == data


def test_there_are_recordings() -> None:
    """The recordings are there: environments of many kinds, versions from 0.2.0 on, and refusals."""
    assert len(recordings()) == 22
    assert {name.rpartition("@")[2] for name in recordings() if "@" in name} == {
        "0.2.0", "0.2.3", "core-0.3.0", "0.4.0", "0.6.0",
    }  # fmt: skip
    assert len(ALL_PAIRS) > 250


@pytest.mark.parametrize(("sent", "received"), ALL_PAIRS)
def test_a_frame_is_written_and_read_as_it_was(sent: str, received: str) -> None:
    """The request is written as the recorded client did, and its reply is what the server meant."""
    request, reply = json.loads(sent), json.loads(received)
    kind = request["type"] if request.get("type") in KINDS else "hello"
    if kind in ("reset", "step", "mcp"):
        assert json.loads(frame(kind, request["data"])) == request
    exchange = Exchange()
    exchange.put_on_wire(Request(kind))
    answered = exchange.receive(received.encode())
    assert answered is not None and exchange.idle
    if reply["type"] == "error":
        check_error(answered.error, reply["data"])
        return
    assert answered.error is None
    if kind in ("reset", "step"):
        check_result(read_result(received.encode()), reply["data"])
    else:
        assert reply_data(received.encode(), kind) == reply["data"]


@pytest.mark.parametrize(("sent", "received"), RPC_PAIRS)
def test_a_json_rpc_answer_is_read_as_it_was(sent: str, received: str) -> None:
    """An answer to JSON-RPC, result or error, comes through its envelope unchanged."""
    envelope = b'{"type":"mcp","data":%s}' % received.encode()
    exchange = Exchange()
    exchange.put_on_wire(Request("mcp"))
    answered = exchange.receive(envelope)
    assert answered is not None and answered.error is None
    assert reply_data(envelope, "mcp") == json.loads(received)


def is_call(pair: Pair) -> bool:
    """Tell whether a client's methods can make a recorded request; the others are someone's mistakes."""
    message = json.loads(pair[0])
    if message.get("type") != "mcp":
        return message.get("type") in KINDS
    rpc = message["data"]
    return rpc["method"] == "tools/list" or (rpc["method"] == "tools/call" and rpc["params"].get("name") != "nope")


def play(env: SyncEnvClient[Any, Any, Any], pair: Pair) -> None:
    """Make the recorded call and compare what comes of it with the recorded reply."""
    request, reply = json.loads(pair[0]), json.loads(pair[1])
    data = request.get("data")
    calls = {
        "reset": lambda: env.reset(**data),
        "step": lambda: env.step(data),
        "state": env.state,
        "mcp": lambda: play_rpc(env, data, reply["data"]),
    }
    if reply["type"] == "error":
        with pytest.raises(CODES[reply["data"]["code"]]) as caught:
            calls[request["type"]]()
        check_error(caught.value, reply["data"])
        return
    value = calls[request["type"]]()
    if request["type"] in ("reset", "step"):
        check_result(value, reply["data"])
    elif request["type"] == "state":
        assert value == reply["data"]


def play_rpc(env: SyncEnvClient[Any, Any, Any], call: dict[str, Any], answer: dict[str, Any]) -> None:
    """List tools, or call one beside the steps."""
    if call["method"] == "tools/list":
        listed = answer["result"]["tools"]
        assert [tool.name for tool in env.list_tools(use_cache=False)] == [tool["name"] for tool in listed]
        assert [tool.input_schema for tool in env.list_tools()] == [tool["inputSchema"] for tool in listed]
    elif "error" in answer:
        with pytest.raises(ToolFailed, match="Missing required argument"):
            env.call_tool(call["params"]["name"], **call["params"]["arguments"])
    else:
        assert env.call_tool(call["params"]["name"], **call["params"]["arguments"]) == answer["result"]["data"]


@pytest.mark.parametrize("folder", recordings())
@pytest.mark.filterwarnings("ignore:episode . is over")
@pytest.mark.filterwarnings("ignore:a step before any reset")
def test_a_recording_serves_whole_episodes(folder: str) -> None:
    """A16: a client that plays a recording again sends what was sent, reads what came, and records it all."""
    script = [pair for pair in pairs(folder) if is_call(pair)]
    with Playback(script, folder) as server, MCPToolClient(server.url, mode="production").sync() as env:
        for pair in script:
            play(env, pair)
        assert server.departures == []
        assert server.left == []
    played = [(json.loads(sent), json.loads(received)) for sent, received in script]
    played = [(sent, received) for sent, received in played if sent["type"] in ("reset", "step")]
    recorded = [step for episode in env.episodes for step in episode if step.kind != "tool"]
    assert [step.action for step in recorded] == [sent["data"] for sent, _ in played]
    for step, (_, received) in zip(recorded, played, strict=True):
        if received["type"] == "observation":
            assert step.result.raw == received["data"]
        else:
            check_error(step.error, received["data"])
    for episode in env.episodes:
        again = Episode.from_jsonl(episode.to_jsonl())
        assert [entry.to_dict() for entry in again] == [entry.to_dict() for entry in episode]


@pytest.mark.parametrize("folder", recordings("mcp_ws.jsonl"))
def test_recorded_tool_calls_are_made_again(folder: str) -> None:
    """A tool called beside the steps is called as it was recorded, and its value or failure is the same."""
    calls = [(json.loads(sent), json.loads(got)) for sent, got in pairs(folder, "mcp_ws.jsonl") if "jsonrpc" in sent]
    kept = [
        (call, answer)
        for call, answer in calls
        if call["method"] == "tools/list" or (call["method"] == "tools/call" and "name" in call["params"])
    ]
    assert len(kept) == 3
    script = [
        (json.dumps({"type": "mcp", "data": call}), json.dumps({"type": "mcp", "data": got})) for call, got in kept
    ]
    with Playback(script) as server, MCPToolClient(server.url, mode="production").sync() as env:
        for call, answer in kept:
            play_rpc(env, call, answer)
        assert (server.departures, server.left) == ([], [])


@pytest.mark.parametrize(
    ("version", "found"), [("0.2.0", {}), ("0.2.3", {}), ("0.4.0", {"next_player": 1}), ("0.6.0", {"next_player": 1})]
)
def test_metadata_of_old_and_new_servers(version: str, found: dict[str, int]) -> None:
    """A16: metadata is found where servers from 0.4 put it, and is empty, not an error, before."""
    script = pairs(f"legacy/connect4@{version}")[:1]
    with Playback(script) as server, GenericEnvClient(server.url).sync() as env:
        assert env.reset().metadata == found


@pytest.mark.parametrize("place", ["beside", "inside", "both"])
def test_values_in_metadata_reach_the_person(place: str) -> None:
    """A16: metadata counts beside the observation and inside it, and unknown keys stay in the record."""
    data: dict[str, Any] = {"observation": {}, "reward": 0.0, "done": False, "novelty": {"x": [1]}}
    if place in ("beside", "both"):
        data["metadata"] = {"progress": 3}
    if place in ("inside", "both"):
        data["observation"]["metadata"] = {"progress": 3}
    script = [('{"type": "reset", "data": {}}', json.dumps({"type": "observation", "data": data}))]
    with Playback(script) as server, GenericEnvClient(server.url).sync() as env:
        result = env.reset()
    assert result.metadata == {"progress": 3} and result.metadata.progress == 3
    assert result.raw == data
    assert json.loads(env.episode.to_jsonl())["steps"][0]["result"] == data


def test_not_a_number_on_the_wire_is_read() -> None:
    """NaN and infinity, as Python's json writes them, are read in observations, rewards and the saved record."""
    reply = '{"type":"observation","data":{"observation":{"x":[NaN,Infinity,-Infinity]},"reward":NaN,"done":false}}'
    with Playback([('{"type": "reset", "data": {}}', reply)]) as server, GenericEnvClient(server.url).sync() as env:
        result = env.reset()
    nan, *infinities = result.observation.x
    assert math.isnan(nan) and math.isnan(result.reward) and infinities == [math.inf, -math.inf]
    assert '"x":[NaN,Infinity,-Infinity]' in env.episode.to_jsonl()


def test_the_recorded_refusal_of_a_full_server() -> None:
    """A refusal that comes unasked, as it was recorded, is the error of connect(), with its numbers."""
    recorded = lines("capacity", "refused.jsonl")[0]["frame"]
    with Playback([], greeting=recorded) as server, pytest.raises(AtCapacity, match="1 of 1 sessions in use") as caught:
        GenericEnvClient(server.url).sync().connect()
    check_error(caught.value, json.loads(recorded)["data"])
    assert (caught.value.active, caught.value.maximum) == (1, 1)


def test_the_recorded_refusal_of_a_session_that_is_taken() -> None:
    """A session_id in the address goes to the server, and its recorded refusal is the error of connect()."""
    recorded = next(line["frame"] for line in lines("echo", "ws_session_id.jsonl") if line["dir"] == "recv2")
    with Playback([], greeting=recorded) as server, pytest.raises(SessionRefused, match="already has an attached"):
        GenericEnvClient(f"{server.url}/ws?session_id=abc").sync().connect()
    assert server.paths == ["/ws?session_id=abc"]


def test_a_recorded_reply_to_another_question_is_no_success() -> None:
    """A recorded reply that does not answer the question is a ProtocolError, not an empty result."""
    received = next(pair[1] for pair in pairs("echo") if json.loads(pair[0])["type"] == "state")
    script = [('{"type": "reset", "data": {}}', received)]
    with (
        Playback(script) as server,
        GenericEnvClient(server.url).sync() as env,
        pytest.raises(ProtocolError, match="type 'state' to reset"),
    ):
        env.reset()
