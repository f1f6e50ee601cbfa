"""A tool of an MCP environment: its name, and the schema of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from openenv_notebook.schema.reader import action_shape
from openenv_notebook.schema.shapes import Shape


class Tool(BaseModel):
    """A tool of an MCP environment.

    Attributes:
        name: What it is called by.
        description: The server's words.
        input_schema: JSON Schema of its arguments. Servers write ``inputSchema`` or ``input_schema``.
    """

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    name: str
    description: str = ""
    input_schema: dict[str, Any] = Field(
        default_factory=dict, validation_alias=AliasChoices("input_schema", "inputSchema")
    )

    @field_validator("description", "input_schema", mode="before")
    @classmethod
    def _empty_if_odd(cls, value: Any, info: ValidationInfo) -> Any:
        """Keep a tool that can be called by its name, whatever else is said of it; null is usual."""
        if info.field_name == "input_schema":
            return value if isinstance(value, Mapping) else {}
        return value if isinstance(value, str) else ""


def arguments_of(tool: Tool) -> Shape:
    """Give what a tool's arguments may look like, read once from its schema."""
    return action_shape(tool.input_schema)
