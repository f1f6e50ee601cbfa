"""Two clients of two servers in one process: to one a PIN is a secret, to the other it is a field like any other."""

from __future__ import annotations

import json
from typing import Any

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.values.attribute_dict import attribute_dict
from support.wire import FarEnd, Replier, error_frame, scripted

Env = SyncEnvClient[Any, Any, Any]

PIN = "s3cret-pin"
USER = "me-myself"


class Doorkeeper(Replier):
    """Repeats what it gets, refuses the user "nobody", and tells the PIN in its state and by a tool."""

    def __call__(self, request: dict[str, Any]) -> bytes:
        data = request.get("data", {})
        if request["type"] == "state":
            return json.dumps({"type": "state", "data": {"pin": PIN, "user": USER}}).encode()
        if request["type"] == "mcp":
            tool = {"name": "open", "inputSchema": {"properties": {"pin": {"type": "string"}}}}
            return json.dumps({"type": "mcp", "data": {"result": {"tools": [tool]}}}).encode()
        if request["type"] == "step" and data.get("user") == "nobody":
            wrong = {"type": "too_long", "loc": ["pin"], "msg": "too long", "input": data["pin"]}
            return error_frame("VALIDATION_ERROR", "Invalid message", errors=[wrong])
        if request["type"] == "step" and data.get("type") == "call_tool":
            result = {"data": {"pin": PIN, "user": USER}}
            seen = {"tool_name": "open", "result": result, "error": None}
            return json.dumps({"type": "observation", "data": {"observation": seen, "done": False}}).encode()
        return super().__call__(request)


def env_of(*, is_secret: bool) -> Env:
    """Connect to a server whose schema marks the PIN as a password, or does not; and act there once."""
    pin = {"type": "string", "format": "password"} if is_secret else {"type": "string"}
    properties = {"pin": pin, "user": {"type": "string"}}
    env: Env = scripted(GenericEnvClient("scripted.test:80", message_timeout_s=10), FarEnd(Doorkeeper())).sync()
    env.known.take_schema(attribute_dict({"action": {"type": "object", "properties": properties}}))
    env.known.name = "doorkeeper"
    env.reset(pin=PIN)
    env.step(pin=PIN, user=USER)
    return env
