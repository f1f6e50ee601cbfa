"""One connection, one environment: requests in, replies out, strictly in order."""

from __future__ import annotations

import asyncio
import inspect
import json
import uuid
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pydantic import ValidationError
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.servers.embedded.frames import (
    DataMessage,
    Message,
    ResetMessage,
    encode_error,
    encode_frame,
    encode_observation,
)
from openenv_notebook.servers.embedded.json_rpc import answer_json_rpc
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.text import words_of

Environment = DemoEnvironment[Any, Any, Any]
Factory = Callable[[], Environment]

_log = our_log(__name__)


class SessionFault(Exception):
    """A frame after which the session cannot go on."""


def accepted_arguments(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Drop the keyword arguments that a function does not take; all of them stay if it takes any."""
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return arguments
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = {parameter.name for parameter in parameters if parameter.kind in kinds}
    return {name: value for name, value in arguments.items() if name in names}


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


class Session:
    """The requests of one connection to its environment, this session's own."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.session_id = str(uuid.uuid4())
        self._answers: dict[str, Callable[[dict[str, Any]], Awaitable[bytes | None]]] = {
            "reset": self._reset,
            "step": self._step,
            "state": self._state,
            "mcp": self._mcp,
            "close": self._close,
        }

    async def answer(self, frame: str | bytes) -> bytes | None:
        """Answer one frame; None where the client wants to end the session, SessionFault where the frame ends it."""
        try:
            message = _decode(frame)
        except json.JSONDecodeError as error:
            return encode_error("INVALID_JSON", f"Invalid JSON: {error}")
        kind = message.get("type", "")
        answer = self._answers.get(kind) if isinstance(kind, str) else None
        if answer is None:
            return encode_error("UNKNOWN_TYPE", f"Unknown message type: {kind}")
        try:
            return await answer(message)
        except ValidationError as error:
            # One entry for each wrong field; a ValueError of the action's own validator is sent as its text.
            return encode_error("VALIDATION_ERROR", "Invalid message", errors=error.errors())
        except Exception as error:
            # Its words may quote the action.
            _log.debug("%s failed: %s", kind, type(error).__name__)
            return encode_error("EXECUTION_ERROR", words_of(error))

    async def _reset(self, message: dict[str, Any]) -> bytes:
        data = ResetMessage.model_validate(message).data
        reset = self.environment.reset
        return encode_observation(await _settled(reset(**accepted_arguments(reset, data))))

    async def _step(self, message: dict[str, Any]) -> bytes:
        data = DataMessage.model_validate(message).data
        action = self.environment.action_type.model_validate(data)
        return encode_observation(await _settled(self.environment.step(action)))

    async def _state(self, message: dict[str, Any]) -> bytes:
        Message.model_validate(message)
        return encode_frame("state", self.environment.state.model_dump())

    async def _mcp(self, message: dict[str, Any]) -> bytes:
        data = DataMessage.model_validate(message).data
        return encode_frame("mcp", answer_json_rpc(data, self.session_id))

    async def _close(self, message: dict[str, Any]) -> None:
        Message.model_validate(message)


def _decode(frame: str | bytes) -> dict[str, Any]:
    if isinstance(frame, bytes):
        raise SessionFault("a message is a text frame, not a binary one")
    try:
        message = json.loads(frame)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        # Nested too deeply, or a number of too many digits.
        raise SessionFault(str(error)) from None
    if not isinstance(message, dict):
        raise SessionFault(f"a message is a JSON object, not {type(message).__name__!r}")
    return message


class SessionHandler:
    """Gives each connection a session of its own, as long as there are slots: at most ``maximum`` at a time."""

    def __init__(self, factory: Factory, maximum: int) -> None:
        self._factory = factory
        self.maximum = maximum
        self.active = 0
        self.tasks: set[asyncio.Task[Any]] = set()

    async def handle(self, connection: ServerConnection) -> None:
        """Serve one connection, already accepted, until it ends; the server closes it afterwards."""
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            await self._serve(connection)
        except ConnectionClosed:
            pass
        finally:
            self.tasks.discard(task)

    async def _serve(self, connection: ServerConnection) -> None:
        refusal = self._refusal(connection.request.path if connection.request else "")
        if refusal is not None:
            await connection.send(refusal, text=True)
            return
        self.active += 1
        try:
            environment = self._build()
            if environment is None:
                name = getattr(self._factory, "__name__", str(self._factory))
                text = f"Environment factory '{name}' failed to create instance."
                await connection.send(encode_error("FACTORY_ERROR", text, factory_name=name), text=True)
                return
            await _converse(connection, environment)
        finally:
            self.active -= 1

    def _refusal(self, path: str) -> bytes | None:
        asked_for = parse_qs(urlsplit(path).query).get("session_id")
        if asked_for:
            return encode_error("SESSION_ERROR", f"Unknown session_id: {asked_for[-1]}")
        if self.active < self.maximum:
            return None
        return encode_error(
            "CAPACITY_REACHED",
            f"Server at capacity: {self.active}/{self.maximum} sessions active. Cannot accept new connections.",
            active_sessions=self.active,
            max_sessions=self.maximum,
        )

    def _build(self) -> Environment | None:
        try:
            return self._factory()
        except Exception:
            # The client is not told why; the log is.
            _log.exception("the environment could not be built")
            return None


async def _converse(connection: ServerConnection, environment: Environment) -> None:
    session = Session(environment)
    try:
        async for frame in connection:
            reply = await session.answer(frame)
            if reply is None:
                return
            await connection.send(reply, text=True)
    except SessionFault as fault:
        await connection.send(encode_error("SESSION_ERROR", str(fault)), text=True)
    finally:
        try:
            environment.close()
        except Exception:
            _log.exception("the environment could not be closed")
