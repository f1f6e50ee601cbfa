"""What a field takes, in a word, a few words or a line: for whoever reads, clean and bounded."""

from __future__ import annotations

import json
from typing import Any

from openenv_notebook.schema.action import given_fields, holds_secret
from openenv_notebook.schema.check import counted, number_text
from openenv_notebook.schema.shapes import (
    ABSENT,
    Array,
    Boolean,
    Choice,
    Const,
    Dictionary,
    Json,
    Number,
    Object,
    Shape,
    Text,
    Tuple,
    Union,
)
from openenv_notebook.values.secrets import hides, is_secret_name
from openenv_notebook.values.text import one_line

_MOST_VALUES, _MOST_FIELDS, _MOST_BRANCHES = 6, 6, 3
_LONGEST, _LONGEST_VALUE = 40, 80
_KINDS: dict[type[Shape], str] = {Boolean: "bool", Text: "text", Tuple: "list", Object: "object", Dictionary: "object"}
# What a control shows by itself.
_SHOWN = ("textarea", "password")


def kind(shape: Shape) -> str:
    """Name what a value may be, its values if there are few, else its type: ``int``, ``up|down``, ``list of text``."""
    match shape:
        case Choice(values=values):
            return "|".join(map(_short, values[:_MOST_VALUES])) + ("|…" if len(values) > _MOST_VALUES else "")
        case Const(value=value):
            return _short(value)
        case Number(is_whole=is_whole):
            return "int" if is_whole else "float"
        case Array(item=item):
            return f"list of {kind(item)}" if isinstance(item, (Number, Text, Boolean)) else "list"
        case Union(branches=branches):
            return " or ".join(dict.fromkeys(kind(branch) for branch in branches[:_MOST_BRANCHES]))
        case Json(kind=name):
            return {"object": "object", "array": "list"}.get(name, "any")
    return _KINDS[type(shape)]


def bounds(shape: Shape) -> list[str]:
    """Write what a value is bounded by: ``0 to 6``, ``at most 5 characters``, a format, a pattern."""
    match shape:
        case Number():
            return _range(shape)
        case Text():
            form = "" if shape.format in _SHOWN else shape.format
            found = [_counts(shape.shortest, shape.longest, "character"), form]
            found += [f"matches {shape.pattern[:60]}"] if shape.pattern else []
        case Array():
            found = [_counts(shape.fewest, shape.most, "item")]
        case Dictionary():
            found = [_counts(shape.fewest, shape.most, "entry")]
        case Union(branches=branches):
            found = [each for branch in branches[:_MOST_BRANCHES] for each in bounds(branch)]
        case _:
            found = []
    return [each for each in found if each]


def facts(shape: Shape) -> str:
    """Write what a field takes, in a few words: ``int · required · 0 to 6``; a control shows the rest."""
    words = [kind(shape)] if not isinstance(shape, (Choice, Union, Boolean)) else []
    if shape.required and shape.name and not isinstance(shape, Boolean):
        words.append("required")
    words += bounds(shape) if not isinstance(shape, Union) else []
    if shape.default not in (ABSENT, None, "") and not shape.required and not isinstance(shape, (Choice, Boolean)):
        words.append("has a default" if hides_default(shape) else f"default {value_text(shape.default)[:40]}")
    return " · ".join(one_line(word) for word in words)


def signature(fields: list[Shape], most: int, between: str) -> str:
    """Write fields in a line, the optional ones with a question mark: ``column: int, game: text?``."""
    shown = [f"{_short(field.name)}: {kind(field)}{'' if field.required else '?'}" for field in fields[:most]]
    return between.join(shown + (["…"] if len(fields) > most else []))


def fields_line(action: Shape | None) -> str:
    """Write what an action takes in a line, such as ``column: int · game: text?``; "" where no fields are known."""
    return signature(given_fields(action), _MOST_FIELDS, " · ")


def is_secret(shape: Shape) -> bool:
    """Tell whether a text or a number is a secret, by its schema or its name; a number called a token is none."""
    return shape.is_secret or (is_secret_name(shape.name) if isinstance(shape, Text) else hides(shape.name, 1))


def hides_default(shape: Shape) -> bool:
    """Tell whether a field's default is not to be shown."""
    return holds_secret(shape) or hides(shape.name, shape.default)


def branch_name(branch: Shape, discriminator: str = "") -> str:
    """Name a branch of a union: by its constant under the discriminator, else its title, else what it takes."""
    for field in branch.fields if isinstance(branch, Object) else ():
        if field.name == discriminator and isinstance(field, Const):
            return value_text(field.value)
    if isinstance(branch, Const):
        return value_text(branch.value)
    return value_text(branch.title) if branch.title else kind(branch)


def value_text(value: Any) -> str:
    """Write a value of a schema as one reads it in a list: as JSON, texts without quotes."""
    if isinstance(value, float):
        return number_text(value)
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    text = one_line(text[: 2 * _LONGEST_VALUE])
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _short(value: Any) -> str:
    text = str(value)[: 2 * _LONGEST]
    return one_line(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _range(shape: Number) -> list[str]:
    is_open = (shape.minimum is None and shape.above is not None, shape.maximum is None and shape.below is not None)
    ends = (shape.above if is_open[0] else shape.minimum, shape.below if is_open[1] else shape.maximum)
    least, most = (None if end is None else number_text(end) for end in ends)
    words = []
    if least is not None and most is not None:
        words.append(f"{least} to {most}")
    elif least is not None or most is not None:
        words.append(f"from {least}" if most is None else f"up to {most}")
    left_out = [end for end, is_left_out in zip((least, most), is_open, strict=True) if end and is_left_out]
    if left_out:
        words[-1] += f", not {' or '.join(left_out)}"
    if shape.multiple_of is not None and shape.multiple_of != 1:
        words.append(f"in steps of {number_text(shape.multiple_of)}")
    return words


def _counts(fewest: int | None, most: int | None, what: str) -> str:
    if fewest and most is not None:
        return counted(fewest, what) if fewest == most else f"{fewest} to {counted(most, what)}"
    if fewest:
        return f"at least {counted(fewest, what)}"
    return f"at most {counted(most, what)}" if most is not None else ""
