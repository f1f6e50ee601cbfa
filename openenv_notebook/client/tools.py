"""``env.tools``: each tool of an MCP environment as a method."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Iterator
from typing import Any

from openenv_notebook.client.known import Known
from openenv_notebook.schema.action import action_fields
from openenv_notebook.schema.model import python_type
from openenv_notebook.schema.shapes import ABSENT
from openenv_notebook.schema.tool import Tool, arguments_of
from openenv_notebook.values.text import nearest


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
    """Make a Python signature of a tool's schema: keyword-only parameters, the required ones first.

    Arguments whose names are no Python names are left out and can be given as ``**{...}``.
    """
    parameters = []
    for field in sorted(action_fields(arguments_of(tool)), key=lambda field: not field.required):
        if not field.name.isidentifier() or keyword.iskeyword(field.name):
            continue
        default = None if field.default is ABSENT else field.default
        default = inspect.Parameter.empty if field.required else default
        kind = python_type(field)
        annotation = inspect.Parameter.empty if kind is Any else kind
        parameters.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    return inspect.Signature(parameters)
