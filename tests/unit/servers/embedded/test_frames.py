"""How replies are written."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from pydantic_core import PydanticSerializationError

from openenv_notebook.servers.embedded.frames import encode_error, encode_frame, encode_observation
from openenv_notebook.values.messages import Observation


class Seen(Observation):
    """An observation of anything."""

    value: Any = None


def test_an_observation_stands_beside_its_reward() -> None:
    """Reward and done are beside the observation, metadata inside and beside it."""
    frame = json.loads(encode_observation(Seen(value=1, reward=2, done=True, metadata={"k": 1})))
    assert frame == {
        "type": "observation",
        "data": {"observation": {"metadata": {"k": 1}, "value": 1}, "reward": 2, "done": True, "metadata": {"k": 1}},
    }


def test_empty_metadata_is_not_repeated() -> None:
    """Without metadata there is no key for it beside the observation."""
    assert json.loads(encode_observation(Seen()))["data"] == {
        "observation": {"metadata": {}, "value": None},
        "reward": None,
        "done": False,
    }


def test_what_is_not_finite_is_null() -> None:
    """NaN and infinity go out as null, as reward and within the observation."""
    data = json.loads(encode_observation(Seen(value=[math.nan, math.inf, {"a": -math.inf}], reward=math.nan)))["data"]
    assert data["reward"] is None
    assert data["observation"]["value"] == [None, None, {"a": None}]


@pytest.mark.parametrize("value", [object(), b"\xff", "\ud83d"])
def test_what_is_no_json_is_an_error(value: Any) -> None:
    """A value that JSON cannot hold raises instead of being sent as something else."""
    with pytest.raises(PydanticSerializationError):
        encode_frame("state", {"value": value})


@pytest.mark.parametrize("value", [object(), "\ud83d", math.nan, ValueError("odd")])
def test_an_error_can_always_be_sent(value: Any) -> None:
    """An error reply is valid JSON whatever came in."""
    frame = json.loads(encode_error("VALIDATION_ERROR", "bad \ud83d", errors=[{"input": value}]))
    assert frame["type"] == "error"
    assert frame["data"]["code"] == "VALIDATION_ERROR"
