"""Refusals that the official server can send: it fails at the exception that a validator leaves in an error.

Only pydantic is used: servers in processes of their own load this file as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, PydanticSerializationError, to_json


class Judge:
    """Stands for an action's model where data is validated; its actions are the model's own."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = model

    def model_validate(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """Make the action of data; raises ValidationError, whose errors are JSON."""
        try:
            return self._model.model_validate(data, *args, **kwargs)
        except ValidationError as error:
            raise _sendable(error, data) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def judge_of(model: type[BaseModel]) -> Any:
    """Give what the server is to ask; it knows the official package's own models by identity."""
    return model if model.__module__.startswith("openenv.core.") else Judge(model)


def judge_for(server_class: type) -> None:
    """Have every server that will be made of the official class, or of one below it, ask a judge."""
    make: Callable[..., None] = server_class.__init__  # type: ignore[misc]

    @functools.wraps(make)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        self.action_cls = judge_of(self.action_cls)

    server_class.__init__ = made  # type: ignore[misc]


def _sendable(error: ValidationError, data: Any) -> ValidationError:
    """Say the same in words alone; of an input that is no JSON, what was sent in its place."""
    lines: list[InitErrorDetails] = []
    for line in error.errors(include_url=False, include_context=False):
        words: Any = _utf8(line["msg"])
        try:
            to_json(given := line["input"])
        except (PydanticSerializationError, ValueError, RecursionError):
            given = _sent(data, line["loc"])
        lines.append({"type": PydanticCustomError(line["type"], words), "loc": line["loc"], "input": given})
    return ValidationError.from_exception_data(error.title, lines)


def _sent(data: Any, loc: tuple[int | str, ...]) -> Any:
    for part in loc:
        try:
            data = data[part]
        except (LookupError, TypeError):
            break
    return _utf8(data) if isinstance(data, str) else data


def _utf8(text: str) -> str:
    """Write half a surrogate pair, which cannot be sent, by its number."""
    return text.encode("utf-8", "backslashreplace").decode()
