"""Values of environments -> blocks: what they hold decides how they are shown."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any

from openenv_notebook.jupyter.show.blocks import (
    Block,
    Column,
    Fields,
    Fold,
    Line,
    Paragraph,
    Span,
    Stack,
    Table,
    Talk,
    Turn,
    line,
)
from openenv_notebook.jupyter.show.changes import compared, is_changed, is_same
from openenv_notebook.jupyter.show.find_board import board_of_fen, board_of_list
from openenv_notebook.jupyter.show.numbers import number, read_array, summary
from openenv_notebook.jupyter.show.pictures import flat_shape, picture_in_bytes, picture_in_text, picture_of_pixels
from openenv_notebook.jupyter.show.plain import (
    about,
    as_fields,
    is_conversation,
    is_short,
    label,
    names,
    plain_value,
    short,
    short_item,
    speaker,
    spoken,
)
from openenv_notebook.values.known_secrets import shown_text
from openenv_notebook.values.secrets import HIDDEN, hides

_DEEPEST, _MOST_FIELDS, _MOST_ITEMS, _MOST_PICTURES = 5, 30, 20, 4
# All characters of a representation, and those of one text before and behind its fold.
_CHARACTERS, _SEEN, _FOLDED, _SEEN_LINES = 12_000, 1_200, 5_000, 16
_PICTURE_BYTES = 4_000_000
_LOOKS_LIKE_A_VALUE = re.compile(r"\s*|None|True|False|null|[+-]?[\d.]+(?:e[+-]?\d+)?|.*\s|\s.*", re.DOTALL)


class Describer:
    """Describes one value, fields that its server marked as secret hidden, and stops where a page is full."""

    def __init__(self, secrets: Container[str] | None = None) -> None:
        self._secrets = secrets
        self._left = _CHARACTERS
        self._pictures = 0
        self._picture_bytes = 0

    def value(
        self,
        value: Any,
        name: str = "",
        depth: int = 0,
        beside: Mapping[Any, Any] | None = None,
        was: Mapping[Any, Any] | None = None,
    ) -> Block:
        """Describe anything, bounded whatever it holds; what changed is marked.

        The name is that of the field it stands in, ``beside`` are all fields of that object, ``was`` the same fields as
        they were before; None marks nothing.
        """
        self._left -= 20
        if self._left < 0:
            return line(Span("…", "muted"))
        if hides(name, value, self._secrets):
            return line(Span(HIDDEN, "muted"))
        value = plain_value(value)
        before = was.get(name) if was is not None else None
        if isinstance(value, str):
            return self._text(name, value, before)
        if isinstance(value, bytes):
            return self._picture(picture_in_bytes(name, value)) or self._short(value)
        if isinstance(value, Mapping):
            return self._object(value, depth, as_fields(before))
        if isinstance(value, (list, tuple)):
            return self._list(value, name, depth, beside or {}, was)
        if isinstance(value, (int, float)):
            return line(Span(number(value), "code"))
        return line(Span("None", "muted")) if value is None else self._short(value)

    # Texts

    def _text(self, name: str, text: str, before: Any) -> Block:
        picture = self._picture(picture_in_text(name, text))
        if picture is not None:
            return picture
        text = shown_text(text, self._secrets)
        board = board_of_fen(text)
        if board is not None:
            earlier = board_of_fen(before) if isinstance(before, str) else None
            return Stack((line(Span(text, "code")), compared(board, earlier)))
        lines = text.count("\n") + 1
        if lines <= _SEEN_LINES and len(text) <= _SEEN:
            return self._whole_text(text)
        seen = "\n".join(text[:_SEEN].split("\n")[: _SEEN_LINES - 4])
        rest = text[:_FOLDED] + (f"\n… {len(text) - _FOLDED:,} more characters" if len(text) > _FOLDED else "")
        size = f"{lines} lines, {len(text):,} characters" if lines > 1 else f"{len(text):,} characters"
        return Stack((self._paragraph(f"{seen} …"), Fold(size, self._paragraph(rest))))

    def _whole_text(self, text: str) -> Block:
        if "\n" in text:
            return self._paragraph(text.rstrip("\n") or text)
        self._left -= len(text)
        return line(Span(repr(text), "code")) if _LOOKS_LIKE_A_VALUE.fullmatch(text) else line(text)

    def _paragraph(self, text: str) -> Block:
        text = text[: max(self._left, 80)]
        self._left -= len(text)
        return Paragraph(text)

    # Objects

    def fields(self, values: Mapping[Any, Any], depth: int = 0, was: Mapping[Any, Any] | None = None) -> Block:
        """Describe the fields of an object below each other: metadata last, those that are None in one row."""
        nothing = [str(name) for name, value in values.items() if value is None]
        shown = {key: value for key, value in values.items() if value is not None or len(nothing) < 2}
        if shown.get("metadata"):
            shown["metadata"] = shown.pop("metadata")
        rows = [
            (label(key), self.value(value, str(key), depth + 1, values, was))
            for key, value in list(shown.items())[:_MOST_FIELDS]
        ]
        changed = frozenset(label(key) for key, value in shown.items() if is_changed(key, value, was))
        if len(shown) > _MOST_FIELDS:
            rows.append(("…", line(Span(f"{len(shown) - _MOST_FIELDS} more fields", "muted"))))
        if len(nothing) > 1:
            rows.append(("None", line(Span(names(nothing), "muted"))))
        return Fields(tuple(rows), changed)

    def _object(self, values: Mapping[Any, Any], depth: int, was: Mapping[Any, Any] | None) -> Block:
        if not values:
            return line(Span("{}", "muted"))
        if depth == 0:
            return self.fields(values, was=was)
        if len(values) <= 4 and all(is_short(value) for value in values.values()):
            return self._in_a_line(values, was)
        if depth >= _DEEPEST:
            return self._short(values)
        inside = self.fields(values, depth, was)
        is_seen = depth == 1 and len(values) <= 8
        size = "1 field" if len(values) == 1 else f"{len(values)} fields"
        return inside if is_seen else Fold(f"{size}: {names(map(str, values))}", inside)

    def _in_a_line(self, values: Mapping[Any, Any], was: Mapping[Any, Any] | None) -> Block:
        rows = [(label(key), self.value(value, str(key), _DEEPEST)) for key, value in values.items()]
        changed = frozenset(label(key) for key, value in values.items() if is_changed(key, value, was))
        spans: list[Span] = []
        for name, block in rows:
            if not isinstance(block, Line):
                return Fields(tuple(rows), changed)
            spans += [Span("  ·  ", "muted")] if spans else []
            spans += [Span(f"{name} ", "strong" if name in changed else "muted"), *block.spans]
        return Line(tuple(spans))

    # Lists

    def _list(
        self, values: Sequence[Any], name: str, depth: int, beside: Mapping[Any, Any], was: Mapping[Any, Any] | None
    ) -> Block:
        if not values:
            return line(Span("[]", "muted"))
        before = plain_value(was.get(name)) if was is not None else None
        if is_conversation(values):
            return self._conversation(values, before if isinstance(before, (list, tuple)) else None)
        array = read_array(values)
        shape = array.shape if array is not None else ()
        if array is not None and len(shape) == 1:
            shape = flat_shape(name, len(values), beside) or shape
        board = board_of_list(name, values, shape)
        if board is not None:
            self._left -= sum(len(row) for row in board.cells) * 4
            return compared(board, board_of_list(name, before, shape))
        if array is not None and len(shape) in (2, 3):
            picture = self._picture(picture_of_pixels(name, array.values, shape))
            if picture is not None:
                return picture
        if array is not None and (len(array.values) > _MOST_ITEMS or len(array.shape) > 2):
            first = ", ".join(number(value) for value in array.values[:100])
            rest = f", … {len(array.values):,} in all" if len(array.values) > 100 else ""
            return Stack((line(*summary(array)), Fold("the numbers", self._paragraph(f"{first}{rest}"), is_more=True)))
        return self._items(values, depth)

    def _items(self, values: Sequence[Any], depth: int) -> Block:
        if all(is_short(value) for value in values[:100]):
            return self._short_items(values)
        if depth >= _DEEPEST:
            return self._short(values)
        shown = values[:_MOST_ITEMS]
        table = self._table(shown)
        rows = (
            [(str(place), self.value(value, "", depth + 1)) for place, value in enumerate(shown)] if not table else []
        )
        if len(values) > len(shown):
            rows.append(("…", line(Span(f"{len(values):,} in all", "muted"))))
        inside = Stack((table, Fields(tuple(rows)))) if table and rows else table or Fields(tuple(rows))
        return inside if table and len(values) <= 8 and depth <= 1 else Fold(about(values), inside)

    def _short_items(self, values: Sequence[Any]) -> Block:
        shown = ", ".join(short_item(value, self._secrets) for value in values[:_MOST_ITEMS])
        self._left -= len(shown)
        if len(values) <= _MOST_ITEMS:
            return line(Span(f"[{shown}]", "code"))
        more = ", ".join(short_item(value, self._secrets) for value in values[:200])
        more += ", …" if len(values) > 200 else ""
        return Stack(
            (
                line(Span(f"[{shown}, … {len(values):,} in all]", "code")),
                Fold(f"{len(values):,} in all", self._paragraph(more), is_more=True),
            )
        )

    def _table(self, values: Sequence[Any]) -> Table | None:
        """Make a table of objects with the same few short fields."""
        first = values[0]
        if not isinstance(first, Mapping) or not 1 <= len(first) <= 6:
            return None
        for value in values:
            if not isinstance(value, Mapping) or value.keys() != first.keys():
                return None
            if not all(is_short(item) for item in value.values()):
                return None
        rows = [tuple(self._cell(str(key), value[key]) for key in first) for value in values]
        numeric = [all(isinstance(value[key], (int, float)) for value in values) for key in first]
        columns = (Column(label(key), is_number) for key, is_number in zip(first, numeric, strict=True))
        return Table(tuple(columns), tuple(rows))

    def _cell(self, name: str, value: Any) -> str:
        if hides(name, value, self._secrets):
            return HIDDEN
        text = shown_text(value, self._secrets) if isinstance(value, str) else short_item(value, self._secrets)
        self._left -= len(text) + 10
        return text

    def _conversation(self, messages: Sequence[Mapping[str, Any]], before: Sequence[Any] | None) -> Block:
        def turn(place: int, message: Mapping[str, Any]) -> Turn:
            who, what = speaker(message)
            content = self.value(spoken(message[what]), "", 2)
            others = {key: value for key, value in message.items() if key not in (who, what) and value}
            said = Stack((content, self._short(others))) if others else content
            is_old = before is None or (place < len(before) and is_same(message, before[place]))
            return Turn(label(message[who]), said, not is_old)

        kept = list(enumerate(messages))[-_MOST_ITEMS // 2 :]
        return Talk(tuple(turn(place, message) for place, message in kept), len(messages) - len(kept))

    # Leaves

    def _picture(self, picture: Any) -> Block | None:
        if picture is None:
            return None
        self._pictures += 1
        self._picture_bytes += len(picture.data)
        if self._pictures > _MOST_PICTURES or self._picture_bytes > _PICTURE_BYTES:
            return line(Span("one more picture", "muted"))
        return picture  # type: ignore[no-any-return]

    def _short(self, value: Any) -> Block:
        text = short(value, secrets=self._secrets)[:400]
        self._left -= len(text)
        return line(Span(text, "code"))
