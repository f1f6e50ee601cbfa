"""Values that fit a shape, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from openenv_notebook.schema.shapes import (
    Array,
    Boolean,
    Choice,
    Const,
    Dictionary,
    Number,
    Object,
    Shape,
    Text,
    Tuple,
    Union,
)

texts = st.text(st.characters(codec="utf-8"), max_size=12)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts),
    lambda inside: st.one_of(st.lists(inside, max_size=3), st.dictionaries(texts, inside, max_size=3)),
    max_leaves=6,
)


def fitting(shape: Shape) -> st.SearchStrategy[Any]:
    """Make values that a shape takes."""
    made = _plain(shape)
    return st.one_of(st.none(), made) if shape.nullable else made


def _plain(shape: Shape) -> st.SearchStrategy[Any]:
    match shape:
        case Const(value=value):
            return st.just(value)
        case Choice(values=values):
            return st.sampled_from(values)
        case Boolean():
            return st.booleans()
        case Number():
            return _numbers(shape)
        case Text(shortest=shortest, longest=longest):
            return st.text(st.characters(codec="utf-8"), min_size=shortest or 0, max_size=min(longest or 20, 20))
        case Array(item=item, fewest=fewest, most=most):
            return st.lists(fitting(item), min_size=fewest or 0, max_size=min(most or 4, 4))
        case Tuple(items=items):
            return st.tuples(*map(fitting, items)).map(list)
        case Dictionary(values=values):
            return st.dictionaries(texts, fitting(values), max_size=4)
        case Object():
            return _objects(shape)
        case Union(branches=branches):
            return st.one_of(*map(fitting, branches))
    kinds = {"object": st.dictionaries(texts, json_values, max_size=3), "array": st.lists(json_values, max_size=3)}
    return kinds.get(getattr(shape, "kind", ""), json_values)


def _numbers(shape: Number) -> st.SearchStrategy[Any]:
    least = shape.minimum if shape.minimum is not None else shape.above
    most = shape.maximum if shape.maximum is not None else shape.below
    if shape.is_whole:
        return st.integers(least, most)  # type: ignore[arg-type]
    return st.floats(
        least,
        most,
        allow_nan=False,
        allow_infinity=False,
        exclude_min=shape.minimum is None and least is not None,
        exclude_max=shape.maximum is None and most is not None,
    )


def _objects(shape: Object) -> st.SearchStrategy[Any]:
    always = {field.name: fitting(field) for field in shape.fields if field.required or isinstance(field, Const)}
    others = {field.name: fitting(field) for field in shape.fields if field.name not in always}
    return st.fixed_dictionaries(always, optional=others)
