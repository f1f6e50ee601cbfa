"""The server's side of the wire: what may come in, and how replies are written."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticSerializationError, to_json

from openenv_notebook.values.messages import Observation


class Message(BaseModel):
    """A message to the server: a request for the state, or the wish to end the session. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")

    type: str


class DataMessage(Message):
    """One that carries data: a step's action, or a JSON-RPC request."""

    data: dict[str, Any]


class ResetMessage(DataMessage):
    """A request for a new episode; its data may be left out."""

    data: dict[str, Any] = Field(default_factory=dict)


def encode_frame(kind: str, data: Any) -> bytes:
    """Write one reply; NaN and infinity become null. What is no JSON value raises PydanticSerializationError."""
    return to_json({"type": kind, "data": data}, inf_nan_mode="null")


def encode_observation(observation: Observation) -> bytes:
    """Write the reply to a reset or a step: reward and done beside the observation, metadata inside and beside it."""
    data = {
        "observation": observation.model_dump(exclude={"reward", "done"}),
        "reward": observation.reward,
        "done": observation.done,
    }
    if observation.metadata:
        data["metadata"] = observation.metadata
    return encode_frame("observation", data)


def encode_error(code: str, message: str, **details: Any) -> bytes:
    """Write an error reply with one of OpenEnv's seven codes, and more keys. Whatever it holds, this does not fail."""
    data = {"message": message, "code": code, **details}
    try:
        return to_json({"type": "error", "data": data}, inf_nan_mode="null", fallback=str)
    except PydanticSerializationError:
        # A lone surrogate cannot be UTF-8; escaped it is at least valid JSON.
        return json.dumps({"type": "error", "data": data}, default=str).encode("ascii")
