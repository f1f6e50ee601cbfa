"""What is nested deep is read and written as Python's own ``json`` does; what is deeper still is told as that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.wire import FarEnd, scripted

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.jupyter.panel import history
from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.raw_json import raw_json
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.errors import MisuseError, ProtocolError
from openenv_notebook.values.read_json import TooDeepError, read_json

BEYOND = 5_000


def nested(depth: int, kind: str) -> Any:
    """A value nested so deep, in objects, in lists, or in both by turns."""
    made: Any = 1
    for level in range(depth):
        made = {"a": made} if kind == "objects" or (kind == "both" and level % 2) else [made]
    return made


def written(depth: int, kind: str) -> str:
    """The same as JSON, for depths that Python does not write."""
    begin, end = ('{"a":', "}") if kind == "objects" else ("[", "]")
    return begin * depth + "1" + end * depth


@pytest.fixture
def far() -> FarEnd:
    """A server that answers with what it is asked for."""
    return FarEnd()


@pytest.fixture
def env(far: FarEnd) -> Iterator[SyncEnvClient[Any, Any, Any]]:
    """A client of it."""
    made = scripted(GenericEnvClient("localhost:1", message_timeout_s=10), far).sync()
    far.policy = lambda _: answer("{}")
    made.reset()
    yield made
    made.close()


def answer(observation: str) -> bytes:
    """A reply with a reward."""
    return f'{{"type":"observation","data":{{"observation":{observation},"reward":1.5,"done":false}}}}'.encode()


def innermost(value: Any) -> tuple[Any, int]:
    """Go to the end by the keys and places, as a person does."""
    depth = 0
    while isinstance(value, (dict, list)):
        value, depth = value["a"] if isinstance(value, dict) else value[0], depth + 1
    return value, depth


@pytest.mark.parametrize("depth", [120, 200, 255, 300, 450])
@pytest.mark.parametrize("kind", ["objects", "lists", "both"])
def test_what_json_reads_is_read(depth: int, kind: str, env: SyncEnvClient[Any, Any, Any], far: FarEnd) -> None:
    """R11: a deep observation has its reward, can be looked into, shown, saved and read again."""
    value = nested(depth, kind)
    far.policy = lambda _: answer(json.dumps({"a": value, "password": "hunter22"}))
    result = env.step({"x": 1})
    assert result.reward == 1.5 and innermost(result.observation) == (1, depth + 1)
    assert result.raw["observation"]["a"] == value
    for show in (repr, to_text, to_html, lambda each: raw_json(each.raw)):
        assert "hunter22" not in str(show(result))
    assert [history.row(each) for each in history.entries(env.episodes)]
    line = env.episode.to_jsonl()
    assert json.loads(line)["steps"][-1]["result"]["observation"]["a"] == value
    again = Episode.from_jsonl(line)[-1].result
    assert again is not None and innermost(again.observation) == (1, depth + 1)


@pytest.mark.parametrize("depth", [130, 255, 300, 450])
@pytest.mark.parametrize("kind", ["objects", "lists", "both"])
def test_what_json_writes_is_sent(depth: int, kind: str, env: SyncEnvClient[Any, Any, Any], far: FarEnd) -> None:
    """R11: a deep action travels whole, and stands in the record."""
    value = nested(depth, kind)
    assert env.step({"v": value}).reward == 1.5
    assert far.steps[-1] == {"v": value}
    assert json.loads(env.episode.to_jsonl())["steps"][-1]["action"] == {"v": value}


@pytest.mark.parametrize("kind", ["objects", "lists"])
def test_what_is_beyond_is_told_as_depth(kind: str, env: SyncEnvClient[Any, Any, Any], far: FarEnd) -> None:
    """R11: it is not called what it is not, and the session goes on."""
    text = written(BEYOND, kind)
    far.policy = lambda _: answer(f'{{"a":{text}}}')
    with pytest.raises(ProtocolError, match="nested deeper than Python can read here") as caught:
        env.step({"x": 1})
    assert "not JSON" not in str(caught.value)
    with pytest.raises(TooDeepError, match="nested deeper"):
        read_json(text)
    with pytest.raises(ValueError, match="nested deeper"):
        Episode.from_jsonl(text)
    sent = len(far.steps)
    with pytest.raises(MisuseError, match="nested deeper than Python can write here"):
        env.step({"v": nested(BEYOND, kind)})
    far.policy = lambda _: answer("{}")
    assert len(far.steps) == sent and env.step({"x": 2}).reward == 1.5


@pytest.mark.parametrize("text", ["[" * 300, "[" * 300 + "]" * 299, '{"a":' * 300 + "}" * 300, "nul"])
def test_what_is_no_json_is_told_as_that(text: str) -> None:
    """R11: where it ends too soon, at any depth, the reason is that."""
    with pytest.raises(ValueError) as caught:
        read_json(text)
    assert not isinstance(caught.value, TooDeepError) and "recursion" not in str(caught.value)
