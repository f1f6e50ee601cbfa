"""Python values -> the JSON that OpenEnv servers read.

Servers read with Python's own ``json``, which knows ``NaN``, ``Infinity`` and half a
surrogate pair; they are written that way. Values are recognised by what they can do
(``model_dump``, ``tolist``), never by their class, so a reloaded module or a missing numpy
changes nothing.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from openenv_notebook.values.errors import MisuseError

# Written as they are.
_DEEPEST_TOLD = 20
_PLAIN = (str, int, float, bool, type(None))
_DEPTH = "leave out what leads back to itself; sys.setrecursionlimit() raises the limit of depth"
_NO_COMPLEX = "JSON has no complex numbers; send real and imaginary parts as fields of their own"


def is_record(value: object) -> bool:
    """Tell whether a value has named fields: a mapping, a pydantic model or a dataclass.

    Args:
        value: Anything.

    Returns:
        True when :func:`fields_of` can read it.
    """
    # A dict is by far the most frequent, and an abstract class is slow to ask.
    if isinstance(value, (dict, Mapping)):
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
    fields = dict(value) if isinstance(value, (dict, Mapping)) else taken_apart(value) if is_record(value) else None
    if not isinstance(fields, dict):
        raise MisuseError(f"a {type(value).__name__} has no named fields", hint="give a dict, a model or a dataclass")
    name = None
    try:
        for name, item in fields.items():
            if not isinstance(name, str):
                raise MisuseError(f"names of fields are text, not {type(name).__name__}: {name!r}")
            if type(item) not in _PLAIN and not _is_plain(item):
                fields[name] = _without_models(item)
        return fields
    except RecursionError:
        what = f"this cannot be sent as JSON: it contains itself, or is nested too deep (in {name})"
        raise MisuseError(what, hint=_DEPTH) from None
    except MisuseError as error:
        place = _place_of(fields, _without_models)
        error.hint = "; ".join(part for part in (f"it is {place}" if place else "", error.hint) if part)
        raise


def _is_plain(value: Any) -> bool:
    """Tell whether a value is what JSON has, and nothing else, however deep; what contains itself is left to others."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        inside = waiting.pop()
        kind = type(inside)
        if kind in _PLAIN or id(inside) in seen:
            continue
        seen.add(id(inside))
        if kind is list:
            waiting += inside
        elif kind is dict and all(type(key) is str for key in inside):
            waiting += inside.values()
        else:
            return False
    return True


def taken_apart(record: Any) -> Any:
    """Read a model or a dataclass: a dict, but for models that stand for one bare value.

    A model writes its bytes itself; those that it cannot write stay bytes, as those of a dataclass do.
    """
    if not hasattr(record, "model_dump"):
        return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    plain = record.model_dump(by_alias=True)
    try:
        return _with_not_finite(record.model_dump(mode="json", by_alias=True), plain)
    except (PydanticSerializationError, UnicodeDecodeError):
        # A model may hold an array; the encoder below knows what to do with it.
        return _with_texts(plain)


