"""What a client can ask about its server beside the session: schema, metadata, health, tasks."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote

from pydantic import BaseModel

from openenv_notebook.schema.tool import Tool
from openenv_notebook.schema.well_formed import well_formed
from openenv_notebook.values.attribute_dict import AttributeDict, attribute_dict
from openenv_notebook.values.errors import HandshakeRejected, NotAnOpenEnvServer, NotSupportedHere, OpenEnvError
from openenv_notebook.values.secrets import learn_secrets
from openenv_notebook.wire.discovery import TIMEOUT, Discovery


@dataclass
class Known:
    """What is known of a server, asked once and shared by all views of a client.

    Attributes:
        schema: What GET /schema answered, or None.
        schema_refused: True when the server said that there is none.
        schema_failure: Why the last question brought no schema; it may be asked again unless refused.
        asking: The question for the schema, while it is being asked.
        asked_at: When it was asked last (monotonic).
        tools: The tools of an MCP environment, or None.
        name: What the environment calls itself, "" where it does not say, or None.
        action_model: The model made from the schema, or None.
    """

    schema: AttributeDict | None = None
    schema_refused: bool = False
    schema_failure: OpenEnvError | None = None
    asking: asyncio.Task[None] | None = None
    asked_at: float = 0.0
    tools: list[Tool] | None = None
    name: str | None = None
    action_model: type[BaseModel] | None = None
    _read: tuple[AttributeDict | None, dict[str, Any] | None] = field(
        default=(None, None), init=False, repr=False, compare=False
    )

    @property
    def action(self) -> dict[str, Any] | None:
        """The schema of actions, as far as it can be read; None where none is known."""
        if self._read[0] is not self.schema:
            told = self.schema.get("action") if self.schema is not None else None
            self._read = self.schema, well_formed(told) if isinstance(told, Mapping) else None
        return self._read[1]

    def take_schema(self, schema: AttributeDict) -> AttributeDict:
        """Remember what GET /schema answered first, and return that; its secrets are hidden from then on."""
        self.schema = self.schema or schema
        learn_secrets(self.action)
        return self.schema

    def take_tools(self, tools: list[Tool]) -> list[Tool]:
        """Remember the tools, and return them; the secrets among their arguments are hidden from then on."""
        self.tools = tools
        for tool in tools:
            learn_secrets(tool.input_schema)
        return tools


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
            return await self._ask_schema(self._discovery().timeout)
        return self._known.schema

    async def _learn_schema(self, within: float | None = None) -> bool:
        """Ask for the schema if it was not told before; a server without one is fine.

        Calls that wait for it together ask once, and go on in the order they came.

        Args:
            within: How long to wait for it, in seconds; after that it is still asked for, and
                may be known to the next call. None for as long as a question takes.

        Returns:
            False when the time ran out.
        """
        known, loop = self._known, asyncio.get_running_loop()
        if known.schema is not None or known.schema_refused:
            return True
        asking = known.asking
        if asking is None or asking.done() or asking.get_loop() is not loop:
            known.asking, known.asked_at = loop.create_task(self._ask_for_all()), time.monotonic()
            asking = known.asking
        # Whoever waits no longer leaves the question to the others.
        done, _ = await asyncio.wait([asking], timeout=within)
        return bool(done)

    async def _ask_for_all(self) -> None:
        try:
            # A call's own limit is for its own wait; others may be waiting for the same answer.
            with contextlib.suppress(OpenEnvError):
                await self._ask_schema(TIMEOUT)
        finally:
            self._known.asking = None

    async def _ask_schema(self, timeout: float | None) -> AttributeDict:
        """Ask, and remember what came of it."""
        known = self._known
        try:
            found = await dataclasses.replace(self._discovery(), timeout=timeout).get("/schema")
            schema = known.take_schema(self._as_object("/schema", found))
        except OpenEnvError as error:
            # A copy has no traceback, which would keep what it went through.
            known.asked_at, known.schema_failure = time.monotonic(), copy.copy(error)
            known.schema_refused = _is_final(error)
            raise
        known.schema_failure, known.schema_refused = None, False
        return schema

    async def list_environments(self) -> list[str]:
        """Ask for the names the task API knows environments by (servers from 0.4.2)."""
        path = "/list_environments"
        names = await self._discovery().get(path, "list_environments")
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
        return cast(
            list[dict[str, Any]], await self._discovery().get(await self._route(env_name, "splits"), "list_splits")
        )

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


def _is_final(error: OpenEnvError) -> bool:
    """Tell whether a server that answered so has no schema; one that was busy or not there may have one."""
    if isinstance(error, HandshakeRejected):
        return error.status not in (408, 425, 429, 502, 503, 504)
    return isinstance(error, (NotSupportedHere, NotAnOpenEnvServer))
