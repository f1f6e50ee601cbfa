"""Results and states as a client reads them, held against what Python's own ``json`` reads of the frame."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from support.json_texts import meaning, object_texts, texts

from openenv_notebook.client.results import TypedReader, read_parsed, read_result
from openenv_notebook.values.messages import StepResult
from openenv_notebook.wire.protocol import Exchange, Kind, Request
from openenv_notebook.wire.replies import reply_data

_REWARDS = st.sampled_from(["null", "true", "3", "-0", "-0.0", "1e999", "NaN", "-Infinity", "1E2", str(10**40), "0.1"])


def _replies(observation: str, reward: str, done: str, metadata: str, names: list[str]) -> str:
    told = {"observation": observation, "reward": reward, "done": done, "metadata": metadata}
    members = ",".join(f'"{name}":{told[name]}' for name in names)
    return f'{{"type":"observation", "data": {{{members}}}}}'


# A server writes the members in any order.
replies = st.builds(
    _replies,
    object_texts,
    _REWARDS,
    st.sampled_from(["true", "false"]),
    st.one_of(st.just("null"), object_texts),
    st.permutations(["observation", "reward", "done", "metadata"]),
)


class Seen(BaseModel):
    """An observation of anything."""

    value: Any = None


class Strict(Seen):
    """One that requires what stands beside it on the wire."""

    done: Any
    reward: Any


def walked(value: Any) -> Any:
    """Read a value by its keys and places alone, as a person does."""
    if isinstance(value, dict):
        return {key: walked(value[key]) for key in value}
    return [walked(value[place]) for place in range(len(value))] if isinstance(value, list) else value


@given(replies)
def test_a_result_is_what_json_reads_of_its_frame(text: str) -> None:
    """Observation, reward, end and metadata are those of the frame, whole and key by key, and nothing of it is lost."""
    data = json.loads(text)["data"]
    result = read_result(text.encode())
    assert meaning(result.raw) == meaning(data)
    assert meaning([result.observation, result.reward, result.done]) == meaning(
        [data["observation"], data["reward"], data["done"]]
    )
    assert meaning(walked(result.observation)) == meaning(data["observation"])
    nested = data["observation"].get("metadata")
    expected = data["metadata"] or nested
    assert meaning(result.metadata) == meaning(expected if isinstance(expected, dict) else {})


@given(replies)
def test_a_hook_gets_what_json_reads_of_its_frame(text: str) -> None:
    """A client's own ``_parse_result`` is given the frame's data."""
    seen: list[Any] = []

    def parse(data: dict[str, Any]) -> StepResult[Any]:
        seen.append(meaning(data))
        return StepResult(data["observation"], data["reward"], data["done"])

    result, data = read_parsed(text.encode(), parse), json.loads(text)["data"]
    assert seen == [meaning(data)]
    assert meaning([result.observation, result.reward]) == meaning([data["observation"], data["reward"]])


@given(texts, object_texts, _REWARDS, st.sampled_from([Seen, Strict]))
def test_a_model_holds_what_json_reads_of_its_frame(value: str, metadata: str, reward: str, model: type[Seen]) -> None:
    """A typed result has the frame's values, whether its model asks for those beside the observation or not."""
    text = _replies(f'{{"value":{value}}}', reward, "true", metadata, ["observation", "reward", "done", "metadata"])
    data = json.loads(text)["data"]
    result = TypedReader(model).read(text.encode())
    assert meaning(result.raw) == meaning(data)
    assert meaning([result.reward, result.done, result.metadata]) == meaning([data["reward"], True, data["metadata"]])
    beside = {"reward": data["reward"], "done": True} if model is Strict else {}
    assert meaning(result.observation.model_dump()) == meaning({**beside, **data["observation"]})


@pytest.mark.parametrize("model", [Strict, Seen])
def test_what_stands_inside_comes_first(model: type[Seen]) -> None:
    """Where a server puts reward and end inside of the observation as well, the model has those."""
    text = _replies('{"reward":5,"done":false}', "2", "true", "null", ["observation", "reward", "done"])
    result = TypedReader(model).read(text.encode())
    assert (result.reward, result.done) == (2, True)
    assert model is Seen or result.observation.model_dump() == {"value": None, "reward": 5, "done": False}


@given(object_texts, st.sampled_from(["state", "mcp"]))
def test_a_reply_is_what_json_reads_of_its_frame(content: str, kind: Kind) -> None:
    """A state and a tool's answer are the frame's data."""
    text = f'{{"data":{content},"type":"{kind}"}}'
    exchange = Exchange()
    exchange.put_on_wire(Request(kind))
    request = exchange.receive(text.encode())
    assert request is not None and request.error is None and request.reply is not None
    assert meaning(reply_data(request.reply, kind)) == meaning(json.loads(text)["data"])


@given(object_texts)
def test_an_error_has_what_json_reads_of_its_frame(content: str) -> None:
    """What a server says of a failure, however it writes it, stands in the error whole."""
    text = f'{{"type":"error","data":{{"code":"EXECUTION_ERROR","message":"no","more":{content}}}}}'
    exchange = Exchange()
    exchange.put_on_wire(Request("step"))
    request = exchange.receive(text.encode())
    assert request is not None and request.error is not None
    assert meaning(vars(request.error)["details"]) == meaning({"more": json.loads(content)})
