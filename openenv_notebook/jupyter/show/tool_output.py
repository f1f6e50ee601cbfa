"""What a tool gave, taken out of what an MCP environment wraps around it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openenv_notebook.client.tool_calls import tool_value


def is_tool_output(observation: Any) -> bool:
    """Tell whether an observation is what a tool gave."""
    return isinstance(observation, Mapping) and "tool_name" in observation and "result" in observation


def tool_output(observation: Mapping[str, Any]) -> dict[str, Any]:
    """Take a tool's value, under its name, and its error, if any, out of what an MCP environment gave for a call."""
    shown: dict[str, Any] = {str(observation["tool_name"]): tool_value(observation["result"])}
    result = observation["result"]
    if isinstance(result, Mapping) and result.get("is_error"):
        shown["is_error"] = True
    if observation.get("error"):
        shown["error"] = observation["error"]
    return shown
