"""The verbs of a session: reset, step, state, tools, call, schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.client.learnt import action_schema
from openenv_notebook.client.tools import tool_signature
from openenv_notebook.jupyter.magic.arguments import no_words, read_payload, read_words, split_verb, without_end
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.python_twin import keywords, literal
from openenv_notebook.jupyter.magic.tokens import Line, Typed
from openenv_notebook.jupyter.magic.verbs.verb import SESSION, Verb
from openenv_notebook.jupyter.magic.workspace import AnyClient
from openenv_notebook.jupyter.show import status_lines
from openenv_notebook.schema.action import action_fields, named, only_required_field, takes_text
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.schema.tool import Tool, arguments_of
from openenv_notebook.values.errors import NotSupportedHere
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.text import nearest

_RESET = {**SESSION, "seed": "text"}
# What the official reset takes in every environment.
_RESET_TAKES = ("seed", "episode_id")
_BODY = {**SESSION, "field": "text", "json": "flag"}


def reset(context: Context, rest: str) -> Any:
    """Begin an episode."""
    line = read_payload("reset", rest, _RESET)
    name, client = context.client(line)
    payload = context.values(line.payload, None, f"{name}.reset(", client.known.secrets)
    if not isinstance(payload, Mapping):
        raise UsageError(f"reset takes named arguments: %openenv reset seed=7, not {payload!r}")
    arguments = {**payload, **_seed(line, payload)}
    _tell_of_unknown(context, name, client, arguments)
    context.twin = f"{name}.reset({keywords(arguments, client.known.secrets)})"
    return context.out(line, client.reset(**arguments))


def _seed(line: Line, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Read ``--seed 7``, which people type as often as ``seed=7``."""
    if "seed" not in line.options:
        return {}
    if "seed" in payload:
        raise UsageError("seed is given twice; write it once: %openenv reset seed=7")
    try:
        return {"seed": int(line.options["seed"])}
    except ValueError:
        raise UsageError(f"--seed takes a whole number, not {line.options['seed']!r}: --seed 7") from None


def _tell_of_unknown(context: Context, name: str, client: AnyClient, arguments: Mapping[str, Any]) -> None:
    """Say once what the server may drop without a word: arguments that its schema does not name."""
    schema = client.known.schema
    fields = action_fields(action_shape(schema.get("reset"))) if schema is not None else ()
    unknown = [key for key in arguments if key not in (*_RESET_TAKES, *(field.name for field in fields))]
    fresh = [key for key in unknown if (name, client.base_url, key) not in context.told]
    if fresh:
        context.told.update((name, client.base_url, key) for key in fresh)
        what = "it is" if len(fresh) == 1 else "they are"
        context.say(
            f"the server's schema does not name {', '.join(fresh)}; where its reset takes no such thing {what} ignored"
        )


def step(context: Context, rest: str) -> Any:
    """Act."""
    line = read_payload("step", rest, SESSION)
    name, client = context.client(line)
    schema = action_schema(client)
    action = context.values(line.payload, schema, f"{name}.step(", client.known.secrets)
    return _stepped(context, line, name, client, action)


def step_body(context: Context, rest: str, cell: str) -> Any:
    """Act with a cell's body: the text of a field byte for byte, else JSON."""
    line = read_payload("step", rest, _BODY)
    if line.payload is not None:
        raise UsageError("%%openenv step takes its payload from the cell's body; the first line is for options only")
    # IPython ends every cell with a line end that the person did not type.
    body = cell[:-1] if cell.endswith("\n") else cell
    if not body.strip():
        raise UsageError(
            'the body is blank, and nothing is sent; an empty text is %openenv step FIELD="", no fields are {}'
        )
    name, client = context.client(line)
    schema = action_schema(client)
    field = line.options.get("field") or context.workspace.fields.get(name) or _text_field(schema)
    if field is not None and not line.options.get("json"):
        return _stepped(context, line, name, client, {field: body})
    payload = read_payload("step", without_end(body), {}).payload
    if payload is None:
        raise UsageError("the body holds comments alone, and nothing is sent; an action without fields is {}")
    if isinstance(payload, Typed) and only_required_field(schema) is None:
        raise UsageError(f"the body is no JSON object: {short_repr(body)}; to send it as text: %%openenv --field NAME")
    return _stepped(context, line, name, client, context.values(payload, schema, f"{name}.step(", client.known.secrets))