def _with_texts(value: Any) -> Any:
    """Put texts in place of the bytes that are some, as a model writes them."""
    if isinstance(value, dict):
        return {name: _with_texts(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_texts(item) for item in value]
    with contextlib.suppress(UnicodeDecodeError):
        return value.decode() if isinstance(value, bytes) else value
    return value


def _with_not_finite(written: Any, value: Any) -> Any:
    """Put NaN and infinities back, which pydantic writes as null."""
    if written is None and isinstance(value, float):
        return value
    if isinstance(written, dict) and isinstance(value, dict):
        pairs = zip(written.items(), value.values(), strict=False)
        return {name: _with_not_finite(item, other) for (name, item), other in pairs}
    if isinstance(written, list) and isinstance(value, (list, tuple)):
        return [_with_not_finite(item, other) for item, other in zip(written, value, strict=False)]
    return written


def _without_models(value: Any) -> Any:
    """Take nested models apart: pydantic would write their NaN as null."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, complex):
        raise MisuseError(f"this cannot be sent as JSON: {_NO_COMPLEX}")
    if hasattr(value, "__next__") and not isinstance(value, type):
        raise MisuseError(
            f"this cannot be sent as JSON: a {type(value).__module__}.{type(value).__qualname__} is empty once it is "
            "read; send what is in it: file.read(), list(items)"
        )
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else _key(key): _without_models(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_without_models(item) for item in value]
    if is_bytes(value):
        return _as_text(bytes(value))
    return _without_models(taken_apart(value)) if is_record(value) else value


def is_bytes(value: object) -> bool:
    """Tell whether a value is a row of bytes."""
    return isinstance(value, (bytes, bytearray)) or (isinstance(value, memoryview) and value.format in "Bbc")


def has_bytes(value: object) -> bool:
    """Tell whether rows of bytes stand in a value of dicts and lists, however deep."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        inside = waiting.pop()
        if is_bytes(inside):
            return True
        if isinstance(inside, (dict, list, tuple)) and id(inside) not in seen:
            seen.add(id(inside))
            waiting += inside.values() if isinstance(inside, dict) else inside
    return False


def _as_text(value: bytes) -> str:
    """Write bytes that no schema says more of: each by itself, as the text that they are, else in base64 as in URLs."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.urlsafe_b64encode(value).decode()


def _place_of(value: Any, write: Callable[[Any], object]) -> str:
    """Say where in a value stands what cannot be written, as in ``a.b[1].c``; "" for the whole."""
    path = ""
    for _ in range(_DEEPEST_TOLD):
        try:
            value = taken_apart(value) if is_record(value) and not isinstance(value, Mapping) else value
        except Exception:
            break  # Its own code fails: nothing inside it is to blame.
        named = isinstance(value, Mapping)
        inside = value.items() if named else enumerate(value) if isinstance(value, (list, tuple)) else ()
        for part, item in inside:
            try:
                write(item)
            except Exception:
                path += f"[{part}]" if not named else f".{part}" if path else f"{part}"
                value = item
                break
        else:
            break
    return path


def _key(key: Any) -> Any:
    """Name what stands under no name as Python's json does; the encoder would write ``None`` and ``nan``."""
    if is_bytes(key):
        return _as_text(bytes(key))
    return json.dumps(key) if key is None or isinstance(key, float) else key


def _convert(value: Any) -> Any:
    """Convert what the JSON encoder does not know: numpy, torch and the like."""
    for method in ("tolist", "item", "model_dump", "to_dict", "_asdict", "__fspath__"):
        convert = getattr(value, method, None)
        if callable(convert) and not isinstance(value, type):
            return _not_complex(convert())
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"a {type(value).__module__}.{type(value).__qualname__} has no JSON form")


def _escaped(value: Any, **options: Any) -> bytes:
    """Write it in ASCII: half a surrogate pair is no UTF-8, but travels as an escape."""
    return json.dumps(value, default=partial(to_jsonable_python, **options), separators=(",", ":")).encode()


def _not_complex(converted: Any) -> Any:
    """Refuse an array of complex numbers: the encoder would write their text. All items of one are of a kind."""
    first = converted
    while isinstance(first, list) and first:
        first = first[0]
    if isinstance(first, complex):
        raise TypeError(_NO_COMPLEX)
    return converted


def to_bytes(value: Any) -> bytes:
    """Write a value as JSON.

    Args:
        value: Plain values, numpy scalars and arrays, dataclasses, models, enums, paths,
            dates, sets and bytes (each as text where it is UTF-8, else in base64 as in URLs).

    Returns:
        The JSON, UTF-8.

    Raises:
        MisuseError: If a part of it cannot be written, naming its type and its place.
    """
    try:
        return to_json(value, fallback=_convert, bytes_mode="utf8")
    except Exception:
        return _to_bytes_slowly(value)


def _to_bytes_slowly(value: Any) -> bytes:
    """Write what the fast encoder refuses, by whichever way takes it, or say what is wrong and where."""
    try:
        return _written(value)
    except RecursionError:
        what = "this cannot be sent as JSON: it is nested deeper than Python can write here"
        raise MisuseError(what, hint=_DEPTH) from None
    except Exception as error:
        why = str(error).removeprefix("Error serializing to JSON: ").removeprefix("TypeError: ")
        hint, place = "send numbers, texts, lists, arrays, dicts, models or dataclasses", _place_of(value, _written)
        hint += f" in place of {place}" if place else ""
        raise MisuseError(f"this cannot be sent as JSON: {why}", hint=hint) from None


def _written(value: Any) -> bytes:
    refused: list[Exception] = []
    for write in (to_json, _escaped):
        for mode in ("utf8", "base64"):
            try:
                return write(value, fallback=_convert, bytes_mode=mode)
            except Exception as error:
                refused.append(error)
    raise next((each for each in refused if isinstance(each, RecursionError)), refused[0])
