"""Blocking questions about the server and its tools; the asynchronous ones stand in ``inspection`` and ``tools``."""

from __future__ import annotations

from typing import Any, cast

from openenv_notebook.schema.tool import Tool


class SyncQuestions:
    """Each method asks its asynchronous twin of the same name, and blocks."""

    def _call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _offer_action(self) -> None:
        raise NotImplementedError

    # Questions over HTTP

    def health(self) -> dict[str, Any]:
        """Ask whether the server runs; see :meth:`EnvClient.health`."""
        return cast(dict[str, Any], self._call("health"))

    def metadata(self) -> dict[str, Any]:
        """Ask what the environment says of itself; see :meth:`EnvClient.metadata`."""
        return cast(dict[str, Any], self._call("metadata"))

    def schema(self) -> dict[str, Any]:
        """Ask for the JSON Schemas of the environment; asked once, then remembered."""
        found = cast(dict[str, Any], self._call("schema"))
        self._offer_action()
        return found

    def list_environments(self) -> list[str]:
        """Ask for the names the task API knows environments by."""
        return cast(list[str], self._call("list_environments"))

    def list_splits(self, env_name: str | None = None) -> list[dict[str, Any]]:
        """Ask for the splits of an environment's tasks; see :meth:`EnvClient.list_splits`."""
        return cast(list[dict[str, Any]], self._call("list_splits", env_name))

    def list_tasks(self, split: str, env_name: str | None = None) -> list[Any]:
        """Ask for all tasks of a split; see :meth:`EnvClient.list_tasks`."""
        return cast(list[Any], self._call("list_tasks", split, env_name))

    def num_tasks(self, split: str, env_name: str | None = None) -> int:
        """Ask how many tasks a split has; see :meth:`EnvClient.num_tasks`."""
        return cast(int, self._call("num_tasks", split, env_name))

    def get_task(self, split: str, index: int, env_name: str | None = None) -> Any:
        """Ask for one task; see :meth:`EnvClient.get_task`."""
        return self._call("get_task", split, index, env_name)

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None, env_name: str | None = None
    ) -> list[Any]:
        """Ask for some tasks of a split; see :meth:`EnvClient.get_task_range`."""
        return cast(list[Any], self._call("get_task_range", split, start, stop, env_name))

    # Tools

    def list_tools(self, use_cache: bool = True) -> list[Tool]:
        """List the environment's tools; see :meth:`EnvClient.list_tools`."""
        return cast(list[Tool], self._call("list_tools", use_cache))

    def get_tool(self, name: str) -> Tool | None:
        """Find a tool by name; None if there is none."""
        return cast("Tool | None", self._call("get_tool", name))

    def has_tool(self, name: str) -> bool:
        """Tell whether there is a tool of that name."""
        return cast(bool, self._call("has_tool", name))

    def call_tool(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool; see :meth:`EnvClient.call_tool`."""
        return self._call("call_tool", name, **arguments)
