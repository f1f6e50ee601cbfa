"""Saved episodes: whatever somebody changed in a line, it is read as what it says, or refused by the place."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.entries import entry
from support.json_texts import values
from support.wire import result_frame

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.values.errors import EnvironmentFailed, OpenEnvError, ReplyTimeout


def saved() -> dict[str, Any]:
    """The plain values of an episode with a result and errors."""
    episode = Episode("http://here", "one")
    episode.append(entry("reset", {"seed": 1}, result_frame({"board": [0]}, None)))
    episode.append(entry("step", {"column": 3}, result_frame({"board": [1], "metadata": {"a": 1}}, 0.5)))
    episode.append(Step("step", {"column": 9}, error=EnvironmentFailed("boom", details={"x": 1})))
    episode.append(Step("step", {"column": 9}, error=ReplyTimeout("step", 1.0, sent=True), owed=True))
    found: dict[str, Any] = json.loads(episode.to_jsonl())
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value, by its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


def without_none(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Entries in which nothing is said to be none."""
    return [{name: value for name, value in each.items() if value is not None} for each in entries]


WHOLE = saved()
PLACES = [place for place in places(WHOLE) if place]


def changed(place: tuple[Any, ...], value: Any) -> str:
    """The line with another value in one place."""
    made = copy.deepcopy(WHOLE)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return json.dumps(made)


def test_it_is_read() -> None:
    """The line itself is read, and written again as it was."""
    episode = Episode.from_jsonl(json.dumps(WHOLE))
    assert json.loads(episode.to_jsonl()) == WHOLE


@given(st.sampled_from(PLACES), values)
def test_no_change_breaks_what_reads_it(place: tuple[Any, ...], value: Any) -> None:
    """Another value anywhere is refused as no episode, or is an episode that can be looked at and written."""
    line = changed(place, value)
    try:
        episode = Episode.from_jsonl(line)
    except ValueError as error:
        assert str(error).startswith("not an episode: ") and "to_jsonl()" in str(error)
        return
    assert repr(episode) and repr(list(episode)) and [str(step.error) for step in episode]
    assert isinstance(episode.total_reward, float) and isinstance(episode.done, bool)
    # An error that cannot tell itself any more is told in words.
    if "error" not in place:
        said = json.loads(line)["steps"]
        assert without_none(said) == without_none(json.loads(episode.to_jsonl())["steps"])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("steps", 1, "kind"), "jump"),
        (("steps", 1), None),
        (("steps", 1, "result", "done"), "no"),
        (("steps", 1, "result", "reward"), "0.5"),
        (("steps", 1, "result"), [1]),
        (("steps", 2, "error"), "boom"),
        (("steps", 2, "error", "type"), 5),
        (("steps", 3, "owed"), "yes"),
        (("steps", 1, "started"), "today"),
        (("extra",), [1]),
        (("extra", "base_url"), 8000),
        (("extra", "forgotten"), {"a": 1}),
        (("episode_id",), 7),
    ],
)
def test_a_wrong_type_is_told_by_its_place(place: tuple[Any, ...], value: Any) -> None:
    """What has another type than is written is never taken for something else."""
    with pytest.raises(ValueError, match=rf"not an episode: {'.'.join(map(str, place))}"):
        Episode.from_jsonl(changed(place, value))


def test_an_error_that_cannot_tell_itself_is_told_by_its_name() -> None:
    """An error that was saved without what its text needs keeps its class in words."""
    line = changed(("steps", 3, "error"), {"type": "ReplyTimeout", "args": [], "state": {}})
    error = Episode.from_jsonl(line)[3].error
    assert type(error) is OpenEnvError and "ReplyTimeout" in str(error)


@pytest.mark.parametrize("odd", [None, 3, "reset", [], {}, {"kind": 1}, {"kind": "step", "result": 4}])
def test_an_odd_entry_is_refused(odd: Any) -> None:
    """An entry alone is held to the same rules."""
    with pytest.raises(ValueError, match="not an entry of an episode: "):
        Step.from_dict(odd)
