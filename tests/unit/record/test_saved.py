"""Saved episodes: whatever somebody changed in a line, it is read as what it says, or refused by the place."""

from __future__ import annotations

import copy
import json
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.entries import entry
from support.json_texts import values
from support.pace import SLOW
from support.wire import result_frame

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.values.errors import (
    EnvironmentFailed,
    InvalidAction,
    OpenEnvError,
    ProtocolError,
    ReplyTimeout,
    ServerStartFailed,
    SessionLost,
)


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


ERRORS = [
    EnvironmentFailed("boom"),
    InvalidAction("no", errors=["a: wrong"]),
    ProtocolError("odd", frame="f"),
    ReplyTimeout("step", 1.0, sent=True),
    ServerStartFailed("no", log=["a"]),
    SessionLost("gone", code=1006),
]
OWN = sorted({*dir(OpenEnvError), "__notes__", "__cause__", *(name for error in ERRORS for name in vars(error))})


@SLOW
@given(st.sampled_from(ERRORS), st.sampled_from(OWN), values)
def test_no_state_of_an_error_breaks_it(error: OpenEnvError, name: str, value: Any) -> None:
    """Whatever stands in the state of a saved error, it is refused, or the error is told, noted, copied and folded."""
    episode = Episode("http://here", "one")
    episode.append(Step("step", {"column": 1}, error=error))
    line = json.loads(episode.to_jsonl())
    line["steps"][0]["error"]["state"][name] = value
    try:
        read = Episode.from_jsonl(json.dumps(line))
    except ValueError as refused:
        assert str(refused).startswith("not an episode: ")
        return
    (step,) = read
    assert isinstance(step.error, OpenEnvError)
    copy.copy(step.error).add_note("noted")
    assert str(step.error) and "".join(traceback.format_exception(step.error)) and read.to_jsonl()
    assert all(isinstance(shown, str) for shown in step.error._render_traceback_())
    step.fold()
    assert repr(step) and isinstance(step.error, OpenEnvError)


@pytest.mark.parametrize("kind", ["reset", "tool"])
@pytest.mark.parametrize("action", [5, "x", [1], True, 1.5])
def test_what_goes_by_name_is_an_object(kind: str, action: Any) -> None:
    """The arguments of a reset and the request of a tool are objects, or it is no episode."""
    with pytest.raises(ValueError, match=rf"not an episode: steps.0: the action of a {kind} is an object"):
        Episode.from_jsonl(json.dumps({"steps": [{"kind": kind, "action": action}]}))


NO_LINES = [None, 5, [], {}, object(), memoryview(b"{}"), b"\xff", "[" * 100_000, "{}\n{}", "\ufeff{}"]


@pytest.mark.parametrize("odd", NO_LINES, ids=range(len(NO_LINES)))
def test_what_is_no_line_is_refused(odd: Any) -> None:
    """What is no text, no JSON or more than one line is refused as any other line that is no episode."""
    with pytest.raises(ValueError, match="not an episode: "):
        Episode.from_jsonl(odd)


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
