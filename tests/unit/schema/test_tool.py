"""A tool of an MCP environment, as servers describe it."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_notebook.schema.shapes import Json, Number, Object
from openenv_notebook.schema.tool import Tool, arguments_of


def test_arguments_have_the_shape_of_the_schema() -> None:
    """What a tool takes is read from its schema."""
    tool = Tool(name="add", input_schema={"properties": {"n": {"type": "integer"}}, "required": ["n"]})
    assert arguments_of(tool) == Object(fields=(Number(name="n", is_whole=True),))


@pytest.mark.parametrize("odd", [None, 3, "x", []])
def test_a_tool_can_be_called_whatever_else_is_said_of_it(odd: Any) -> None:
    """A description that is no text and a schema that is none say nothing."""
    tool = Tool.model_validate({"name": "add", "description": 3, "inputSchema": odd})
    assert (tool.description, tool.input_schema) == ("", {})
    assert arguments_of(tool) == Json(kind="object")
