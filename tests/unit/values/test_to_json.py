"""Python values -> JSON, as OpenEnv servers read it."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import importlib.util
import io
import json
import math
import pathlib
import sys
import threading
import types
import uuid
from typing import Any, NamedTuple

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, field_serializer

from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import Action, GenericAction
from openenv_notebook.values.to_json import fields_of, is_record, to_bytes


class Color(enum.Enum):
    """An enum of texts."""

    RED = "red"


class Loud(enum.StrEnum):
    """A text that is an enum."""

    YES = "yes"


class Level(enum.IntEnum):
    """A number that is an enum."""

    LOW = 1


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int


@dataclasses.dataclass
class Inner:
    """A dataclass inside another."""

    at: Any
    color: Color = Color.RED


@dataclasses.dataclass
class Outer:
    """A dataclass with a dataclass in it."""

    inner: Inner
    many: list[Inner]


@dataclasses.dataclass
class Holder:
    """A record of one value."""

    value: Any


class Part(BaseModel):
    """A model inside an action."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    value: Any = None


class Aliased(BaseModel):
    """A model whose field travels by another name."""

    model_config = ConfigDict(populate_by_name=True)

    from_: int = Field(alias="from")
    part: Part | None = None


class Metres(BaseModel):
    """A model that writes a field as JSON in a way of its own."""

    length: float

    @field_serializer("length", when_used="json")
    def with_unit(self, length: float) -> str:
        """Write the unit."""
        return f"{length:g} m"


def sent(value: Any) -> Any:
    """Send a value as a field and read it as a server does: by Python's own json."""
    return json.loads(to_bytes(fields_of({"v": value})))["v"]


def shown(value: Any) -> str:
    """Write a value into a test's name, without what pytest would escape."""
    return " ".join(ascii(value).replace("\\", "").split())[:40]


NUMPY: list[tuple[Any, Any]] = [
    (np.int64(3), 3),
    (np.uint8(255), 255),
    (np.float64(0.5), 0.5),
    (np.float32(0.25), 0.25),
    (np.bool_(True), True),
    (np.str_("a"), "a"),
    (np.array([1, 2]), [1, 2]),
    (np.array([[1.5], [2.5]], dtype=np.float32), [[1.5], [2.5]]),
    (np.array([True, False]), [True, False]),
    (np.array(7), 7),
    (np.array([]), []),
    ([np.int32(1), {"a": np.array([1])}], [1, {"a": [1]}]),
]


@pytest.mark.parametrize(("value", "expected"), NUMPY, ids=shown)
def test_numpy_goes_out_as_plain_numbers(value: Any, expected: Any) -> None:
    """Scalars, arrays and bools of numpy become the plain values they hold, with their type."""
    got = sent(value)
    assert got == expected
    assert type(got) is type(expected)


def test_a_float32_keeps_its_value() -> None:
    """A float32 goes out as the number it is, not rounded again."""
    assert sent(np.float32(0.1)) == float(np.float32(0.1))


VALUES: list[tuple[Any, Any]] = [
    (Color.RED, "red"),
    (Loud.YES, "yes"),
    (Level.LOW, 1),
    ([Color.RED, {"k": Level.LOW}], ["red", {"k": 1}]),
    (Outer(Inner(1), [Inner(np.int8(2))]), {"inner": {"at": 1, "color": "red"}, "many": [{"at": 2, "color": "red"}]}),
    (Aliased(from_=1, part=Part(value=2)), {"from": 1, "part": {"value": 2}}),
    ([Aliased(from_=1)], [{"from": 1, "part": None}]),
    ({"deep": [{"model": Aliased(from_=1)}]}, {"deep": [{"model": {"from": 1, "part": None}}]}),
    (Part(value=Outer(Inner(1), [])), {"value": {"inner": {"at": 1, "color": "red"}, "many": []}}),
    (Inner(Aliased(from_=1)), {"at": {"from": 1, "part": None}, "color": "red"}),
    (pathlib.Path("a"), "a"),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (datetime.date(2024, 1, 2), "2024-01-02"),
    (datetime.datetime(2024, 1, 2, 3, 4, 5), "2024-01-02T03:04:05"),
    (datetime.timedelta(seconds=90), "PT1M30S"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (decimal.Decimal("1.5"), "1.5"),
    (b"plain", "plain"),
    (b"\xff\xfe", "__4="),
    ({3}, [3]),
    (frozenset({"a"}), ["a"]),
    ((1, (2,)), [1, [2]]),
    (Point(1, 2), [1, 2]),
    (range(3), [0, 1, 2]),
    ({1: "a"}, {"1": "a"}),
    (10**30, 10**30),
    (-(2**63) - 1, -(2**63) - 1),
    ("snowman ☃ 𝄞", "snowman ☃ 𝄞"),
    (None, None),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    (RootModel[list[int]]([1]), [1]),
    ([RootModel[int](3)], [3]),
]


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=shown)
def test_python_values_go_out_as_json(value: Any, expected: Any) -> None:
    """Enums, dataclasses, models, paths, dates, bytes, sets and big numbers have one JSON form each."""
    assert sent(value) == expected


