"""Holding a value against a shape, before a server does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from openenv_notebook.schema import shapes
from openenv_notebook.schema.shapes import ABSENT, Path, Shape, path_text
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.text import nearest, one_line

_MOST_NAMED = 8
# Past this a number has no decimal text in Python.
_MOST_BITS = 10_000


class Problem(NamedTuple):
    """What is wrong with a value, and where; the message is read after the field's name.

    ``is_misfit`` is true where the value is of another kind, and false where it is only out of bounds or missing.
    """

    path: Path
    message: str
    is_misfit: bool = False


def check(shape: Shape, value: Any) -> list[tuple[str, str]]:
    """Say what a server would refuse of a value, as JSON has it, as far as it can be told here.

    Gives pairs of a path, such as ``path[0].y``, and a message; none where the value fits.
    """
    return [(path_text(problem.path), problem.message) for problem in problems(shape, value)]


def problems(shape: Shape, value: Any) -> list[Problem]:
    """Find all that is wrong with a value, see :func:`check`."""
    try:
        return list(_all(shape, value, ()))
    except RecursionError:
        return [Problem((), "is nested too deep", True)]


def own_problems(shape: Shape, value: Any) -> list[Problem]:
    """Find what is wrong with a value itself, whatever its parts are."""
    return [problem for problem in _own(shape, value, ()) if problem.path == ()]


def fitting_branch(union: shapes.Union, value: Any) -> int:
    """Choose the place of the branch of a union whose constant a value has, else of the one it fits best."""
    if isinstance(value, dict) and union.discriminator in value:
        told = value[union.discriminator]
        for place, branch in enumerate(union.branches):
            if same(told, _constant(branch, union.discriminator)):
                return place
    found = [problems(branch, value) for branch in union.branches]
    return min(range(len(found)), key=lambda place: (sum(each.is_misfit for each in found[place]), len(found[place])))


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same JSON: true is not 1, and 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return bool(one == other)


def number_text(value: object) -> str:
    """Write a number of a schema without needless digits."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def counted(count: int, what: str) -> str:
    """Write a count with its word: ``1 item``, ``2 items``."""
    return f"{count} {what if count == 1 else 'entries' if what == 'entry' else f'{what}s'}"


def _constant(branch: Shape, name: str) -> Any:
    fields = branch.fields if isinstance(branch, shapes.Object) else ()
    return next((field.value for field in fields if field.name == name and isinstance(field, shapes.Const)), ABSENT)


def _all(shape: Shape, value: Any, path: Path) -> Iterator[Problem]:
    yield from _own(shape, value, path)
    if value is None and shape.nullable:
        return
    if isinstance(shape, shapes.Array) and isinstance(value, list):
        for place, item in enumerate(value):
            yield from _all(shape.item, item, (*path, place))
    elif isinstance(shape, shapes.Tuple) and isinstance(value, list):
        for place, (part, item) in enumerate(zip(shape.items, value, strict=False)):
            yield from _all(part, item, (*path, place))
    elif isinstance(shape, shapes.Dictionary) and isinstance(value, dict):
        for name, item in value.items():
            yield from _all(shape.values, item, (*path, name))
    elif isinstance(shape, shapes.Object) and isinstance(value, dict):
        known = {field.name: field for field in shape.fields}
        for name, item in value.items():
            named = known.get(name, shape.others)
            if named is not None:
                yield from _all(named, item, (*path, name))
    elif isinstance(shape, shapes.Union):
        yield from _all(shape.branches[fitting_branch(shape, value)], value, path)


