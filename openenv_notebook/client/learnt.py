"""What a front end wants to know of a server, by a blocking client: good to know, and not worth a long wait."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.client.known import PATIENCE
from openenv_notebook.client.waiting import block
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.errors import OpenEnvError


def environment_name(client: Any) -> str:
    """Ask what an environment is called, such as ``Connect4Environment``; "" where it does not say."""
    known, began = client.known, time.monotonic()
    if known.name is None and known.name_patience > 0:
        try:
            known.name = str(client.options(timeout=known.name_patience).metadata().get("name") or "")
        except OpenEnvError:
            known.name_patience -= time.monotonic() - began
    return known.name or ""


def renderer_key(client: Any) -> str:
    """Say what renderers know an environment by: its name, else its address; "" without a server."""
    return environment_name(client) or client.base_url or ""


def action_schema(client: Any) -> Shape | None:
    """Learn what an action may look like; some servers tell none, and the session works without it.

    That is what the server's schema says, else the client's own model, None where neither is known. What hangs is
    waited for as long as all calls of the client have patience.
    """
    talk = conversation_of(client)
    with contextlib.suppress(OpenEnvError):
        block(talk.learn(), None)
    return talk.known.action or talk.action_schema


def tools_of(client: Any, schema: Shape | None) -> Sequence[Tool]:
    """Ask for the tools, where the schema of actions says that there may be some: it costs a message otherwise."""
    if client.known.tools is not None:
        return list(client.known.tools)
    if schema is not None and "call_tool" not in str(schema):
        return []
    with contextlib.suppress(OpenEnvError):
        tools: Sequence[Tool] = client.options(timeout=PATIENCE).list_tools()
        return tools
    return []
