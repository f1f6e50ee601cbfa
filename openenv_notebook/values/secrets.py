"""Which fields hold a secret, by their names and by what their schema says. Pure: nothing here remembers.

What one client knows besides stands in its :class:`~openenv_notebook.values.known_secrets.Secrets`, which it hands
to what came from its server; :func:`secrets_of` finds it there. Functions that hide take it as ``secrets``.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SECRET_WORDS = frozenset(
    ("apikey", "apitoken", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "passcode",
     "passphrase", "passwd", "password", "passwords", "pwd", "secret", "secrets")
)  # fmt: skip
_SECRET_PAIRS = frozenset(
    [("api", "key"), ("access", "key"), ("private", "key"), ("signing", "key"), ("encryption", "key")]
)
HIDDEN = "••••••"


def secrets_of(value: Any) -> Container[str] | None:
    """Find the names that a value's server marked as secret, which its class says by ``__secrets__``; else None."""
    # Asked of the class: the attributes of an observation are a server's words.
    told = getattr(type(value), "__secrets__", None)
    names: Container[str] | None = told(value) if told is not None else None
    return names


def secret_names(schema: Any, depth: int = 12) -> set[str]:
    """List the fields of a JSON Schema, at any depth, that it marks as secret."""
    if depth <= 0:
        return set()
    if isinstance(schema, list):
        return set().union(*(secret_names(part, depth - 1) for part in schema[:100]))
    if not isinstance(schema, Mapping):
        return set()
    fields = schema.get("properties")
    named = fields.items() if isinstance(fields, Mapping) else ()
    own = {str(name) for name, field in named if is_secret_schema(field)}
    return own.union(*(secret_names(part, depth - 1) for part in schema.values()))


def is_secret_name(name: str) -> bool:
    """Tell whether a field's name says that it holds a secret: ``password``, ``api_key``, ``hfToken``."""
    return _kind(name) != ""


@functools.lru_cache(maxsize=1024)
def _kind(name: str) -> str:
    """Tell what a field's name says of its value: "secret", "token" where that word alone says it, or ""."""
    words = [word.lower() for word in _WORDS.findall(name[:200])]
    if not _SECRET_PAIRS.isdisjoint(pairwise(words)) or not _SECRET_WORDS.isdisjoint(words):
        return "secret"
    return "token" if "token" in words else ""


def is_secret_schema(schema: Any, depth: int = 4) -> bool:
    """Tell whether a JSON Schema marks its value, or what is in it, as secret: ``format: password``, ``writeOnly``."""
    if depth <= 0 or not isinstance(schema, Mapping):
        return False
    if schema.get("format") == "password" or schema.get("writeOnly") is True:
        return True
    branches = [
        part for key in ("anyOf", "oneOf", "allOf") if isinstance(schema.get(key), list) for part in schema[key]
    ]
    parts = (*branches, schema.get("items"), schema.get("additionalProperties"))
    return any(is_secret_schema(part, depth - 1) for part in parts)


def hides(name: str, value: Any, secrets: Container[str] | None = None) -> bool:
    """Tell whether a value is not to be shown under its name.

    What is empty is no secret, and numbers under ``token`` or ``token_ids`` are the tokens of a language model.
    ``secrets`` are names that hide besides those that say so themselves.
    """
    is_empty = isinstance(value, (str, bytes, list, tuple, dict)) and not value
    if value is None or isinstance(value, bool) or is_empty:
        return False
    if secrets is not None and name in secrets:
        return True
    kind = _kind(name)
    return kind == "secret" or (kind == "token" and not _is_of_numbers(value))


def _is_of_numbers(value: Any) -> bool:
    """Tell whether a value is a number, or a list of numbers, however nested; the first items tell."""
    if isinstance(value, (list, tuple)):
        return all(_is_of_numbers(item) for item in value[:8])
    return isinstance(value, (int, float))


def masked(value: Any, secrets: Container[str] | None = None, found: set[str] | None = None) -> Any:
    """Copy plain values with :data:`HIDDEN` in place of each secret; without one, the value itself is given back.

    Dicts and lists are looked into, however deep. ``secrets`` are names that hide besides those that say so
    themselves, and, of a client, values; ``found`` gets the names of what is hidden.
    """
    within = getattr(secrets, "within", None)
    looked_into = (dict, list, tuple) if within is None else (dict, list, tuple, str)
    if isinstance(value, str) or not isinstance(value, looked_into):
        return value if within is None or not isinstance(value, str) else within(value)
    # By identity, so that what contains itself ends.
    copies: dict[int, Any] = {}
    waiting: list[Any] = []
    is_changed = False

    def copy_of(inside: Any) -> Any:
        nonlocal is_changed
        if isinstance(inside, str):
            shown = within(inside) if within is not None else inside
            is_changed = is_changed or shown != inside
            return shown
        if id(inside) not in copies:
            copies[id(inside)] = {} if isinstance(inside, dict) else []
            waiting.append(inside)
        return copies[id(inside)]

    whole = copy_of(value)
    while waiting:
        around = waiting.pop()
        if not isinstance(around, dict):
            items = [copy_of(item) if isinstance(item, looked_into) else item for item in around]
            copies[id(around)].extend(items)
            continue
        for key, inside in around.items():
            if name := _hidden_by(key, inside, around, secrets):
                is_changed = is_changed or inside != HIDDEN
                if found is not None:
                    found.add(name)
            copies[id(around)][key] = HIDDEN if name else copy_of(inside) if isinstance(inside, looked_into) else inside
    return whole if is_changed else value


def _hidden_by(key: Any, inside: Any, around: dict[Any, Any], secrets: Container[str] | None) -> str:
    """Name what hides a value: its own name, or the place that an error of pydantic says it stood at."""
    if hides(str(key), inside, secrets):
        return str(key)
    place = around.get("loc") if key == "input" else None
    parts = place if isinstance(place, (list, tuple)) else ()
    return next((str(part) for part in parts if hides(str(part), inside, secrets)), "")


def secret_fields(model: type[BaseModel]) -> list[str]:
    """Name the fields that a model marks as secret: ``format: password`` or ``writeOnly``."""
    return [name for name, field in model.model_fields.items() if is_secret_schema(field.json_schema_extra)]


def shown_fields(value: Any) -> dict[str, Any] | None:
    """Read the fields of a model or a dataclass by name, those that a model marks as secret hidden; of others, None."""
    if isinstance(value, BaseModel):
        fields = {name: getattr(value, name, None) for name in type(value).model_fields}
        return {**fields, **(value.model_extra or {}), **dict.fromkeys(secret_fields(type(value)), HIDDEN)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value) if field.repr}
    return None


class MaskedModel(BaseModel):
    """A model whose repr hides secrets; its values and what it writes are the real ones."""

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        arguments: Iterable[tuple[str | None, Any]] = super().__repr_args__()
        secret = secret_fields(type(self))
        for name, value in arguments:
            is_hidden = name is not None and (hides(name, value) or (name in secret and value is not None))
            yield name, HIDDEN if is_hidden else masked(value)