def _own(shape: Shape, value: Any, path: Path) -> Iterator[Problem]:
    if value is None and shape.nullable:
        return
    match shape:
        case shapes.Const() if not same(value, shape.value):
            yield Problem(path, f"must be {_shown(shape.value)}", True)
        case shapes.Choice() if not any(same(value, each) for each in shape.values):
            yield Problem(path, _not_among(shape, value), True)
        case shapes.Boolean() if not isinstance(value, bool):
            yield Problem(path, f"must be true or false, not {_shown(value)}", True)
        case shapes.Number():
            yield from _number(shape, value, path)
        case shapes.Text() if not isinstance(value, str):
            yield Problem(path, f"must be text, not a {_kind(value)}", True)
        case shapes.Text():
            yield from _length(len(value), shape.shortest, shape.longest, "character", path)
        case shapes.Array() | shapes.Tuple():
            yield from _list(shape, value, path)
        case shapes.Object() | shapes.Dictionary() if not isinstance(value, dict):
            yield Problem(path, f"must be an object, not a {_kind(value)}", True)
        case shapes.Dictionary():
            yield from _length(len(value), shape.fewest, shape.most, "entry", path)
        case shapes.Object():
            yield from _names(shape, value, path)
        case shapes.Json(kind=kind) if kind and not isinstance(value, dict if kind == "object" else list):
            yield Problem(path, f"must be {'an object' if kind == 'object' else 'a list'}, not a {_kind(value)}", True)


def _number(shape: shapes.Number, value: Any, path: Path) -> Iterator[Problem]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield Problem(path, f"must be a {'whole ' if shape.is_whole else ''}number, not {_shown(value)}", True)
        return
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        yield Problem(path, "is too big a number", True)
        return
    if shape.is_whole and not (isinstance(value, int) or value.is_integer()):
        yield Problem(path, f"must be a whole number, not {value}", True)
    if shape.minimum is not None and not value >= shape.minimum:
        yield Problem(path, f"must be {number_text(shape.minimum)} or more")
    if shape.above is not None and not value > shape.above:
        yield Problem(path, f"must be more than {number_text(shape.above)}")
    if shape.maximum is not None and not value <= shape.maximum:
        yield Problem(path, f"must be {number_text(shape.maximum)} or less")
    if shape.below is not None and not value < shape.below:
        yield Problem(path, f"must be less than {number_text(shape.below)}")
    if shape.multiple_of and not _is_multiple(value, shape.multiple_of):
        yield Problem(path, f"must be a multiple of {number_text(shape.multiple_of)}")


def _is_multiple(value: float, step: float) -> bool:
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    try:
        ratio = value / step
    except OverflowError:
        return True  # Too big to tell here.
    return math.isfinite(ratio) and math.isclose(ratio, round(ratio), rel_tol=1e-9, abs_tol=1e-9)


def _list(shape: shapes.Array | shapes.Tuple, value: Any, path: Path) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(path, f"must be a list, not a {_kind(value)}", True)
    elif isinstance(shape, shapes.Tuple):
        if len(value) != len(shape.items):
            yield Problem(path, f"must have {counted(len(shape.items), 'item')}", True)
    else:
        yield from _length(len(value), shape.fewest, shape.most, "item", path)
        if shape.is_set and any(same(item, other) for at, item in enumerate(value) for other in value[:at]):
            yield Problem(path, "must not have an item twice")


def _names(shape: shapes.Object, value: dict[str, Any], path: Path) -> Iterator[Problem]:
    names = dict.fromkeys(field.name for field in shape.fields)
    for field in shape.fields:
        if field.required and field.name not in value and not isinstance(field, shapes.Const):
            yield Problem((*path, field.name), "is required")
    for name in value if shape.others is None else ():
        if name not in names:
            yield Problem((*path, name), f"no such field{nearest(name, names)}", True)


def _length(length: int, fewest: int | None, most: int | None, what: str, path: Path) -> Iterator[Problem]:
    if fewest is not None and length < fewest:
        yield Problem(path, f"needs at least {counted(fewest, what)}")
    if most is not None and length > most:
        yield Problem(path, f"takes at most {counted(most, what)}, not {length}")


def _not_among(shape: shapes.Choice, value: Any) -> str:
    shown = [one_line(str(each))[:40] for each in shape.values[:_MOST_NAMED]]
    more = ", …" if len(shape.values) > _MOST_NAMED else ""
    texts = [each for each in shape.values if isinstance(each, str)]
    meant = nearest(value, texts) if isinstance(value, str) and more else ""
    return f"must be one of {', '.join(shown)}{more}, not {_shown(value)}{meant}"


def _shown(value: Any) -> str:
    try:
        return short_repr(value)
    except ValueError:
        return "so big a number"  # Python writes no more than 4300 digits.


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    words = {bool: "true or false", int: "number", float: "number", str: "text", list: "list", dict: "dict"}
    return words.get(type(value), type(value).__name__)
