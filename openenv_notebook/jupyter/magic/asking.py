"""What the notebook side asks of a server besides the session: good to know, and not worth a long wait."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from openenv_notebook.jupyter.magic.workspace import AnyClient
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.errors import OpenEnvError

_PATIENCE = 3.0


def environment_name(client: AnyClient) -> str:
    """Ask what an environment is called, such as ``Connect4Environment``; "" where it does not say."""
    known = client.known
    if known.name is None:
        try:
            known.name = str(client.options(timeout=_PATIENCE).metadata().get("name") or "")
        except OpenEnvError:
            return ""
    return known.name


def renderer_key(client: AnyClient) -> str:
    """Say what renderers know an environment by: its name, else its address; "" without a server."""
    return environment_name(client) or client.base_url or ""


def action_schema(client: AnyClient) -> Mapping[str, Any] | None:
    """Ask for the schema of actions; some servers tell none, and the session works without it."""
    known = client.known
    if known.schema is None and not known.schema_refused:
        with contextlib.suppress(OpenEnvError):
            client.options(timeout=_PATIENCE).schema()
    return known.action


def tools_of(client: AnyClient, schema: Mapping[str, Any] | None) -> Sequence[Tool]:
    """Ask for the tools, where the schema of actions says that there may be some: it costs a message otherwise."""
    if client.known.tools is not None:
        return client.known.tools
    if schema is not None and "call_tool" not in str(schema):
        return []
    try:
        return client.options(timeout=_PATIENCE).list_tools()
    except OpenEnvError:
        return []
