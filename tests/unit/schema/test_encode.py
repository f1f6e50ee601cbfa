"""Bytes in actions, written as their field takes them."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any

import pytest
from pydantic import Base64Bytes, Base64UrlBytes, BaseModel

from openenv_notebook.client.actions import wire_action
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.values.errors import InvalidAction, MisuseError
from openenv_notebook.values.to_json import fields_of, to_bytes

HARD = b"\xff\xfe?>"


class Part(BaseModel):
    """A part with bytes of its own."""

    blob: Base64Bytes


class Blobs(BaseModel):
    """An action with every way of pydantic's to take bytes."""

    plain: bytes = b""
    coded: Base64Bytes = b""
    url: Base64UrlBytes = b""
    many: list[Base64Bytes] = []
    by_name: dict[str, Base64Bytes] = {}
    part: Part | None = None
    either: int | Base64Bytes = 0
    pair: tuple[bytes, Base64Bytes] = (b"", b"")
    free: Any = None


@pytest.mark.parametrize(
    ("given", "arrives"),
    [
        ({"plain": b"hello", "free": b"\xff"}, {"plain": b"hello", "free": "_w=="}),
        ({"coded": b"hello"}, {"coded": b"hello"}),
        ({"coded": HARD, "plain": bytearray(b"x")}, {"coded": HARD, "plain": b"x"}),
        ({"url": HARD}, {"url": HARD}),
        ({"many": [b"hello", HARD]}, {"many": [b"hello", HARD]}),
        ({"by_name": {"a": HARD, "b": b"b"}}, {"by_name": {"a": HARD, "b": b"b"}}),
        ({"part": {"blob": b"hello"}}, {"part": Part(blob=base64.b64encode(b"hello"))}),
        ({"either": HARD}, {"either": HARD}),
        ({"pair": (b"hello", HARD)}, {"pair": (b"hello", HARD)}),
        ({"coded": memoryview(b"hello")}, {"coded": b"hello"}),
    ],
)
def test_bytes_arrive_as_their_field_takes_them(given: dict[str, Any], arrives: dict[str, Any]) -> None:
    """R22: the server's own model reads the bytes that were given, whatever stands beside them."""
    sent = to_bytes(wire_action(given, action_shape(Blobs.model_json_schema())))
    read = Blobs.model_validate_json(sent)
    assert {name: getattr(read, name) for name in arrives} == arrives


@dataclasses.dataclass
class Rows:
    """An action with bytes that says nothing of how they are written."""

    coded: bytes
    many: list[bytes] = dataclasses.field(default_factory=list)


@pytest.mark.parametrize(
    ("given", "arrives"),
    [
        (Rows(HARD, [b"hello"]), {"coded": HARD, "many": [b"hello"]}),
        ({"part": dataclasses.make_dataclass("P", ["blob"])(b"hello")}, {"part": Part.model_construct(blob=b"hello")}),
        ({"part": Part.model_construct(blob=HARD)}, {"part": Part.model_construct(blob=HARD)}),
        (Blobs.model_construct(coded=HARD, many=[b"hello"]), {"coded": HARD, "many": [b"hello"]}),
    ],
    ids=["dataclass", "dataclass inside", "model inside", "model"],
)
def test_bytes_of_a_record_arrive_as_their_field_takes_them(given: Any, arrives: dict[str, Any]) -> None:
    """R22: bytes in dataclasses and models are what the server's own model reads, as those in a dict are."""
    sent = to_bytes(wire_action(given, action_shape(Blobs.model_json_schema())))
    read = Blobs.model_validate_json(sent)
    assert {name: getattr(read, name) for name in arrives} == arrives


class Plain(BaseModel):
    """A model with bytes that its own writer cannot always write."""

    plain: bytes = b""
    beside: Base64Bytes = b""