NOT_FINITE = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda value: value,
        lambda value: [value],
        np.float32,
        lambda value: np.array([value]),
        lambda value: Inner(value),
        lambda value: Part(value=value),
        lambda value: [Part(value=value)],
        lambda value: Part(value=Part(value=value)),
        lambda value: Inner(Part(value=value)),
        lambda value: Outer(Inner(1), [Inner([Part(value=value)])]),
    ],
)
@pytest.mark.parametrize("value", NOT_FINITE)
def test_what_is_not_finite_goes_out_as_python_writes_it(value: float, wrapped: Any) -> None:
    """NaN and infinities are written as Python's json writes them, in whatever they stand; never as null."""
    text = to_bytes(fields_of({"v": wrapped(value)})).decode()
    assert json.dumps(value) in text
    assert "null" not in text


def test_a_model_is_written_as_it_writes_itself() -> None:
    """What a model does to its fields for JSON is done, as an action and as a part of one."""
    assert json.loads(to_bytes(fields_of(Metres(length=2)))) == {"length": "2 m"}
    assert sent(Metres(length=2)) == {"length": "2 m"}


def test_a_model_keeps_an_array() -> None:
    """A model that holds an array, which pydantic cannot write, goes out as well."""
    assert sent(Part(value=np.array([1, 2]))) == {"value": [1, 2]}


def circular() -> list[Any]:
    """A list with itself in it."""
    made: list[Any] = []
    made.append(made)
    return made


@pytest.mark.parametrize(
    "value",
    [object(), threading.Lock(), lambda: 1, int, Color, Part, circular(), {"a": {"b": object()}}],
    ids=["object", "lock", "function", "type", "enum", "class", "circle", "nested"],
)
def test_what_cannot_be_sent_says_so(value: Any) -> None:
    """An object without a JSON form is a MisuseError, never another library's exception."""
    with pytest.raises(MisuseError, match="cannot be sent as JSON"):
        to_bytes(fields_of({"v": value}))


@pytest.mark.parametrize(
    "value", [1j, [1j], {"a": (1j,)}, np.array([[1j]]), np.complex64(1), np.complex128(1), Holder(1j)], ids=shown
)
def test_complex_numbers_are_refused(value: Any) -> None:
    """They do not go out as text that looks like a number."""
    with pytest.raises(MisuseError, match="no complex numbers"):
        to_bytes(fields_of({"x": value}))


@pytest.mark.parametrize("value", [io.StringIO("a\nb"), iter([1]), (n for n in [1]), [io.BytesIO(b"a")]])
def test_what_is_empty_once_it_is_read_is_refused(value: Any) -> None:
    """An open file does not go out as a list of its lines, nor is an iterator used up by a step."""
    with pytest.raises(MisuseError, match=r"send what is in it: file\.read\(\)"):
        fields_of({"x": value})


def test_an_object_that_cannot_be_sent_is_named() -> None:
    """The type that cannot be sent is named."""
    with pytest.raises(
        MisuseError, match=r"^this cannot be sent as JSON: a builtins\.object has no JSON form · send numbers"
    ):
        to_bytes({"v": object()})


def test_an_object_that_fails_to_convert_says_so() -> None:
    """An object whose own conversion raises is a MisuseError that shows why."""

    class Broken:
        def tolist(self) -> Any:
            raise RuntimeError("on another device")

    with pytest.raises(MisuseError, match="on another device"):
        to_bytes({"v": Broken()})


@pytest.mark.parametrize("value", [{}, GenericAction(), Action(), Inner(1), types.MappingProxyType({})])
def test_records_have_named_fields(value: Any) -> None:
    """Mappings, models and dataclasses are records."""
    assert is_record(value)


@pytest.mark.parametrize("value", [3, "x", [1], None, Inner, Action, dict, Point(1, 2), np.array([1])])
def test_everything_else_is_a_bare_value(value: Any) -> None:
    """Plain values are no records, and neither are classes."""
    assert not is_record(value)
    with pytest.raises(MisuseError, match="has no named fields"):
        fields_of(value)


def test_a_model_of_one_bare_value_is_no_action() -> None:
    """A model that stands for a number has no fields to send."""
    with pytest.raises(MisuseError, match="has no named fields"):
        fields_of(RootModel[int](3))


def test_names_of_fields_are_text() -> None:
    """A mapping with other keys is no action."""
    with pytest.raises(MisuseError, match="names of fields are text, not int: 3"):
        fields_of({3: 1})


def test_fields_are_a_new_dict() -> None:
    """Reading the fields changes nothing of the value and shares no dict with it."""
    value = {"a": [1]}
    fields = fields_of(value)
    fields["b"] = 2
    assert value == {"a": [1]}


MODULE = """
import dataclasses
from pydantic import BaseModel
class Move(BaseModel):
    column: int
@dataclasses.dataclass
class Point:
    column: int
"""


def test_d09_a_reloaded_class_works(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D09: after a module is loaded again, objects of the old class and of the new one go out alike."""
    source = tmp_path / "user_module_of_d09.py"
    source.write_text(MODULE)
    spec = importlib.util.spec_from_file_location("user_module_of_d09", source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    old = [module.Move(column=3), module.Point(3)]
    spec.loader.exec_module(module)
    assert type(old[0]) is not module.Move
    for value in (*old, module.Move(column=3), module.Point(3)):
        assert fields_of(value) == {"column": 3}
        assert json.loads(to_bytes([value])) == [{"column": 3}]