def _stepped(context: Context, line: Line, name: str, client: AnyClient, action: Any) -> Any:
    context.twin = f"{name}.step({literal(action, secrets=client.known.secrets)})"
    result = client.step(action)
    ended = status_lines.result_line(client)
    if ended:
        context.say(ended)
    return context.out(line, result)


def _text_field(schema: Shape | None) -> str | None:
    """Name the only required field, where it takes text."""
    field = only_required_field(schema)
    return field.name if field is not None and takes_text(field) else None


def state(context: Context, rest: str) -> Any:
    """Read the state."""
    line = no_words(read_words("state", rest, SESSION))
    name, client = context.client(line)
    context.twin = f"{name}.state()"
    return context.out(line, client.state())


def tools(context: Context, rest: str) -> Any:
    """List the tools."""
    line = no_words(read_words("tools", rest, SESSION))
    name, client = context.client(line)
    context.twin = f"{name}.list_tools()"
    found = client.list_tools()
    if not found:
        context.say(f"{name} has no tools")
    return context.out(line, found)


def call(context: Context, rest: str) -> Any:
    """Call a tool."""
    options, rest = _leading_options(rest)
    tool_name, rest = split_verb(rest)
    if not tool_name:
        raise UsageError("call takes a tool's name and its arguments: %openenv call echo_message message=hello")
    line = read_payload("call", f"{options} {rest}", SESSION)
    name, client = context.client(line)
    tool = _tool(client, tool_name)
    takes = arguments_of(tool) if tool is not None else None
    # A foreign client knows of none.
    secrets = getattr(getattr(client, "known", None), "secrets", None)
    arguments = context.values(line.payload, takes, f"{name}.call_tool({tool_name!r}, ", secrets)
    if not isinstance(arguments, Mapping):
        arguments = named(takes, arguments)
        if arguments is None:
            signature = tool_signature(tool) if tool is not None else "(name=value …)"
            raise UsageError(f"{tool_name} takes named arguments: {tool_name}{signature}")
    context.twin = f"{name}.call_tool({tool_name!r}, {keywords(arguments, secrets)})".replace(", )", ")")
    return context.out(line, client.call_tool(tool_name, **arguments))


def _leading_options(rest: str) -> tuple[str, str]:
    """Take ``--on NAME`` and the like off the front, so that the tool's name comes first."""
    taken = []
    words = rest.split()
    while words and words[0].startswith("--"):
        width = 1 if "=" in words[0] else 2
        taken += words[:width]
        for word in words[:width]:
            rest = rest.lstrip()[len(word) :]
        words = words[width:]
    return " ".join(taken), rest.strip()


def _tool(client: AnyClient, name: str) -> Tool | None:
    """Find a tool; None where the server tells of none unless a step is made."""
    try:
        found = client.list_tools()
    except NotSupportedHere:
        return None
    tool = next((tool for tool in found if tool.name == name), None)
    if tool is None:
        names = [tool.name for tool in found]
        raise UsageError(
            f"no tool {name!r}{nearest(name, names)} (tools: {', '.join(names) or 'none'}); %openenv tools"
        )
    return tool


def schema(context: Context, rest: str) -> Any:
    """Show the action's fields."""
    line = no_words(read_words("schema", rest, SESSION))
    name, client = context.client(line)
    context.twin = f"{name}.schema()"
    return context.out(line, client.schema())


VERBS = (
    Verb("reset", "[key=value … | JSON]", "begin an episode", ("reset", "reset seed=7"), reset, _RESET),
    Verb(
        "step",
        "[value | key=value … | JSON | $name]",
        "act; %%openenv takes the cell's body as the text of the only required text field, else JSON",
        ("step right", "step column=3", 'step {"column": 3}', "step $action"),
        step,
        SESSION,
        step_body,
        {"field": "text", "json": "flag"},
        (
            "in \"double quotes\" \\n, \\t and the like mean what they mean in JSON; in 'single quotes' and without",
            "quotes nothing is decoded, and a text field takes the characters as they are typed",
        ),
    ),
    Verb("state", "", "read the environment's state", ("state",), state, SESSION),
    Verb("schema", "", "show the fields of an action", ("schema",), schema, SESSION),
    Verb("tools", "", "list the tools of an MCP environment", ("tools",), tools, SESSION),
    Verb(
        "call",
        "TOOL [key=value … | JSON]",
        "call a tool",
        ("call echo_message message=hello",),
        call,
        SESSION,
        notes=("echo_message is a tool of the official echo environment; %openenv tools lists those of yours",),
    ),
)
