"""The server's side of the wire: what may come in, and how replies are written."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from openenv_notebook.values.messages import Observation


class Envelope(BaseModel):
    """The root of messages to the server. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class ResetMessage(Envelope):
    """A request for a new episode."""

    type: Literal["reset"]
    data: dict[str, Any] = Field(default_factory=dict)


class StepMessage(Envelope):
    """A request for one step; ``data`` is the action."""

    type: Literal["step"]
    data: dict[str, Any]


class StateMessage(Envelope):
    """A request for the state. It carries no data."""

    type: Literal["state"]


class CloseMessage(Envelope):
    """The wish to end the session."""

    type: Literal["close"]


class McpMessage(Envelope):
    """A JSON-RPC request in an envelope."""

    type: Literal["mcp"]
    data: dict[str, Any]


def encode_frame(kind: str, data: Any) -> bytes:
    """Write one reply.

    Args:
        kind: The reply's type, such as "observation".
        data: What it carries; NaN and infinity become null.

    Returns:
        The frame as UTF-8 JSON.

    Raises:
        PydanticSerializationError: Something in it is no JSON value.
    """
    return to_json({"type": kind, "data": data}, inf_nan_mode="null")


def encode_observation(observation: Observation) -> bytes:
    """Write the reply to a reset or a step.

    Reward and done stand beside the observation, metadata inside and beside it.

    Args:
        observation: What the environment returned.

    Returns:
        The frame.

    Raises:
        PydanticSerializationError: Something in it is no JSON value.
    """
    data = {
        "observation": observation.model_dump(exclude={"reward", "done"}),
        "reward": observation.reward,
        "done": observation.done,
    }
    if observation.metadata:
        data["metadata"] = observation.metadata
    return encode_frame("observation", data)


def encode_error(code: str, message: str, **details: Any) -> bytes:
    """Write an error reply. Whatever it holds, this does not fail.

    Args:
        code: One of the seven codes of OpenEnv.
        message: What happened.
        details: More keys, such as ``errors``.

    Returns:
        The frame.
    """
    data = {"message": message, "code": code, **details}
    try:
        return to_json({"type": "error", "data": data}, inf_nan_mode="null", fallback=str)
    except PydanticSerializationError:
        # A lone surrogate cannot be UTF-8; escaped it is at least valid JSON.
        return json.dumps({"type": "error", "data": data}, default=str).encode("ascii")


def encode_validation_error(error: ValidationError) -> bytes:
    """Write the reply to a message or action that does not fit.

    A ValueError raised by a validator of the action is sent as its text.

    Args:
        error: What pydantic found.

    Returns:
        The frame, with one entry of ``errors`` for each wrong field.
    """
    return encode_error("VALIDATION_ERROR", "Invalid message", errors=error.errors())
