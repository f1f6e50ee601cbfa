"""Which fields hold a secret, by their names and by what their schema says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SECRET_WORDS = frozenset(
    ("apikey", "apitoken", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "passcode",
     "passphrase", "passwd", "password", "passwords", "pwd", "secret", "secrets")
)  # fmt: skip
_SECRET_PAIRS = frozenset(
    [("api", "key"), ("access", "key"), ("private", "key"), ("signing", "key"), ("encryption", "key")]
)
HIDDEN = "••••••"


def is_secret_name(name: str) -> bool:
    """Tell whether a field's name says that it holds a secret: ``password``, ``api_key``, ``hfToken``."""
    words = [word.lower() for word in _WORDS.findall(name[:200])]
    has_pair = not _SECRET_PAIRS.isdisjoint(pairwise(words))
    return has_pair or "token" in words or not _SECRET_WORDS.isdisjoint(words)


def is_secret_schema(schema: Any) -> bool:
    """Tell whether a JSON Schema marks its value as secret: ``format: password`` or ``writeOnly``."""
    if not isinstance(schema, Mapping):
        return False
    branches = [schema]
    for key in ("anyOf", "oneOf", "allOf"):
        found = schema.get(key)
        branches += [branch for branch in found if isinstance(branch, Mapping)] if isinstance(found, list) else []
    return any(branch.get("format") == "password" or branch.get("writeOnly") is True for branch in branches)


def hides(name: str, value: Any) -> bool:
    """Tell whether a value is not to be shown under its name.

    Args:
        name: The field's name.
        value: Its value; what is empty is no secret, and a number under ``token`` is the
            token of a language model.

    Returns:
        True for a secret.
    """
    is_empty = isinstance(value, (str, bytes, list, tuple, dict)) and not value
    if value is None or isinstance(value, bool) or is_empty or not is_secret_name(name):
        return False
    words = {word.lower() for word in _WORDS.findall(name[:200])}
    return not isinstance(value, (int, float)) or not words.isdisjoint(_SECRET_WORDS)
