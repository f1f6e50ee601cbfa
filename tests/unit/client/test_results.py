"""Replies -> results: strict, generic and typed, from every recorded server."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
from pydantic import BaseModel, Field
from support.recorded import exchanges
from support.wire import result_frame

from openenv_notebook.client.results import TypedReader, read_parsed, read_result
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import ProtocolError
from openenv_notebook.values.messages import Observation, StepResult
from openenv_notebook.wire.replies import reply_type

OBSERVATIONS = [
    (f"{name}-{number}", line["frame"])
    for name, lines in exchanges().items()
    for number, line in enumerate(lines)
    if line["dir"] == "recv" and reply_type(line["frame"].encode()) == "observation"
]


class Board(Observation):
    """A typed observation."""

    board: list[list[int]] = Field(default_factory=list)
    legal_actions: list[int] = Field(default_factory=list)


class Bare(BaseModel):
    """A model that has none of upstream's fields."""

    board: list[int]


class Strict(BaseModel):
    """A model that requires what stands beside the observation on the wire."""

    done: bool
    reward: float | None
    text: str


class TestGeneric:
    """Observations as dicts."""

    @pytest.mark.parametrize(("name", "text"), OBSERVATIONS)
    def test_every_recorded_reply_is_read_as_it_was(self, name: str, text: str) -> None:
        """The parts of every recorded result are those on the wire, byte for value."""
        result, data = read_result(text.encode()), json.loads(text)["data"]
        assert result.observation == data["observation"]
        assert type(result.observation) is AttributeDict
        assert result.done is data["done"]
        assert result.reward == data["reward"]
        assert type(result.reward) is type(data["reward"])
        assert result.raw == data

    def test_metadata_is_found_where_servers_put_it(self) -> None:
        """Metadata stands beside the observation since 0.4, else inside it, else nowhere."""
        assert read_result(result_frame({}, metadata={"progress": 3})).metadata == {"progress": 3}
        assert read_result(result_frame({"metadata": {"progress": 3}})).metadata == {"progress": 3}
        assert read_result(result_frame({"metadata": {"a": 1}}, metadata={"b": 2})).metadata == {"b": 2}
        assert read_result(result_frame({})).metadata == {}
        assert read_result(result_frame({"metadata": "text"}, metadata=None)).metadata == {}

    def test_a16_the_old_wire_is_read_too(self) -> None:
        """A16: metadata arrives from old and new servers alike, and unknown keys are kept."""
        old = b'{"type":"observation","data":{"observation":{"a":1},"reward":null,"done":false}}'
        assert read_result(old) == StepResult({"a": 1}, None, False, {})
        new = result_frame({"a": 1}, metadata={"progress": 3}, info={"x": 1})
        assert read_result(new).metadata.progress == 3  # type: ignore[attr-defined]
        assert read_result(new).raw["info"] == {"x": 1}

    def test_nan_comes_back_as_it_is_sent(self) -> None:
        """Numbers that are not finite are read as Python's json writes them; null is None."""
        result = read_result(result_frame({"v": [math.nan, math.inf, -math.inf]}, math.nan))
        assert math.isnan(result.observation.v[0])
        assert result.observation.v[1:] == [math.inf, -math.inf]
        assert result.reward is not None
        assert math.isnan(result.reward)
        assert read_result(result_frame({}, None)).reward is None

    @pytest.mark.parametrize("reward", [True, 0, -3, 1.5, 10**20, None])
    def test_a_reward_keeps_its_type(self, reward: Any) -> None:
        """A bool is no number and an int no float: the reward is what was sent."""
        found = read_result(result_frame({}, reward)).reward
        assert found == reward
        assert type(found) is type(reward)

    MALFORMED = (
        b'{"type":"observation"}',
        b'{"type":"observation","data":null}',
        b'{"type":"observation","data":[]}',
        b'{"type":"observation","data":{}}',
        b'{"type":"observation","data":{"observation":null,"reward":1,"done":false}}',
        b'{"type":"observation","data":{"observation":[1],"reward":1,"done":false}}',
        b'{"type":"observation","data":{"observation":"x","reward":1,"done":false}}',
        b'{"type":"observation","data":{"reward":1,"done":false}}',
        b'{"type":"observation","data":{"observation":{},"reward":1}}',
        b'{"type":"observation","data":{"observation":{},"reward":1,"done":null}}',
        b'{"type":"observation","data":{"observation":{},"reward":1,"done":"false"}}',
        b'{"type":"observation","data":{"observation":{},"reward":1,"done":0}}',
        b'{"type":"observation","data":{"observation":{},"reward":"1","done":false}}',
        b'{"type":"observation","data":{"observation":{},"reward":[1],"done":false}}',
        b'{"type":"observation","data":{"observation":{',
    )

    @pytest.mark.parametrize("data", MALFORMED)
    def test_a_malformed_result_is_never_an_empty_success(self, data: bytes) -> None:
        """A part that is missing or of the wrong type is a ProtocolError, for every way of reading."""
        for read in (
            read_result,
            TypedReader(Board).read,
            TypedReader(Strict).read,
            lambda reply: read_parsed(reply, lambda payload: StepResult(payload)),
        ):
            with pytest.raises(ProtocolError) as caught:
                read(data)
            assert caught.value.frame


