"""Any value of ours -> text and HTML, bounded; it never raises and asks nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.client.tools import ToolNamespace
from openenv_notebook.jupyter.show import cards, schemas
from openenv_notebook.jupyter.show.as_html import write_html
from openenv_notebook.jupyter.show.as_text import write_text
from openenv_notebook.jupyter.show.blocks import Block
from openenv_notebook.jupyter.show.bounded import html_or_text
from openenv_notebook.jupyter.show.describe import Describer
from openenv_notebook.jupyter.show.plain import as_fields, short
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.schema.tool import Tool
from openenv_notebook.servers import Server
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.values.messages import Action, Observation, State, StepResult
from openenv_notebook.values.secrets import secrets_of
from openenv_notebook.values.text import one_line

_CARDS: tuple[tuple[type | tuple[type, ...], Callable[[Any], Block]], ...] = (
    (StepResult, cards.of_result),
    ((EnvClient, SyncEnvClient), cards.of_client),
    (Server, cards.of_server),
    (Episode, cards.of_episode),
    (Step, cards.of_step),
    (Tool, schemas.of_tool),
    (ToolNamespace, lambda tools: schemas.of_tools(list(tools))),
    (OpenEnvError, cards.of_error),
)
_LONGEST_REPR = 4_000
_LISTS: tuple[tuple[type, Callable[[Any], Block]], ...] = (
    (Tool, schemas.of_tools),
    (Episode, cards.of_episodes),
    (Step, cards.of_steps),
    (StepResult, cards.of_results),
)


def to_text(value: Any) -> str | None:
    """Write a value, or a list of them, as text: a field a line, boards as lines, large parts in short.

    At most 60 lines; None for what is none of ours.
    """
    try:
        block = blocks_of(value)
        return None if block is None else write_text(block)
    except Exception:
        # A representation that fails would hide the value itself.
        return repr_of(value)


def repr_of(value: Any) -> str | None:
    """Write a value in a line, in bounded length; None where even that fails."""
    try:
        text = short(value) if isinstance(value, (dict, list, BaseModel)) else repr(value)
        return one_line(text[:_LONGEST_REPR])
    except Exception:
        return None


def to_html(value: Any) -> str | None:
    """Write a value as HTML that every front end can show: one ``div`` of at most 60 kB besides pictures.

    None for what is none of ours, for errors, which are text, and for what cannot be written.
    """
    if isinstance(value, OpenEnvError):
        return None
    try:
        block = blocks_of(value)
        return None if block is None else html_or_text(block, write_html)
    except Exception:
        return None


def blocks_of(value: Any) -> Block | None:
    """Describe a value; None for what is none of ours."""
    for cls, describe in _CARDS:
        if isinstance(value, cls):
            return describe(value)
    if type(value) is list:
        return _of_list(value)
    if isinstance(value, AttributeDict):
        if schemas.is_schemas(value):
            return schemas.of_schemas(value)
        return schemas.of_schema(value) if schemas.is_schema(value) else Describer(secrets_of(value)).value(value)
    if isinstance(value, (Action, Observation, State)):
        return Describer().fields(as_fields(value) or {})
    if _is_official(value):
        return cards.of_result(value) if hasattr(value, "observation") else Describer().fields(as_fields(value) or {})
    return None


def _of_list(values: list[Any]) -> Block | None:
    for cls, describe in _LISTS:
        if values and isinstance(values[0], cls) and all(isinstance(item, cls) for item in values):
            return describe(values)
    return None


def _is_official(value: Any) -> bool:
    """Tell whether a value's class comes from the official package, or derives from one of it."""
    return any(cls.__module__.startswith("openenv.core.") for cls in type(value).__mro__)