def test_bytes_that_a_model_cannot_write_are_told_or_written() -> None:
    """R22: bytes of a model that are no text are refused by name where a text is taken, else in base64 as in URLs."""
    given = Plain(plain=HARD, beside=base64.b64encode(b"hello"))
    with pytest.raises(InvalidAction) as caught:
        wire_action(given, action_shape(Plain.model_json_schema()))
    assert caught.value.errors == ["plain: takes bytes as UTF-8 text, which these are not from byte 0 on"]
    sent = json.loads(to_bytes(wire_action(given, None)))
    assert sent == {"plain": base64.urlsafe_b64encode(HARD).decode(), "beside": base64.b64encode(b"hello").decode()}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"contentEncoding": "base64"}, "aGVsbG8="),
        ({"format": "byte"}, "aGVsbG8="),
        ({"format": "base64url"}, "aGVsbG8="),
        ({"contentEncoding": "base16"}, "68656C6C6F"),
        ({"contentEncoding": "BASE32"}, "NBSWY3DP"),
        ({"contentEncoding": "8bit"}, "hello"),
        ({"format": "binary"}, "hello"),
        ({"format": "binary", "contentEncoding": "base64"}, "aGVsbG8="),
        ({}, "hello"),
    ],
)
def test_a_schema_says_how_bytes_travel(schema: dict[str, Any], text: str) -> None:
    """R22: format and contentEncoding decide, and what stands in another field never does."""
    shape = action_shape({"properties": {"a": {"type": "string", **schema}, "b": {}}})
    for beside in (1, b"x", HARD, "\ud83d", object):
        assert wire_action({"a": b"hello", "b": beside}, shape)["a"] == text if beside is not object else True


@pytest.mark.parametrize("beside", [b"\xff", {b"\xff"}, {b"\xff": 1}, [b"a", b"\xfe"], "\ud83d", {"deep": [b"\xff"]}])
def test_without_a_schema_each_value_is_for_itself(beside: Any) -> None:
    """R22: bytes are the text they are, else base64 as in URLs, and change nothing beside them."""
    assert to_bytes(fields_of({"a": b"hello", "b": beside})).startswith(b'{"a":"hello","b":')


def test_bytes_that_their_field_cannot_take_are_named() -> None:
    """R22: bytes that are no text, for a field that takes them as text, are refused with their place."""
    shape = action_shape(
        {"properties": {"a": {"properties": {"b": {"items": {"type": "string", "format": "binary"}}}}}}
    )
    with pytest.raises(InvalidAction) as caught:
        wire_action({"a": {"b": [b"ok", b"no\xff"]}}, shape)
    assert caught.value.errors == ["a.b[1]: takes bytes as UTF-8 text, which these are not from byte 2 on"]


@pytest.mark.parametrize("encoding", ["quoted-printable", "gzip", "x-uuencode"])
def test_an_encoding_that_is_not_written_is_named(encoding: str) -> None:
    """R22: bytes for a field that takes them in a way which is not written here are refused by name."""
    shape = action_shape({"properties": {"a": {"type": "string", "contentEncoding": encoding}}})
    with pytest.raises(InvalidAction, match=f"a: takes bytes as {encoding}, which is not written here"):
        wire_action({"a": b"hello"}, shape)
    assert wire_action({"a": "hello"}, shape) == {"a": "hello"}


def test_an_encoding_needs_no_type() -> None:
    """R22: what says how bytes are written is a text, also where its type is left out."""
    assert wire_action({"a": HARD}, action_shape({"properties": {"a": {"contentEncoding": "base64"}}})) == {
        "a": base64.b64encode(HARD).decode()
    }


@pytest.mark.parametrize("value", [object(), 1j, iter([1]), lambda: 1])
@pytest.mark.parametrize(
    ("around", "place"),
    [
        (lambda value: {"a": value}, "a"),
        (lambda value: {"x": 1, "a": {"b": [1, {"c": value}]}}, "a.b[1].c"),
        (lambda value: {"a": [[1], [2, value]]}, "a[1][1]"),
        (lambda value: {"a": ({"b": (value,)},)}, "a[0].b[0]"),
    ],
)
def test_an_error_about_a_value_names_its_place(value: Any, around: Any, place: str) -> None:
    """R22: what cannot be sent is told by where it stands."""
    with pytest.raises(MisuseError) as caught:
        to_bytes(fields_of(around(value)))
    assert str(caught.value).endswith(f" {place}")
