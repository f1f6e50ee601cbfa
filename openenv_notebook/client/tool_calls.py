"""Tools of MCP environments: listing and calling them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from openenv_notebook.client.actions import wire_arguments
from openenv_notebook.client.conversation import Conversation, Options
from openenv_notebook.client.waiting import exchange_async
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import AttributeDict, attribute_dict
from openenv_notebook.values.errors import (
    InvalidAction,
    MisuseError,
    NotSupportedHere,
    ProtocolError,
    RequestRejected,
    ServerError,
    ToolFailed,
)
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.text import nearest
from openenv_notebook.wire.protocol import Entry, Request, frame
from openenv_notebook.wire.replies import error_lines, reply_data

# How servers say that an environment has no tools.
_NO_TOOLS = ("does not support MCP", "expected ListToolsObservation")


class ToolCalls:
    """The calls of tools in one conversation.

    Args:
        talk: The conversation.
        options: How the calls are made.
    """

    def __init__(self, talk: Conversation, options: Options) -> None:
        self._talk = talk
        self._options = options

    async def list_tools(self, use_cache: bool = True) -> list[Tool]:
        """List the environment's tools. It is never a step.

        Args:
            use_cache: False asks again.

        Returns:
            The tools; none for an environment without tools.

        Raises:
            NotSupportedHere: If the server can be asked for them by a step only.
            OpenEnvError: Why there is no answer.
        """
        return await self._tools_for("list_tools", time.monotonic(), use_cache=use_cache)

    async def _tools_for(self, name: str, began: float, *, use_cache: bool = True) -> list[Tool]:
        """Give the tools; where they are not known yet, a call asks for them in its own time."""
        if self._talk.known.tools is None or not use_cache:
            return self._talk.known.take_tools(await self._ask_tools(name, began))
        return self._talk.known.tools

    async def _ask_tools(self, name: str, began: float) -> list[Tool]:
        try:
            answer = await self._rpc("tools/list", {}, name, began)
        except RequestRejected as error:
            # Servers before 0.2.1 know no mcp message. There it is an action, and whoever looks makes none.
            raise NotSupportedHere(
                "this server lists its tools only as a step of the environment, and none was made",
                url=self._talk.session.url,
                hint='env.step({"type": "list_tools"}) is that step; call_tool(name, …) needs no list',
            ) from error
        if "error" not in answer:
            return _listed(answer.get("result", {}))
        failure = answer["error"] if isinstance(answer["error"], Mapping) else {"message": answer["error"]}
        message = str(failure.get("message", ""))
        if any(words in message for words in _NO_TOOLS):
            return []
        raise self._hidden(ServerError(message, code=str(failure.get("code", "")), details=failure), {})

    async def get_tool(self, name: str) -> Tool | None:
        """Find a tool by name; None if there is none."""
        return next((tool for tool in await self.list_tools() if tool.name == name), None)

    async def has_tool(self, name: str) -> bool:
        """Tell whether there is a tool of that name."""
        return await self.get_tool(name) is not None

    async def call_tool(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool. In simulation mode it is a step; in production mode it is none.

        Args:
            name: The tool.
            **arguments: Its arguments.

        Returns:
            The tool's value.

        Raises:
            ToolFailed: If the tool reported an error.
            MisuseError: If no tool has that name, with the nearest one.
            NotSupportedHere: If the environment has no tools.
            InvalidAction: If an argument cannot be sent.
        """
        began = time.monotonic()
        tool = await self._known_tool(name, began)
        try:
            arguments = wire_arguments(name, arguments, None if tool is None else [tool])
        except InvalidAction as error:
            error.url = self._talk.session.url
            self._talk.known.secrets.hide_in(error)
            raise
        if self._talk.mode == "production":
            call = {"name": name, "arguments": arguments}
            answer = await self._rpc("tools/call", call, "call_tool", began, entry="tool")
            if "error" in answer:
                raise self._hidden(_failed(name, answer["error"]), call)
            return tool_value(answer.get("result"))
        action = {"type": "call_tool", "tool_name": name, "arguments": arguments}
        observation = await self._step(action, "call_tool", began)
        if observation.get("error"):
            raise self._hidden(_failed(name, observation["error"]), action)
        return tool_value(observation.get("result"))

    def _hidden(self, error: ServerError, sent: Mapping[str, Any]) -> ServerError:
        self._talk.known.secrets.with_those_of(sent).hide_in(error)
        return error

    async def _known_tool(self, name: str, began: float) -> Tool | None:
        """Find a tool, or refuse its name; None where the list cannot be read: it may be there all the same."""
        try:
            tools = {tool.name: tool for tool in await self._tools_for("call_tool", began)}
        except (ProtocolError, ServerError, NotSupportedHere):
            return None
        if not tools:
            hint = "step() acts in it; schema() tells its fields"
            raise NotSupportedHere("this environment has no tools", url=self._talk.session.url, hint=hint)
        if name not in tools:
            raise MisuseError(f"no tool {name!r}{nearest(name, tools)}", hint=f"tools: {', '.join(tools)}")
        return tools[name]

    async def _rpc(
        self, method: str, params: Mapping[str, Any], name: str, began: float, entry: Entry | None = None
    ) -> dict[str, Any]:
        data = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        request = Request("mcp", frame("mcp", data), self._talk.session, entry=entry, name=name)
        await exchange_async((request,), self._options.timeout, began=began)
        return reply_data(self._talk.reply(request), "mcp")

    async def _step(self, action: Mapping[str, Any], name: str, began: float) -> dict[str, Any]:
        """Make a step of an action that is told as it travels, and return its observation."""
        sent, actor = frame("step", action), self._options.actor
        request = Request("step", sent, self._talk.session, entry="step", actor=actor, name=name)
        await exchange_async((request,), self._options.timeout, began=began)
        observation = self._talk.result(request).raw["observation"]
        return cast(AttributeDict, attribute_dict(observation, self._talk.known.secrets))


def _listed(answer: Any) -> list[Tool]:
    """Read a list of tools, without those that have no name; raises ProtocolError if nothing of it can be read."""
    found = answer.get("tools", []) if isinstance(answer, Mapping) else answer
    if not isinstance(found, list):
        raise ProtocolError(f"a list of tools that is none: {short_repr(answer)}")
    tools, wrong = [], None
    for tool in found:
        try:
            tools.append(Tool.model_validate(tool))
        except ValidationError as error:
            wrong = error
    if wrong is not None and not tools:
        lines = "".join(f"\n  {line}" for line in error_lines(wrong.errors(include_url=False)))
        raise ProtocolError(f"a list of tools that is none{lines}")
    return tools


def _failed(name: str, error: Any) -> ToolFailed:
    if not isinstance(error, Mapping):
        return ToolFailed(str(error), tool=name)
    kind = error.get("error_type") or error.get("code") or ""
    return ToolFailed(str(error.get("message", "")), tool=name, error_type=str(kind), details=dict(error))


def tool_value(result: Any) -> Any:
    """Find a tool's value in what the server sends around it.

    Args:
        result: The tool's result: a plain value, or an object with data,
            structured_content or content.

    Returns:
        ``data``, else the structured content, else the text of the content.
    """
    if not isinstance(result, Mapping):
        return result
    if result.get("data") is not None:
        return result["data"]
    for key in ("structured_content", "structuredContent"):
        if result.get(key) is not None:
            return result[key]
    content = result.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return None if "data" in result else result
