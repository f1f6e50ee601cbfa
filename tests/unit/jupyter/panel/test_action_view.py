"""The action in the panel: tools, legal moves, the form and the call that Step makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.front_end import click, edit, enter
from support.secret_pins import PIN, env_of
from support.waiting import eventually
from support.wire import FarEnd, result_frame

from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import attribute_dict

from .conftest import Env, move, rows, said, seen, sends, settled

TOOL = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
CALLS = {
    "title": "CallToolAction",
    "type": "object",
    "properties": {
        "type": {"const": "call_tool", "default": "call_tool"},
        "tool_name": {"type": "string"},
        "arguments": {"type": "object", "additionalProperties": True},
    },
    "required": ["tool_name"],
}


def of(*fields: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    """A schema of required fields of one type."""
    return {"type": "object", "properties": {name: {"type": kind} for name in fields} | more, "required": list(fields)}


@pytest.fixture
def panel_of(env: Env, make_panel: Callable[..., Panel]) -> Callable[..., Panel]:
    """Makes the panel of an environment with a schema of its own, reset."""

    def make(schema: dict[str, Any], tools: list[Tool] | None = None) -> Panel:
        env.known.schema = None
        env.known.take_schema(attribute_dict({"action": schema}))
        if tools is not None:
            env.known.take_tools(tools)
        env.reset()
        return make_panel(env)

    return make


def test_a_tool_is_chosen_filled_in_and_called(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """An MCP environment has its tools to choose from, a form each; Step calls the tool, and its output is shown."""
    far_end.policy = lambda request: result_frame(
        {"tool_name": "echo", "result": request["data"]["arguments"]} if request["type"] == "step" else {}
    )
    tools = [
        Tool(name="echo", description="Say it again", input_schema=TOOL),
        Tool(name="none", description="", input_schema={"type": "object", "properties": {}}),
    ]
    panel = panel_of(CALLS, tools)
    assert [value for _, value in panel._controller.actions._tool.options] == ["echo", "none"]
    assert "env.call_tool(&#x27;echo&#x27;, message=…)" in sends(panel)
    panel.form.set({"message": "hi"})
    click(panel._controller.actions.step_button)
    settled(panel)
    assert far_end.steps == [{"type": "call_tool", "tool_name": "echo", "arguments": {"message": "hi"}}]
    assert rows(panel)[0].startswith("1 you echo(message='hi')")
    assert "hi" in seen(panel)
    edit(panel._controller.actions._tool, "none")
    eventually(lambda: "env.call_tool(&#x27;none&#x27;)" in sends(panel))


def test_an_environment_with_tools_and_actions_has_both(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """Where an action is more than calling a tool, the action itself can be chosen as well."""
    schema = {"oneOf": [of("move"), CALLS]}
    panel = panel_of(schema, [Tool(name="echo", description="", input_schema=TOOL)])
    assert [value for _, value in panel._controller.actions._tool.options] == ["", "echo"]


def test_a_move_for_one_of_two_fields_is_filled_in_only(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """With two fields that take the legal values a click fills one in and does not step."""
    far_end.policy = lambda request: result_frame({"legal_moves": ["a1", "b2"]})
    panel = panel_of(of("source", "target"))
    click(move(panel, "a1"))
    panel._publisher.flush_on_events_thread()
    assert panel.form.value == {"source": "a1"}
    click(move(panel, "b2"))
    panel._publisher.flush_on_events_thread()
    assert panel.form.value == {"source": "a1", "target": "b2"}
    assert far_end.steps == []
    click(panel._controller.actions.step_button)
    settled(panel)
    assert far_end.steps == [{"source": "a1", "target": "b2"}]


def test_many_legal_moves_are_completed(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """More than twelve legal moves are one box with completion, where Enter steps."""
    moves = [f"{file}{rank}" for file in "abcd" for rank in range(1, 5)]
    far_end.policy = lambda request: result_frame({"legal_moves": moves})
    panel = panel_of(of("move"))
    box = panel._controller.actions._moves.box
    assert list(box.options) == moves
    assert panel._controller.actions._moves.row.layout.display == "none"
    edit(box, "c3")
    enter(box)
    settled(panel)
    assert far_end.steps == [{"move": "c3"}]


def test_legal_numbers_go_out_as_numbers(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """A button sends the value as the environment listed it, not its text."""
    far_end.policy = lambda request: result_frame({"legal_actions": [0, 5]})
    panel = panel_of(of("action_id", kind="integer"))
    click(move(panel, "5"))
    settled(panel)
    assert far_end.steps == [{"action_id": 5}]
    assert panel._controller.actions._moves._buttons[1]._dom_classes[-1] == "openenv-chosen"


def test_a_legal_move_waits_for_what_else_is_required(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """Where another field is missing, a click fills its own in and says what is missing."""
    far_end.policy = lambda request: result_frame({"legal_actions": [1, 2]})
    schema = of("column", kind="integer", note={"type": "string", "minLength": 2})
    schema["required"].append("note")
    panel = panel_of(schema)
    click(move(panel, "2"))
    panel._publisher.flush_on_events_thread()
    assert far_end.steps == []
    assert "note" in sends(panel)
    panel.form.set({"column": 2, "note": "go"})
    click(panel._controller.actions.step_button)
    settled(panel)
    assert far_end.steps == [{"column": 2, "note": "go"}]


def test_step_with_something_missing_says_what(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """Step on an incomplete form sends nothing, and names the field."""
    panel = panel_of(of("word"))
    click(panel._controller.actions.step_button)
    panel._publisher.flush_on_events_thread()
    assert far_end.steps == []
    assert "word: is required" in said(panel)
    assert 'role="alert"' in said(panel)


def test_a_server_without_a_schema_takes_json(env: Env, make_panel: Callable[..., Panel], far_end: FarEnd) -> None:
    """Where the server tells no schema, fields are typed as key=value or JSON."""
    env.known.schema = attribute_dict({})
    env.known.tools = []
    env.reset()
    panel = make_panel(env)
    box = panel._controller.actions._moves.box
    edit(box, "go=3")
    enter(box)
    settled(panel)
    assert far_end.steps == [{"go": 3}]


def test_an_environment_without_fields_is_stepped_at_once(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """An action without fields needs nothing but Step."""
    panel = panel_of({"type": "object", "properties": {}, "additionalProperties": False})
    assert "env.step()" in sends(panel)
    click(panel._controller.actions.step_button)
    settled(panel)
    assert far_end.steps == [{}]


def test_what_was_edited_last_is_sent(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """Filling the form, by hand or by set(), empties the Move box: what is shown and sent is the newer one."""
    panel = panel_of(of("guess", kind="integer"))
    edit(panel._controller.actions._moves.box, "77")
    eventually(lambda: "guess=77" in sends(panel))
    panel.form.set({"guess": 5})
    eventually(lambda: "guess=5" in sends(panel))
    assert panel._controller.actions._moves.box.value == ""
    click(panel._controller.actions.step_button)
    settled(panel)
    assert far_end.steps == [{"guess": 5}]


def test_a_move_is_checked_before_it_is_sent(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """What the schema refuses is refused in the Move box too: bounds, kinds, missing and unknown fields."""
    schema = of("guess", kind="integer")
    schema["properties"]["guess"] |= {"minimum": 1, "maximum": 100}
    panel = panel_of(schema | {"additionalProperties": False})
    box = panel._controller.actions._moves.box
    for wrong in ("1000", "word", '{"other": 3}', "guess=0"):
        edit(box, wrong)
        enter(box)
        panel._publisher.flush_on_events_thread()
        assert 'role="alert"' in said(panel), wrong
        assert box.value == wrong
    assert far_end.steps == []


def test_buttons_keep_their_places(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """Where a field has few values each keeps its button; what is not legal now is disabled, also at the end."""
    legal = iter((["left", "down"], ["up"], []))
    far_end.policy = lambda request: result_frame({"legal_actions": next(legal)})
    choices = ["up", "down", "left", "right"]
    schema = {"type": "object", "properties": {"direction": {"enum": choices}}, "required": ["direction"]}
    panel = panel_of(schema)
    seen = []
    for click_on in ("left", "up", None):
        panel._publisher.flush_on_events_thread()
        buttons = [made for made in panel._controller.actions._moves._buttons if made.layout.display != "none"]
        assert [made.description for made in buttons] == choices
        seen.append([made.description for made in buttons if not made.disabled])
        assert panel.form.widget.layout.display == "none"
        if click_on is not None:
            click(move(panel, click_on))
            settled(panel)
    assert seen == [["down", "left"], ["up"], []]


def test_a_tool_s_output_is_seen_without_its_envelope(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """What a tool gave is shown under its name, not the lists and flags it travels in."""
    result = {
        "content": [{"type": "text", "text": '{"sum":5}'}],
        "structured_content": {"sum": 5},
        "meta": None,
        "data": {"sum": 5},
        "is_error": False,
    }
    far_end.policy = lambda request: result_frame(
        {"tool_name": "add", "result": result, "error": None} if request["type"] == "step" else {}
    )
    panel = panel_of(CALLS, [Tool(name="add", description="", input_schema={"type": "object", "properties": {}})])
    click(panel._controller.actions.step_button)
    settled(panel)
    assert "sum" in seen(panel) and "5" in seen(panel)
    assert "structured_content" not in seen(panel)


def test_a_password_by_schema_is_a_secret(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """A field that the schema marks as secret is in no text of the panel, whatever its name."""
    schema = of("word") | {"properties": {"word": {"type": "string", "format": "password"}}}
    far_end.policy = lambda request: result_frame({})
    panel = panel_of(schema)
    assert panel._controller.actions._moves.box.layout.display == "none"
    panel.form.set({"word": "s3cret"})
    eventually(lambda: "os.environ" in sends(panel))
    click(panel._controller.actions.step_button)
    settled(panel)
    assert far_end.steps == [{"word": "s3cret"}]
    assert "s3cret" not in panel.python() + sends(panel) + "".join(rows(panel)) + panel.client.episode.to_jsonl()


def test_a_reason_goes_with_what_it_was_said_of(panel_of: Callable[..., Panel], far_end: FarEnd) -> None:
    """What was said of an incomplete action is taken back by the next edit; a server's refusal stays until a step."""
    panel = panel_of(of("guess", kind="integer"))
    edit(panel._controller.actions._moves.box, "word")
    enter(panel._controller.actions._moves.box)
    eventually(lambda: 'role="alert"' in said(panel))
    panel.form.set({"guess": 5})
    eventually(lambda: 'role="alert"' not in said(panel))


def test_two_panels_hide_what_their_own_servers_mark(make_panel: Callable[..., Panel]) -> None:
    """A PIN that one server marks as a password is in no text of its panel; another server's panel shows its own."""
    hiding, showing = env_of(is_secret=True), env_of(is_secret=False)
    texts = []
    for env in (hiding, showing):
        panel = make_panel(env)
        panel.form.set({"pin": PIN})
        panel._publisher.flush_on_events_thread()
        drawn = seen(panel)
        click(panel._observation._raw)
        panel._publisher.flush_on_events_thread()
        texts.append([sends(panel), "".join(rows(panel)), panel.python(), seen(panel), drawn])
        env.close()
    hidden, shown = texts
    assert not any(PIN in text for text in hidden)
    assert all(PIN in text for text in shown)
