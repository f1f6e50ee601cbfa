"""Actions, observations, states, results and tools, as upstream defines them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from pydantic import ValidationError
from support.wire import result_frame

from openenv_notebook.client.codec import read_result
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.messages import (
    Action,
    CallToolAction,
    GenericAction,
    ListToolsAction,
    Observation,
    State,
    StepResult,
    short_repr,
)


class Move(Action):
    """An action of a test."""

    column: int


def test_the_fields_are_those_of_upstream() -> None:
    """Fields and defaults of the three roots are those of openenv's own."""
    assert Action().model_dump() == {"metadata": {}}
    assert Observation().model_dump() == {"done": False, "reward": None, "metadata": {}}
    assert State().model_dump() == {"episode_id": None, "step_count": 0}


@pytest.mark.parametrize("model", [Action, Observation, Move])
def test_actions_and_observations_refuse_unknown_fields(model: type[Any]) -> None:
    """An unknown field of an action or observation is refused."""
    with pytest.raises(ValidationError, match="extra_forbidden"):
        model(column=1, wrong=1)


def test_a_state_keeps_unknown_fields() -> None:
    """An unknown field of a state is kept."""
    assert State.model_validate({"board": [1]}).model_dump()["board"] == [1]


def test_assignment_is_validated() -> None:
    """A value of the wrong type cannot be assigned either."""
    move = Move(column=1)
    with pytest.raises(ValidationError):
        move.column = "x"  # type: ignore[assignment]


def test_defaults_are_not_shared() -> None:
    """Two actions never share their metadata."""
    one, other = Action(), Action()
    one.metadata["a"] = 1
    assert other.metadata == {}


@pytest.mark.parametrize("reward", [True, 3, 0.5, None])
def test_a_reward_keeps_its_type(reward: Any) -> None:
    """A reward of an observation stays the bool, int, float or None it was."""
    kept = Observation(reward=reward).reward
    assert kept == reward
    assert type(kept) is type(reward)


def test_a_generic_action_is_a_dict_with_attributes() -> None:
    """GenericAction(column=3) is the dict it names, read by attribute."""
    action = GenericAction(column=3)
    assert action == {"column": 3}
    assert action.column == 3
    assert repr(action) == "GenericAction(column=3)"


def test_tool_actions_name_their_type() -> None:
    """The two tool actions carry the type servers tell them by."""
    assert ListToolsAction().type == "list_tools"
    assert CallToolAction(tool_name="f", arguments={"x": 1}).model_dump() == {
        "metadata": {},
        "type": "call_tool",
        "tool_name": "f",
        "arguments": {"x": 1},
    }


@pytest.mark.parametrize("key", ["inputSchema", "input_schema"])
def test_a_tool_is_read_in_both_spellings(key: str) -> None:
    """Servers write inputSchema or input_schema; other keys are passed over."""
    tool = Tool.model_validate({"name": "f", key: {"type": "object"}, "outputSchema": {}, "title": None})
    assert tool.input_schema == {"type": "object"}
    assert tool.description == ""


class TestStepResult:
    """What a reset or a step gives back."""

    def test_it_has_four_names(self) -> None:
        """A result is an observation, a reward, an end and metadata."""
        result = StepResult({"a": 1}, 1.5, True, {"m": 2})
        assert (result.observation, result.reward, result.done, result.metadata) == ({"a": 1}, 1.5, True, {"m": 2})
        assert StepResult(1) == StepResult(1, None, False, {})

    def test_it_cannot_be_changed(self) -> None:
        """A result is frozen."""
        with pytest.raises(dataclasses.FrozenInstanceError):
            StepResult(1).reward = 2  # type: ignore[misc]

    def test_unpacking_raises_and_names_the_gymnasium_view(self) -> None:
        """A result is no tuple; unpacking says what it has and gives Gymnasium's five values."""
        result = StepResult(1)
        with pytest.raises(TypeError, match=r"not a tuple: read \.observation, \.reward, \.done and \.metadata"):
            _observation, _reward, _done, _cut, _info = result
        with pytest.raises(TypeError, match=r"Gymnasium.*\(r\.observation, r\.reward, r\.done, False, r\.metadata\)"):
            list(result)
        with pytest.raises(TypeError, match="not a tuple"):
            result[0]

    def test_keys_are_answered_with_the_right_spelling(self) -> None:
        """result['board'] says how to write it."""
        with pytest.raises(TypeError, match=r"write result\.board or result\.observation\['board'\]"):
            StepResult(1)["board"]

    def test_a16_raw_keeps_unknown_keys(self) -> None:
        """A16: everything on the wire can be had, with keys this package does not know."""
        frame = result_frame({"a": 1}, 1, False, metadata={"progress": 3}, truncated=True, extra={"k": [1]})
        result = read_result(frame)
        assert result.raw["truncated"] is True
        assert result.raw["extra"] == {"k": [1]}
        assert result.metadata == {"progress": 3}

    def test_raw_is_a_new_copy(self) -> None:
        """Changing what raw gave changes nothing."""
        result = read_result(result_frame({"a": 1}))
        result.raw["observation"]["a"] = 2
        assert result.raw["observation"]["a"] == 1
        assert StepResult(1).raw == {}

    def test_equality_is_of_the_values(self) -> None:
        """Two results with the same values are equal, wherever they came from."""
        assert read_result(result_frame({"a": 1}, 0.0, False)) == StepResult({"a": 1}, 0.0)

    @pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
    def test_it_travels(self, travel: Any) -> None:
        """Copies and pickles are equal and keep the raw data."""
        result = read_result(result_frame({"a": {"b": 1}}, extra=1))
        other = travel(result)
        assert other == result
        assert other.raw == result.raw
        assert other.observation.a.b == 1

    def test_its_repr_is_bounded(self) -> None:
        """A repr stays short however large the observation is."""
        wide = {f"key{number}": "x" * 10_000 for number in range(1000)}
        deep: dict[str, Any] = {}
        inner = deep
        for _ in range(100):
            inner["in"] = inner = {}
        for value in (wide, deep, {"pixels": list(range(100_000))}, {"rows": [[0] * 1000] * 1000}, "y" * 10**6):
            assert len(repr(StepResult(value, 1.0, False, {"m": value}))) < 10_000
        assert repr(StepResult({"a": 1}, 1.0, True)) == "StepResult(observation={'a': 1}, reward=1.0, done=True)"
        assert repr(StepResult(None, metadata={"a": 1})).endswith("metadata={'a': 1})")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("short", "'short'"),
        (b"x" * 500, "b'" + "x" * 98 + "…"),
        ("x" * 200, "'" + "x" * 99 + "…' (200 characters)"),
        ([1, 2], "[1, 2]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, … 20 in all]"),
        ({"a": {"b": {"c": {"d": {"e": 1}}}}}, "{'a': {'b': {'c': {'d': {… 1 in all}}}}}"),
        ([[[[[1, 2]]]]], "[[[[[… 2 in all]]]]]"),
        (Move(column=1), "Move(metadata={}, column=1)"),
        (AttributeDict(a=[{"b": 1}]), "{'a': [{'b': 1}]}"),
        ([StepResult({"a": 1}, 1.0)], "[StepResult(observation={'a': 1}, reward=1.0, done=False)]"),
    ],
)
def test_values_are_written_short(value: Any, text: str) -> None:
    """Long texts, lists and deep parts are folded, and how much there is, is said."""
    assert short_repr(value) == text
