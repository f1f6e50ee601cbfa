"""Questions to a server beside the session, over HTTP: none of them touches its environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from openenv_notebook.client.known import Known
from openenv_notebook.values.attribute_dict import AttributeDict, attribute_dict
from openenv_notebook.values.errors import MisuseError, NotAnOpenEnvServer, NotSupportedHere, OpenEnvError
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.http import Discovery


class Questions:
    """The questions of one call.

    Args:
        endpoint: The server; None where it has not been started yet.
        known: Where the schema is remembered.
        timeout: Seconds for each question; None for no limit.
    """

    def __init__(self, endpoint: Endpoint | None, known: Known, timeout: float | None) -> None:
        self._endpoint = endpoint
        self._known = known
        self._timeout = timeout

    @property
    def _url(self) -> str:
        return self._discovery().address.name

    def _discovery(self) -> Discovery:
        if self._endpoint is None:
            raise MisuseError("the server has not been started yet", hint="connect() first")
        return Discovery(self._endpoint.address, self._endpoint.headers, self._timeout, self._known.secrets)

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
        return self._known.schema if self._known.schema is not None else await self.ask_schema()

    async def ask_schema(self) -> AttributeDict:
        """Ask for the schemas, and remember what came of it; as :meth:`schema`."""
        try:
            found = await self._discovery().get("/schema")
            return self._known.take_schema(self._as_object("/schema", found))
        except OpenEnvError as error:
            self._known.note_failure(error)
            raise

    async def list_environments(self) -> list[str]:
        """Ask for the names the task API knows environments by (servers from 0.4.2)."""
        path = "/list_environments"
        names = await self._discovery().get(path, "list_environments")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise NotAnOpenEnvServer(f"{path} answers with something that is not a list of names", url=self._url)
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
        path = await self._route(env_name, "splits")
        return cast(list[dict[str, Any]], await self._discovery().get(path, "list_splits"))

    async def list_tasks(self, split: str, env_name: str | None = None) -> list[Any]:
        """Ask for all tasks of a split; arguments and errors as :meth:`list_splits`."""
        return cast(list[Any], await self._task("list_tasks", "tasks", "tasks", env_name, split=split))

    async def num_tasks(self, split: str, env_name: str | None = None) -> int:
        """Ask how many tasks a split has; arguments and errors as :meth:`list_splits`."""
        return cast(int, await self._task("num_tasks", "num_tasks", "num_tasks", env_name, split=split))

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
        return await self._task("get_task", "task", "task", env_name, split=split, index=index)

    async def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None, env_name: str | None = None
    ) -> list[Any]:
        """Ask for the tasks from ``start`` up to, not including, ``stop``; else as :meth:`get_task`."""
        asked = {"split": split, "start": start, "stop": stop}
        return cast(list[Any], await self._task("get_task_range", "task_range", "tasks", env_name, **asked))

    async def _task(self, name: str, route: str, key: str, env_name: str | None, **body: Any) -> Any:
        path = await self._route(env_name, route)
        answer = self._as_object(path, await self._discovery().post(path, body, name))
        if key not in answer:
            raise NotAnOpenEnvServer(f"{path} answers without {key!r}", url=self._url)
        return answer[key]

    async def _route(self, env_name: str | None, route: str) -> str:
        names = [env_name] if env_name is not None else await self.list_environments()
        if not names:
            raise NotSupportedHere("this server names no environment", url=self._url, hint="name it: env_name='...'")
        return f"/{quote(names[0], safe='')}/{route}"

    async def _object(self, path: str) -> AttributeDict:
        return self._as_object(path, await self._discovery().get(path))

    def _as_object(self, path: str, answer: Any) -> AttributeDict:
        if not isinstance(answer, Mapping):
            raise NotAnOpenEnvServer(f"{path} answers {type(answer).__name__}, not an object", url=self._url)
        return cast(AttributeDict, attribute_dict(dict(answer), self._known.secrets))
