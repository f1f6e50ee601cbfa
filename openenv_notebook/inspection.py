"""What a client can ask about its server beside the session: schema, metadata, health, tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from pydantic import BaseModel

from openenv_notebook.attributes import AttributeDict, attribute_dict
from openenv_notebook.discovery import Discovery
from openenv_notebook.errors import ConnectFailed, NotAnOpenEnvServer, NotSupportedHere, OpenEnvError
from openenv_notebook.messages import Tool


@dataclass
class Known:
    """What is known of a server, asked once and shared by all views of a client.

    Attributes:
        schema: What GET /schema answered, or None.
        schema_refused: True when it was asked and there is none.
        asking: The question for the schema, while it is being asked.
        tools: The tools of an MCP environment, or None.
        action_model: The model made from the schema, or None.
    """

    schema: AttributeDict | None = None
    schema_refused: bool = False
    asking: asyncio.Task[None] | None = None
    tools: list[Tool] | None = None
    action_model: type[BaseModel] | None = None


class Inspection:
    """Asynchronous questions over HTTP. None of them touches the session or its environment."""

    _known: Known

    def _discovery(self) -> Discovery:
        raise NotImplementedError

    async def health(self) -> dict[str, Any]:
        """Ask whether the server runs.

        Returns:
            Its answer, such as ``{"status": "healthy"}``. A full server says so too.

        Raises:
            OpenEnvError: Why there is no answer.
        """
        return await self._object("/health")

    async def metadata(self) -> dict[str, Any]:
        """Ask what the environment says of itself.

        Returns:
            name, description, readme_content, version, author, documentation_url; often null.

        Raises:
            OpenEnvError: Why there is no answer; some servers fail here and work otherwise.
        """
        return await self._object("/metadata")

    async def schema(self) -> dict[str, Any]:
        """Ask for the JSON Schemas of the environment; asked once, then remembered.

        Returns:
            The schemas by "action", "observation" and "state"; newer servers add "reset_observation".

        Raises:
            OpenEnvError: Why there is no answer.
        """
        if self._known.schema is None:
            self._known.schema = await self._object("/schema")
        return self._known.schema

    async def _learn_schema(self) -> None:
        """Ask for the schema if it was not asked before; a server without one is fine.

        Calls that wait for it together ask once, and go on in the order they came.
        """
        known, loop = self._known, asyncio.get_running_loop()
        if known.schema is not None or known.schema_refused:
            return
        asking = known.asking
        if asking is None or asking.done() or asking.get_loop() is not loop:
            known.asking = asking = loop.create_task(self._ask_schema())
        await asyncio.shield(asking)

    async def _ask_schema(self) -> None:
        try:
            await self.schema()
        except OpenEnvError as error:
            # A server that was not there may be there the next time.
            self._known.schema_refused = type(error) is not ConnectFailed
        finally:
            self._known.asking = None

    async def list_environments(self) -> list[str]:
        """Ask for the names the task API knows environments by (servers from 0.4.2)."""
        path = "/list_environments"
        names = await self._discovery().get(path)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise NotAnOpenEnvServer(f"{path} answers with something that is not a list of names")
        return names

    async def list_splits(self, env_name: str | None = None) -> list[dict[str, Any]]:
        """Ask for the splits of an environment's tasks.

        Args:
            env_name: The environment; the server's only one if None.

        Returns:
            The splits, such as ``{"name": "train", …}``.

        Raises:
            NotSupportedHere: If the environment has no tasks, or the server no task API.
        """
        return cast(list[dict[str, Any]], await self._discovery().get(await self._route(env_name, "splits")))

    async def list_tasks(self, split: str, env_name: str | None = None) -> list[Any]:
        """Ask for all tasks of a split; arguments and errors as :meth:`list_splits`."""
        return cast(list[Any], await self._task("tasks", "tasks", env_name, split=split))

    async def num_tasks(self, split: str, env_name: str | None = None) -> int:
        """Ask how many tasks a split has; arguments and errors as :meth:`list_splits`."""
        return cast(int, await self._task("num_tasks", "num_tasks", env_name, split=split))

    async def get_task(self, split: str, index: int, env_name: str | None = None) -> Any:
        """Ask for one task.

        Args:
            split: The split.
            index: The task's place in it, from 0.
            env_name: The environment; the server's only one if None.

        Returns:
            The task, in the environment's own form.

        Raises:
            NotSupportedHere: If the environment has no tasks, or the server no task API.
        """
        return await self._task("task", "task", env_name, split=split, index=index)

    async def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None, env_name: str | None = None
    ) -> list[Any]:
        """Ask for the tasks from ``start`` up to, not including, ``stop``; else as :meth:`get_task`."""
        return cast(list[Any], await self._task("task_range", "tasks", env_name, split=split, start=start, stop=stop))

    async def _task(self, route: str, key: str, env_name: str | None, **body: Any) -> Any:
        path = await self._route(env_name, route)
        answer = self._as_object(path, await self._discovery().post(path, body))
        if key not in answer:
            raise NotAnOpenEnvServer(f"{path} answers without {key!r}")
        return answer[key]

    async def _route(self, env_name: str | None, route: str) -> str:
        names = [env_name] if env_name is not None else await self.list_environments()
        if not names:
            raise NotSupportedHere("this server names no environment")
        return f"/{quote(names[0], safe='')}/{route}"

    async def _object(self, path: str) -> AttributeDict:
        return self._as_object(path, await self._discovery().get(path))

    def _as_object(self, path: str, answer: Any) -> AttributeDict:
        if not isinstance(answer, Mapping):
            raise NotAnOpenEnvServer(f"{path} answers {type(answer).__name__}, not an object")
        return cast(AttributeDict, attribute_dict(dict(answer)))
