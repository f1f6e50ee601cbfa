"""Lines that are no episode, or hardly one: refused with their place, or read so that all of it can be used."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from openenv_notebook.jupyter.magic.python_twin import episode_code
from openenv_notebook.jupyter.panel import history
from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.record.episode import Episode

REFUSED = {"type": "InvalidAction", "args": ["no"], "state": {"url": None, "hint": "h", "code": "V", "message": "no",
           "details": {"errors": []}, "errors": ["a: b"]}}  # fmt: skip
LOST = {"type": "SessionLost", "args": ["gone"], "state": {"url": "http://h", "hint": None, "code": 1006, "reason": "r",
        "sent": True}}  # fmt: skip
RPC = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}}
TIMES = {"started": 3.5, "seconds": 0.1, "actor": "code", "owed": False}


def result(**observation: Any) -> dict[str, Any]:
    """The data of a reply."""
    return {"observation": observation, "reward": 1.5, "done": False, "metadata": {"a": 1}}


LINE: dict[str, Any] = {
    "episode_id": "e",
    "reward": 1.5,
    "extra": {
        "format": "openenv-notebook/1",
        "base_url": "http://h",
        "started": 1.5,
        "forgotten": {"entries": 2, "steps": 2, "reward": 1.0, "done": False},
    },
    "steps": [
        {"kind": "reset", "action": {"seed": 3}, "result": result(metadata={"b": 1}), **TIMES},
        {"kind": "step", "action": {"a": [1, {"b": 2}]}, "result": result(board=[[1, 2], [3, 4]]), **TIMES},
        {"kind": "step", "action": {"a": 1}, "error": REFUSED, **TIMES},
        {"kind": "tool", "action": RPC, "result": result(tool_name="add", result=[1], error=None), **TIMES},
        {"kind": "step", "action": {"type": "call_tool", "tool_name": "t", "arguments": {"x": 1}}, "error": LOST},
        {
            "kind": "step",
            "action": {"a": 1},
            "result": {"observation": None, "reward": 2, "done": True},
            "folded": True,
            **TIMES,
        },
    ],
}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Go through the places within a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*at, key)
        yield from places(item, (*at, key))


def put(line: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Write a line anew with another value in a place; ... takes out what is there."""
    made = copy.deepcopy(line)
    around = made
    for key in place[:-1]:
        around = around[key]
    if value is ...:
        del around[place[-1]]
    else:
        around[place[-1]] = value
    return made


def use(episode: Episode) -> None:
    """Read all that there is of an episode, as people and front ends do."""
    assert json.loads(episode.to_jsonl())["steps"] is not None
    assert Episode.from_jsonl(episode.to_jsonl(secrets=True)) == episode
    assert [repr(episode), to_text(episode), to_html(episode), episode_code("env", "http://h", episode)]
    assert isinstance(episode.length, int)
    assert isinstance(episode.total_reward, float) and isinstance(episode.done, bool)
    assert isinstance(episode.reset_arguments, dict)
    for step in episode:
        assert [repr(step), to_text(step), to_html(step), repr(step.result), str(step.error), repr(step.error)]
    assert all(history.row(entry) for entry in history.entries([episode]))
    for step in episode:
        step.fold()
    assert repr(episode)


odd = st.sampled_from(
    [..., None, True, 0, -1, 3, 2.5, float("nan"), float("inf"), 10**400, "", "x", "\ud83d", "step", "tool", "reset"]
) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
changes = st.lists(st.tuples(st.sampled_from(list(places(LINE))), odd), min_size=1, max_size=2)


def test_the_line_itself_is_an_episode() -> None:
    """What the others change can be read and used as it is."""
    use(Episode.from_jsonl(json.dumps(LINE)))


@given(changes)
@example([(("steps", 1, "result", "observation"), {"metadata": "text"})])
@example([(("steps", 2, "error", "state"), {"__str__": 3})])
@example([(("steps", 2, "error", "state", "errors"), [3, None])])
@example([(("steps", 3, "action", "params", "name"), [3])])
@example([(("steps", 4, "action", "arguments"), "x")])
@example([(("steps", 4, "action", "tool_name"), [3])])
@example([(("steps", 1, "seconds"), 10**400)])
def test_a_malformed_line_is_refused_or_can_be_used(changed: list[tuple[tuple[Any, ...], Any]]) -> None:
    """Whatever stands where else was meant is a ValueError that says where, or an episode that can be used."""
    line = LINE
    for place, value in changed:
        if place in list(places(line)):
            line = put(line, place, value)
    try:
        episode = Episode.from_jsonl(json.dumps(line))
    except ValueError as error:
        assert type(error) is ValueError
        assert str(error).startswith("not an episode: ")
        assert error.__cause__ is None and (error.__suppress_context__ or error.__context__ is None)
    else:
        use(episode)


@pytest.mark.parametrize("word", ["step", "reset", "code", "person", "InvalidAction", "openenv-notebook/1"])
def test_a_secret_that_is_a_word_of_ours_takes_nothing_away(word: str) -> None:
    """A password that is also a word of the format hides itself where it stands as one, and the line is read again."""
    episode = Episode.from_jsonl(json.dumps(put(LINE, ("steps", 1, "action"), {"password": word})))
    line = episode.to_jsonl()
    assert json.loads(line)["steps"][1]["action"] == {"password": "••••••"}
    again = Episode.from_jsonl(line)
    assert [(step.kind, step.actor, type(step.error)) for step in again] == [
        (step.kind, step.actor, type(step.error)) for step in episode
    ]
    assert (again.length, again.total_reward) == (episode.length, episode.total_reward)
