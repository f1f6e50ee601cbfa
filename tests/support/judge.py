"""Another's reading of JSON Schema: what the package ``jsonschema`` has against a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema


def _nothing(*_: Any) -> None:
    """Leave a pattern to the server: it is a program of somebody else, which is never run here."""


_Judge: Any = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": _nothing})


def theirs(schema: Mapping[str, Any], value: Any, field: str = "") -> list[str]:
    """What jsonschema has against an action, or against the value of one of its fields."""
    judged = {"$defs": schema.get("$defs", {}), **schema["properties"][field]} if field else schema
    return [error.message for error in _Judge(judged).iter_errors(value)]
