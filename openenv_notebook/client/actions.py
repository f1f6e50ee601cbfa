"""What a person gives to ``step`` -> the fields that travel; and better words where the server refused them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from openenv_notebook.schema.action import SELDOM, action_fields, given_fields, named
from openenv_notebook.schema.encode import encoded
from openenv_notebook.schema.shapes import Const, Path, Shape
from openenv_notebook.schema.tool import Tool, arguments_of
from openenv_notebook.values.errors import InvalidAction, MisuseError
from openenv_notebook.values.text import nearest
from openenv_notebook.values.to_json import fields_of, is_record

# What people write into a call as they would elsewhere.
OPTIONS = ("timeout", "timeout_s", "message_timeout_s")


class _NotGiven:
    def __repr__(self) -> str:
        return "..."


NOT_GIVEN: Final = _NotGiven()


def given_action(action: Any, fields: Mapping[str, Any]) -> Any:
    """Find the action among the arguments of ``step``; without any it is an action without fields.

    A field may itself be called "action": ``step(action=X)`` alone is the action when X is a record (a dict, a model
    or a dataclass), else X is that field. Raises MisuseError if both the action and fields were given.
    """
    if action is not NOT_GIVEN:
        if fields:
            raise MisuseError(
                f"give the action, or its fields as keywords, not both (got both and {', '.join(fields)})",
                hint="options of a call go into options(): env.options(timeout=5).step(...)",
            )
        return action
    if set(fields) == {"action"} and is_record(fields["action"]):
        return fields["action"]
    return dict(fields)


def is_bare(action: Any) -> bool:
    """Tell whether an action is one value without a name; only the schema knows its field."""
    return not (action is NOT_GIVEN or is_record(action))


def listed(given: Any, call: str, what: str) -> list[Any]:
    """Make a new list of the actions or clients (``what``) that were given to ``call``.

    Raises MisuseError for what cannot be gone through, and for one record, text or bytes: it would be taken apart
    without a word.
    """
    alone = isinstance(given, (str, bytes, bytearray, memoryview)) or is_record(given)
    try:
        if not alone:
            return list(iter(given))
    except TypeError:
        pass  # said below
    raise MisuseError(
        f"{call}() needs a list of {what}, not a {type(given).__name__}", hint="one alone stands in brackets: [x]"
    ) from None


def wire_action(action: Any, schema: Shape | None, tools: Sequence[Tool] | None = None) -> dict[str, Any]:
    """Make the action's fields that travel, by name, not yet JSON; ``schema`` is None where it is not known.

    The ``tools`` are those that are known: an action that calls one has its arguments written as it takes them. A bare
    value is for an environment with exactly one required field. Raises MisuseError where that is not so, and
    InvalidAction, with the nearest name, for a field that the schema does not know.
    """
    given = action if type(action) is dict or is_record(action) else _fields_for(action, schema)
    if schema is not None and schema.says_encoding:
        given = encoded(given, schema)
    fields = fields_of(given)
    if tools and fields.get("type") == "call_tool":
        arguments = given.get("arguments") if isinstance(given, Mapping) else getattr(given, "arguments", None)
        if isinstance(arguments, Mapping):
            fields["arguments"] = wire_arguments(fields.get("tool_name"), arguments, tools, ("arguments",))
    names = schema.field_names if schema is not None else None
    if schema is not None and names is not None and not names.issuperset(fields):
        _refuse_unknown(fields, schema)
    return fields


def wire_arguments(
    name: object, arguments: Mapping[str, Any], tools: Sequence[Tool] | None, path: Path = ()
) -> dict[str, Any]:
    """Make the arguments of a tool that travel, bytes in them written as its schema says, where that is known.

    Raises InvalidAction, naming the place, for bytes that the tool cannot take.
    """
    tool = next((tool for tool in tools or () if tool.name == name), None)
    takes = arguments_of(tool) if tool is not None else None
    return fields_of(encoded(arguments, takes, path) if takes is not None and takes.says_encoding else arguments)


def _fields_for(value: Any, schema: Shape | None) -> dict[str, Any]:
    kind = type(value).__name__
    if schema is None:
        raise MisuseError(
            f"a bare {kind} is no action here: the server tells no schema, so its field must be named",
            hint="name the field: env.step(field=value)",
        )
    fields = named(schema, value)
    if fields is not None:
        return fields
    raise MisuseError(
        f"a bare {kind} is no action here: this environment has no single required field",
        hint=f"name the fields: env.step({', '.join(f'{field.name}=...' for field in given_fields(schema))})",
    )


def _refuse_unknown(fields: Mapping[str, Any], schema: Shape) -> None:
    known = [field.name for field in action_fields(schema)]
    unknown = [name for name in fields if name not in known]
    # Tools of an MCP environment are actions of their own, beside its schema.
    if fields.get("type") in ("call_tool", "list_tools"):
        return
    lines = [f"{name}: no such field{nearest(name, known)}" for name in unknown]
    hint = f"{_fields_hint(known)}{_option_hint(unknown)}"
    raise InvalidAction("it has a field this environment does not know", errors=lines, hint=hint)


def _fields_hint(names: Iterable[str]) -> str:
    return f"fields: {', '.join(name for name in names if name != SELDOM) or 'none'}"


def _option_hint(unknown: Iterable[str]) -> str:
    """Say where an option of the call stands that was given among the fields; "" where none was."""
    meant = next((name for name in unknown if name in OPTIONS), None)
    return f"; {meant} is no field but an option: env.options(timeout=5).step(...)" if meant else ""


def with_suggestions(error: InvalidAction, schema: Shape | None) -> InvalidAction:
    """Add the nearest names to a refusal's lines about unknown fields, and the fields there are.

    Returns the same error; the schema is None where the server tells none.
    """
    wrong = error.details.get("errors")
    if not isinstance(wrong, list):
        return error
    refused = [item if isinstance(item, dict) and item.get("type") == "extra_forbidden" else {} for item in wrong]
    if option := _option_hint([str(item["loc"][-1]) for item in refused if item.get("loc")]):
        error.hint = f"{error.hint}{option}" if error.hint else option.removeprefix("; ")
    names = [field.name for field in action_fields(schema) if not isinstance(field, Const)]
    for number, item in enumerate(refused[: len(error.errors)] if schema is not None else ()):
        place = item.get("loc")
        if place and len(place) == 1:
            name = str(place[0])
            near = "; the server's schema names it" if name in names else nearest(name, names)
            error.errors[number] = f"{name}: no such field{near}"
    if names and (error.hint == InvalidAction.default_hint or option):
        error.hint = f"{_fields_hint(names)}{option}"
    return error