class TestTyped:
    """Observations as models."""

    def test_a_model_is_filled_from_both_places(self) -> None:
        """Reward, done and metadata stand beside the observation and are in the model as well."""
        result = TypedReader(Board).read(result_frame({"board": [[1]]}, 2, True, metadata={"m": 1}))
        assert result.observation == Board(board=[[1]], reward=2, done=True, metadata={"m": 1})
        assert (result.reward, result.done, result.metadata) == (2, True, {"m": 1})
        assert type(result.reward) is int

    def test_what_stands_inside_wins_in_the_model(self) -> None:
        """Fields the server put into the observation stay as it put them."""
        result = TypedReader(Board).read(result_frame({"reward": 5.0, "metadata": {"in": 1}}, 2, True))
        assert result.observation.reward == 5.0
        assert result.observation.done is True
        assert result.reward == 2
        assert result.metadata == {"in": 1}

    def test_a_model_without_these_fields_is_fine(self) -> None:
        """A model of the observation alone is read as it is."""
        result = TypedReader(Bare).read(result_frame({"board": [1]}, 1.0, True))
        assert result == StepResult(Bare(board=[1]), 1.0, True)

    def test_a_model_may_require_them(self) -> None:
        """A model that requires reward and done gets them from beside the observation."""
        assert TypedReader(Strict).read(result_frame({"text": "x"}, 1, False)).observation == Strict(
            done=False, reward=1.0, text="x"
        )

    def test_a_required_reward_may_be_none(self) -> None:
        """A reward that the environment does not give is None where the model allows it."""
        result = TypedReader(Strict).read(result_frame({"text": "x"}, None, False))
        assert result.observation == Strict(done=False, reward=None, text="x")

    def test_a_dataclass_is_a_model_too(self) -> None:
        """Anything pydantic can validate may be named as the observation."""

        @dataclasses.dataclass
        class Seen:
            board: list[int]

        assert TypedReader(Seen).read(result_frame({"board": [1]})).observation == Seen([1])

    def test_keys_beside_the_observation_are_kept_in_raw(self) -> None:
        """Keys of the envelope that nobody knows do not hinder a typed client."""
        assert TypedReader(Board).read(result_frame({}, truncated=True)).raw["truncated"] is True

    def test_a_misfit_names_each_field(self) -> None:
        """An observation that does not fit the model is a ProtocolError, one line a field."""
        with pytest.raises(ProtocolError) as caught:
            TypedReader(Board).read(result_frame({"board": "x", "more": 1}))
        lines = str(caught.value).splitlines()
        assert lines[0] == "an observation that does not fit Board"
        assert "board" in lines[1]
        assert "more" in lines[2]

    def test_an_unknown_reward_type_is_a_protocol_error(self) -> None:
        """A reward as text is refused by typed clients as by generic ones."""
        with pytest.raises(ProtocolError, match='"reward" is not a number'):
            TypedReader(Board).read(result_frame({}, "1"))

    def test_nan_is_read_in_one_pass_and_in_two(self) -> None:
        """NaN in an observation arrives in a model."""

        class Numbers(Observation):
            v: float

        class Required(Strict):
            v: float

        assert math.isnan(TypedReader(Numbers).read(result_frame({"v": math.nan}, math.nan)).observation.v)
        assert math.isnan(TypedReader(Required).read(result_frame({"v": math.nan, "text": ""}, 1)).observation.v)


class TestParsed:
    """Results made by a client's own hook."""

    def test_the_hook_decides(self) -> None:
        """Observation, reward and end are what the hook made of the data."""
        result = read_parsed(
            result_frame({"a": 1}, 1, False), lambda data: StepResult(data["observation"]["a"], 5, True)
        )
        assert result == StepResult(1, 5, True)

    def test_metadata_the_hook_left_out_is_kept(self) -> None:
        """A16: a hook of upstream's that knows no metadata does not lose it."""

        class Upstream:
            observation, reward, done = "x", 1.0, False

        result = read_parsed(result_frame({}, metadata={"progress": 3}), lambda data: Upstream())
        assert result == StepResult("x", 1.0, False, {"progress": 3})
        assert result.raw["metadata"] == {"progress": 3}

    def test_a_hook_may_change_its_data(self) -> None:
        """A hook that pops from what it got loses nothing of the record."""

        def parse(data: dict[str, Any]) -> StepResult[Any]:
            data.pop("metadata", None)
            return StepResult(data.pop("observation"), data.pop("reward"), data.pop("done"))

        result = read_parsed(result_frame({"a": 1}, 1, False, metadata={"m": 1}), parse)
        assert result.metadata == {"m": 1}
        assert result.raw["observation"] == {"a": 1}
