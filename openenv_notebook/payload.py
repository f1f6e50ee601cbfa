"""Python values -> the JSON that OpenEnv servers read.

Servers read with Python's own ``json``, which knows ``NaN`` and ``Infinity``; they are
written that way. Values are recognised by what they can do (``model_dump``, ``tolist``),
never by their class, so a reloaded module or a missing numpy changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from openenv_notebook.errors import MisuseError


def is_record(value: object) -> bool:
    """Tell whether a value has named fields: a mapping, a pydantic model or a dataclass.

    Args:
        value: Anything.

    Returns:
        True when :func:`fields_of` can read it.
    """
    if isinstance(value, Mapping):
        return True
    if isinstance(value, type):
        return False
    return hasattr(value, "model_dump") or dataclasses.is_dataclass(value)


def fields_of(value: Any) -> dict[str, Any]:
    """Read the fields of a mapping, a pydantic model or a dataclass.

    Args:
        value: The record.

    Returns:
        A new dict, by the names that travel (aliases of a model).

    Raises:
        MisuseError: If it has no named fields, or a field is not named by text.
    """
    if isinstance(value, Mapping):
        fields = dict(value)
    elif hasattr(value, "model_dump"):
        fields = _model_fields(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        raise MisuseError(f"a {type(value).__name__} has no named fields")
    for name in fields:
        if not isinstance(name, str):
            raise MisuseError(f"names of fields are text, not {type(name).__name__}: {name!r}")
    return {name: _without_models(item) for name, item in fields.items()}


def _model_fields(model: Any) -> dict[str, Any]:
    try:
        return dict(model.model_dump(mode="json", by_alias=True))
    except PydanticSerializationError:
        # A model may hold an array; the encoder below knows what to do with it.
        return dict(model.model_dump(by_alias=True))


def _without_models(value: Any) -> Any:
    """Take nested models apart: pydantic would write their NaN as null."""
    if isinstance(value, dict):
        return {key: _without_models(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_models(item) for item in value]
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return _model_fields(value)
    return value


def _convert(value: Any) -> Any:
    """Convert what the JSON encoder does not know: numpy, torch and the like."""
    for method in ("tolist", "item", "model_dump", "to_dict", "_asdict"):
        convert = getattr(value, method, None)
        if callable(convert) and not isinstance(value, type):
            return convert()
    raise TypeError(f"a {type(value).__module__}.{type(value).__qualname__} cannot be sent as JSON")


def to_bytes(value: Any) -> bytes:
    """Write a value as JSON.

    Args:
        value: Plain values, numpy scalars and arrays, dataclasses, models, enums, paths,
            dates, sets and bytes (as text where they are UTF-8, else base64).

    Returns:
        The JSON, UTF-8.

    Raises:
        MisuseError: If a part of it cannot be written, naming its type.
    """
    try:
        return to_json(value, fallback=_convert)
    except (PydanticSerializationError, UnicodeEncodeError, ValueError) as error:
        reason = error
    try:
        return to_json(value, fallback=_convert, bytes_mode="base64")
    except (PydanticSerializationError, UnicodeEncodeError, ValueError):
        raise MisuseError(f"this cannot be sent as JSON: {reason}") from reason
