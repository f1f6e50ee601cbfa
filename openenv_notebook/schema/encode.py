"""Bytes in an action -> the text that their field takes, as its schema says."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any

from openenv_notebook.schema.check import problems
from openenv_notebook.schema.shapes import Array, Dictionary, Json, Object, Path, Shape, Text, Tuple, Union, path_text
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.to_json import is_bytes, is_record, taken_apart

_WRITE: dict[str, Callable[[bytes], str]] = {
    "base64": lambda value: base64.b64encode(value).decode(),
    "base64url": lambda value: base64.urlsafe_b64encode(value).decode(),
    "base32": lambda value: base64.b32encode(value).decode(),
    "base16": lambda value: base64.b16encode(value).decode(),
    "utf-8": lambda value: value.decode(),
}


def encoded(value: Any, shape: Shape | None, path: Path = ()) -> Any:
    """Write the bytes in a value as the fields that they stand in take them; where nothing is said they stay.

    Raises InvalidAction, naming the place, for bytes that cannot be written as the field takes them.
    """
    if shape is None or not shape.says_encoding:
        return value
    if is_record(value) and not isinstance(value, Mapping):
        value = taken_apart(value)
    if is_bytes(value):
        found = next((each.encoding for each in _branches(shape) if isinstance(each, Text) and each.encoding), "")
        return _text_of(bytes(value), found, path) if found else value
    if isinstance(value, Mapping):
        known = {field.name: field for field in _fields(value, shape)}
        rest = shape.values if isinstance(shape, Dictionary) else getattr(shape, "others", None)
        return {name: encoded(item, known.get(name, rest), (*path, name)) for name, item in value.items()}
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        of = next((each for each in _branches(shape) if isinstance(each, (Array, Tuple))), None)
        shapes = of.items if isinstance(of, Tuple) else (of.item,) * len(value) if isinstance(of, Array) else ()
        told = zip_longest(value, shapes[: len(value)], fillvalue=Json())
        return [encoded(item, part, (*path, place)) for place, (item, part) in enumerate(told)]
    return value


def _branches(shape: Shape | None) -> tuple[Shape | None, ...]:
    return shape.branches if isinstance(shape, Union) else (shape,)


def _fields(value: Mapping[Any, Any], shape: Shape | None) -> tuple[Shape, ...]:
    """Find the fields of an object; of several kinds of one, those of the kind that it fits best."""
    kinds = [each for each in _branches(shape) if isinstance(each, Object)]
    if len(kinds) > 1:
        kinds.sort(key=lambda kind: len(problems(kind, {k: "" if is_bytes(v) else v for k, v in value.items()})))
    return kinds[0].fields if kinds else ()


def _text_of(value: bytes, encoding: str, path: Path) -> str:
    try:
        return _WRITE[encoding](value)
    except KeyError:
        line, hint = f"{path_text(path)}: takes bytes as {encoding}, which is not written here", "give it as that text"
    except UnicodeDecodeError as error:
        line = f"{path_text(path)}: takes bytes as UTF-8 text, which these are not from byte {error.start} on"
        hint = "base64.b64encode(...).decode() makes a text of any bytes, if the environment reads that"
    raise InvalidAction("it has bytes that cannot be sent", errors=[line], hint=hint)
