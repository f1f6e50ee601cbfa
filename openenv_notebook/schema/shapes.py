"""What an action may look like: an immutable tree, read from a JSON Schema.

``reader`` makes the tree. A schema may use constructs that no shape stands for; there the
shape is :class:`Json`, which takes anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias


class _Absent:
    def __repr__(self) -> str:
        return "absent"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()
"""No value at all, where null is a value."""

Part: TypeAlias = str | int
Path: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a value may look like, and what its schema says about it.

    ``name`` is the field's name on the wire, "" where it is no field; ``default`` what the server takes when it is left
    out, ABSENT without one. ``nullable`` says that it may also be null, ``is_secret`` that its schema marks a secret.
    """

    name: str = ""
    title: str = ""
    description: str = ""
    default: Any = ABSENT
    required: bool = True
    nullable: bool = False
    is_secret: bool = False

    @cached_property
    def field_names(self) -> frozenset[str] | None:
        """The names of all fields it may have; None where it may have others."""
        return None

    @cached_property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of what is in it: fields, items, values, branches."""
        single = [getattr(self, name, None) for name in ("item", "values", "others")]
        many = [part for name in ("items", "fields", "branches") for part in getattr(self, name, ())]
        return tuple(part for part in (*single, *many) if isinstance(part, Shape))

    @cached_property
    def says_encoding(self) -> bool:
        """True where it is said of a text in it how bytes stand there."""
        return getattr(self, "encoding", "") != "" or any(part.says_encoding for part in self.parts)


@dataclass(frozen=True, kw_only=True)
class Const(Shape):
    """One value and no other."""

    value: Any


@dataclass(frozen=True, kw_only=True)
class Choice(Shape):
    """One of some values: an enum or a Literal."""

    values: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Boolean(Shape):
    """True or false."""


@dataclass(frozen=True, kw_only=True)
class Number(Shape):
    """A number, whole for an integer; what it must be more than stands in ``above``, and less than in ``below``."""

    is_whole: bool = False
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    multiple_of: float | None = None


@dataclass(frozen=True, kw_only=True)
class Text(Shape):
    """Text, its length in characters.

    ``pattern`` is a regular expression of the server, shown and never run here. ``format`` says what the text holds,
    such as ``date-time``; ``examples`` are texts it may be, among others; ``is_long`` tells to expect several lines.
    ``encoding`` says how bytes stand in it: "utf-8", "base64" and so on; "" where nothing is said.
    """

    shortest: int | None = None
    longest: int | None = None
    pattern: str = ""
    format: str = ""
    examples: tuple[str, ...] = ()
    is_long: bool = False
    encoding: str = ""


@dataclass(frozen=True, kw_only=True)
class Array(Shape):
    """A list of ``fewest`` to ``most`` items that look alike; of a set, no item may come twice."""

    item: Shape
    fewest: int | None = None
    most: int | None = None
    is_set: bool = False


@dataclass(frozen=True, kw_only=True)
class Tuple(Shape):
    """A list of a fixed length, each item with a shape of its own, named by its place."""

    items: tuple[Shape, ...]


@dataclass(frozen=True, kw_only=True)
class Object(Shape):
    """An object with named fields in the schema's order; ``others`` is what any more look like, None without them."""

    fields: tuple[Shape, ...]
    others: Shape | None = None

    @cached_property
    def field_names(self) -> frozenset[str] | None:
        """The names of its fields; None where it names none, or takes others beside them."""
        return frozenset(field.name for field in self.fields) if self.fields and self.others is None else None


@dataclass(frozen=True, kw_only=True)
class Dictionary(Shape):
    """An object with any names, ``fewest`` to ``most`` of them, whose values look alike."""

    values: Shape
    fewest: int | None = None
    most: int | None = None


@dataclass(frozen=True, kw_only=True)
class Union(Shape):
    """One of several shapes; ``discriminator`` names the field whose constant tells them apart, "" without one."""

    branches: tuple[Shape, ...]
    discriminator: str = ""

    @cached_property
    def field_names(self) -> frozenset[str] | None:
        """The names of the fields of all branches; None where one takes any."""
        names = [branch.field_names for branch in self.branches]
        return None if None in names else frozenset().union(*(each for each in names if each is not None))


@dataclass(frozen=True, kw_only=True)
class Json(Shape):
    """Any JSON, or any "object" or "array": free objects, recursion, and what no other shape stands for."""

    kind: str = ""


def path_text(path: Path) -> str:
    """Write where a value stands in an action, as in ``path[0].y``; "" for the action itself."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
