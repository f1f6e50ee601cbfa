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

    Attributes:
        name: The field's name on the wire; "" where it is no field.
        title: Its title, "" without one.
        description: What it is for, "" where nothing says.
        default: What the server takes when it is left out; ABSENT without one.
        required: True when it must be given.
        nullable: True when it may also be null.
        is_secret: True where its schema says that it holds a secret.
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
    """A number.

    Attributes:
        is_whole: True for an integer.
        minimum: The least it may be.
        maximum: The most it may be.
        above: What it must be more than.
        below: What it must be less than.
        multiple_of: What it must be a multiple of.
    """

    is_whole: bool = False
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    multiple_of: float | None = None


@dataclass(frozen=True, kw_only=True)
class Text(Shape):
    """Text.

    Attributes:
        shortest: The fewest characters.
        longest: The most characters.
        pattern: A regular expression of the server; shown, never run here.
        format: What the text holds, such as ``date-time``.
        examples: Texts it may be, among others.
        is_long: True where several lines are to be expected.
    """

    shortest: int | None = None
    longest: int | None = None
    pattern: str = ""
    format: str = ""
    examples: tuple[str, ...] = ()
    is_long: bool = False


@dataclass(frozen=True, kw_only=True)
class Array(Shape):
    """A list.

    Attributes:
        item: What each of its items looks like.
        fewest: The fewest items.
        most: The most items.
        is_set: True where no item may come twice.
    """

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
    """An object with named fields.

    Attributes:
        fields: Its fields in the order of the schema.
        others: What fields look like that the schema does not name; None where there are none.
    """

    fields: tuple[Shape, ...]
    others: Shape | None = None

    @cached_property
    def field_names(self) -> frozenset[str] | None:
        """The names of its fields; None where it names none, or takes others beside them."""
        return frozenset(field.name for field in self.fields) if self.fields and self.others is None else None


@dataclass(frozen=True, kw_only=True)
class Dictionary(Shape):
    """An object with any names, whose values look alike.

    Attributes:
        values: What each value looks like.
        fewest: The fewest entries.
        most: The most entries.
    """

    values: Shape
    fewest: int | None = None
    most: int | None = None


@dataclass(frozen=True, kw_only=True)
class Union(Shape):
    """One of several shapes.

    Attributes:
        branches: The shapes.
        discriminator: The field whose constant tells them apart; "" without one.
    """

    branches: tuple[Shape, ...]
    discriminator: str = ""

    @cached_property
    def field_names(self) -> frozenset[str] | None:
        """The names of the fields of all branches; None where one takes any."""
        names = [branch.field_names for branch in self.branches]
        return None if None in names else frozenset().union(*(each for each in names if each is not None))


@dataclass(frozen=True, kw_only=True)
class Json(Shape):
    """Any JSON: free objects, recursion, and what no other shape stands for.

    Attributes:
        kind: "object" or "array" where it must be one, else "".
    """

    kind: str = ""


def path_text(path: Path) -> str:
    """Write where a value stands in an action, as in ``path[0].y``; "" for the action itself."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
