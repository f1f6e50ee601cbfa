"""What is known of a server: learnt once, shared by all views of a client, with one patience."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from openenv_notebook.schema.reader import action_shape
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import HandshakeRejected, NotAnOpenEnvServer, NotSupportedHere, OpenEnvError
from openenv_notebook.values.known_secrets import Secrets

# How long all calls together wait for a schema that does not come, in seconds.
PATIENCE = 3.0
# And for one that is asked for anew after that.
_PATIENCE_AGAIN = 0.5
_AGAIN_AFTER = 10.0
# What a busy server or its proxy answers: the same question may have another answer later.
_BUSY = (408, 425, 429, 502, 503, 504)


@dataclass
class Known:
    """What is known of one server.

    Attributes:
        schema: What GET /schema answered, or None.
        schema_refused: True when the server said that there is none.
        schema_failure: Why the last question brought no schema; it may be asked again unless refused.
        asking: The question for the schema, while it is being asked.
        asked_at: When it was asked last (monotonic).
        tools: The tools of an MCP environment, or None.
        name: What the environment calls itself, "" where it does not say, or None.
        action_model: The model made from the schema, or None.
        secrets: Names of fields that the schema and the tools mark as secret.
        patience: What is left of the seconds that calls wait for the schema.
        name_patience: The same for the name.
    """

    schema: AttributeDict | None = None
    schema_refused: bool = False
    schema_failure: OpenEnvError | None = None
    asking: asyncio.Task[None] | None = None
    asked_at: float = 0.0
    tools: list[Tool] | None = None
    name: str | None = None
    action_model: type[BaseModel] | None = None
    secrets: Secrets = field(default_factory=Secrets)
    patience: float = PATIENCE
    name_patience: float = PATIENCE
    _read: tuple[AttributeDict | None, Shape | None] = field(
        default=(None, None), init=False, repr=False, compare=False
    )

    @property
    def action(self) -> Shape | None:
        """What an action may look like, read once from its schema; None where none is known."""
        if self._read[0] is not self.schema:
            told = self.schema.get("action") if self.schema is not None else None
            self._read = self.schema, action_shape(told) if isinstance(told, Mapping) else None
        return self._read[1]

    @property
    def has_schema_answer(self) -> bool:
        """True once the server has told its schema, or that there is none."""
        return self.schema is not None or self.schema_refused

    @property
    def failed_lately(self) -> bool:
        """True while a schema that a call can do without is not to be asked for again: the server may be busy."""
        return self.schema_failure is not None and time.monotonic() - self.asked_at < _AGAIN_AFTER

    async def learn(
        self, ask: Callable[[], Awaitable[object]], within: float | None, *, is_shared: bool = True
    ) -> None:
        """Ask for the schema, on the portal's loop; whoever waits together asks once.

        What hung is waited for no longer than :data:`PATIENCE` in all, by all calls; it is still asked
        for, and may be known to the next call.

        Args:
            ask: Asks, and tells :meth:`take_schema` or :meth:`note_failure`.
            within: How long to wait, in seconds, at most; None for as long as there is patience.
            is_shared: False for a call that was given its own time, and waits that long.
        """
        if self.has_schema_answer:
            return
        loop, began, asking = asyncio.get_running_loop(), time.monotonic(), self.asking
        # One of another loop belongs to the parent of this process, or to a portal that died.
        if asking is None or asking.done() or asking.get_loop() is not loop:
            self.asking = asking = loop.create_task(self._ask(ask))
            self.asked_at, self.patience = began, max(self.patience, _PATIENCE_AGAIN)
        limit = self.patience if within is None else min(within, self.patience) if is_shared else within
        try:
            # Whoever waits no longer leaves the question to the others.
            await asyncio.wait([asking], timeout=limit)
        finally:
            if not asking.done():
                # A timer may be a little early: what was waited for in full leaves nothing.
                waited = time.monotonic() - began
                self.patience = 0.0 if waited > 0.99 * self.patience else self.patience - waited

    async def _ask(self, ask: Callable[[], Awaitable[object]]) -> None:
        try:
            await ask()
        except OpenEnvError:
            pass  # noted where it was asked
        finally:
            if self.asking is asyncio.current_task():
                self.asking = None

    def take_schema(self, schema: AttributeDict) -> AttributeDict:
        """Remember what GET /schema answered first, and return that; its secrets are hidden from then on."""
        self.schema = self.schema or schema
        self.schema_failure, self.schema_refused = None, False
        self.secrets.learn(self.schema.get("action"))
        return self.schema

    def note_failure(self, error: OpenEnvError) -> None:
        """Remember why the question for the schema brought none."""
        # A copy has no traceback, which would keep what it went through.
        self.asked_at, self.schema_failure = time.monotonic(), copy.copy(error)
        busy = isinstance(error, HandshakeRejected) and error.status in _BUSY
        self.schema_refused = isinstance(error, (NotSupportedHere, NotAnOpenEnvServer, HandshakeRejected)) and not busy

    def take_tools(self, tools: list[Tool]) -> list[Tool]:
        """Remember the tools, and return them; the secrets among their arguments are hidden from then on."""
        self.tools = tools
        for tool in tools:
            self.secrets.learn(tool.input_schema)
        return tools
