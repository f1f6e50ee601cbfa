"""``env.tools``: each tool of an MCP environment as a method."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from openenv_notebook.client.known import Known
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.text import nearest

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


class ToolNamespace:
    """``env.tools``: each tool of the environment as a method.

    Names are known once the tools were listed; looking at the namespace asks no server.

    Args:
        known: Where the listed tools stand.
        call: Calls a tool by name: blocking, or giving an awaitable.
    """

    def __init__(self, known: Known, call: Callable[..., Any]) -> None:
        self._known = known
        self._call = call

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        names = [tool.name for tool in self._known.tools or ()]
        if self._known.tools is not None and name not in names:
            raise AttributeError(f"no tool {name!r}; tools: {', '.join(names) or 'none'}{nearest(name, names)}")
        return self[name]

    def __getitem__(self, name: str) -> Callable[..., Any]:
        tool = next((tool for tool in self._known.tools or () if tool.name == name), None)

        def call(**arguments: Any) -> Any:
            return self._call(name, **arguments)

        call.__name__ = call.__qualname__ = name
        if tool is not None:
            call.__doc__ = tool.description
            call.__signature__ = tool_signature(tool)  # type: ignore[attr-defined]
        return call

    def __dir__(self) -> list[str]:
        return [tool.name for tool in self._known.tools or () if tool.name.isidentifier()]

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._known.tools or ())

    def __len__(self) -> int:
        return len(self._known.tools or ())

    def _ipython_key_completions_(self) -> list[str]:
        return [tool.name for tool in self._known.tools or ()]

    def __repr__(self) -> str:
        if self._known.tools is None:
            return "<tools, not listed yet: call list_tools()>"
        return "\n".join(f"{tool.name}{tool_signature(tool)}" for tool in self) or "<no tools>"


def tool_signature(tool: Tool) -> inspect.Signature:
    """Make a Python signature of a tool's schema.

    Args:
        tool: The tool.

    Returns:
        Keyword-only parameters, the required ones first; arguments whose names are no
        Python names are left out and can be given as ``**{...}``.
    """
    required = tool.input_schema.get("required", ())
    properties = tool.input_schema.get("properties", {})
    parameters = []
    for name in sorted(properties, key=lambda name: name not in required):
        if not name.isidentifier() or keyword.iskeyword(name):
            continue
        schema = properties[name] if isinstance(properties[name], Mapping) else {}
        default = inspect.Parameter.empty if name in required else schema.get("default")
        annotation = _TYPES.get(str(schema.get("type")), inspect.Parameter.empty)
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    return inspect.Signature(parameters)
