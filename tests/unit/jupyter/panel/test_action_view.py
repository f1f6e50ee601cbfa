"""The action in the panel: tools, the form and the call that Step makes."""

from __future__ import annotations

from support.secret_pins import PIN, env_of
from support.waiting import eventually
from support.wire import FarEnd, error_frame, result_frame

from openenv_notebook.schema.tool import Tool

from .conftest import MakePanel, PanelOf, fields

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


def test_a_tool_is_chosen_filled_in_and_called(panel_of: PanelOf, far_end: FarEnd) -> None:
    """An MCP environment has its tools to choose from, a form each; Step calls the tool, and its output is shown."""
    far_end.policy = lambda request: result_frame(
        {"tool_name": "echo", "result": request["data"]["arguments"]} if request["type"] == "step" else {}
    )
    tools = [
        Tool(name="echo", description="Say it again", input_schema=TOOL),
        Tool(name="none", description="", input_schema={"type": "object", "properties": {}}),
    ]
    hands = panel_of(CALLS, tools)
    assert hands.labels("Tool") == ("echo · Say it again", "none")
    assert "env.call_tool('echo', message=…)" in hands.sends
    hands.panel.form.set({"message": "hi"})
    hands.carry_out("Step ▸")
    assert far_end.steps == [{"type": "call_tool", "tool_name": "echo", "arguments": {"message": "hi"}}]
    assert hands.rows[0].startswith("1 you echo(message='hi')")
    assert "hi" in hands.seen
    hands.fill("Tool", "none")
    hands.expect(sends="env.call_tool('none')")


def test_an_environment_with_tools_and_actions_has_both(panel_of: PanelOf, far_end: FarEnd) -> None:
    """Where an action is more than calling a tool, the action itself can be chosen as well."""
    hands = panel_of({"oneOf": [fields("move"), CALLS]}, [Tool(name="echo", description="", input_schema=TOOL)])
    itself, tool = hands.labels("Tool")
    assert itself.startswith("step") and tool == "echo"
    assert "env.step(" in hands.sends
    hands.fill("Tool", tool)
    hands.expect(sends="env.call_tool('echo', message=…)")
    hands.fill("Tool", itself)
    hands.expect(sends="env.step(")


def test_a_tool_s_output_is_seen_without_its_envelope(panel_of: PanelOf, far_end: FarEnd) -> None:
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
    hands = panel_of(CALLS, [Tool(name="add", description="", input_schema={"type": "object", "properties": {}})])
    hands.carry_out("Step ▸")
    assert "sum" in hands.seen and "5" in hands.seen
    assert "structured_content" not in hands.seen


def test_step_with_something_missing_says_what(panel_of: PanelOf, far_end: FarEnd) -> None:
    """Step on an incomplete form sends nothing, and names the field."""
    hands = panel_of(fields("word"))
    hands.press("Step ▸")
    hands.expect(said="word: is required")
    assert hands.is_alarmed
    assert far_end.steps == []


def test_an_environment_without_fields_is_stepped_at_once(panel_of: PanelOf, far_end: FarEnd) -> None:
    """An action without fields needs nothing but Step."""
    hands = panel_of({"type": "object", "properties": {}, "additionalProperties": False})
    assert "env.step()" in hands.sends
    hands.carry_out("Step ▸")
    assert far_end.steps == [{}]


def test_what_was_edited_last_is_sent(panel_of: PanelOf, far_end: FarEnd) -> None:
    """Filling the form, by hand or by set(), empties the Move box: what is shown and sent is the newer one."""
    hands = panel_of(fields("guess", kind="integer"))
    for fill in (lambda: hands.fill("guess", "5"), lambda: hands.panel.form.set({"guess": 6})):
        hands.fill("Move", "77")
        hands.expect(sends="guess=77")
        fill()
        assert hands.value("Move") == ""
        hands.carry_out("Step ▸")
    assert far_end.steps == [{"guess": 5}, {"guess": 6}]


def test_a_reason_goes_with_what_it_was_said_of(panel_of: PanelOf, far_end: FarEnd) -> None:
    """What was said of an incomplete action is taken back by the next edit."""
    hands = panel_of(fields("guess", kind="integer"))
    hands.enter("Move", "word")
    eventually(lambda: hands.is_alarmed)
    hands.panel.form.set({"guess": 5})
    eventually(lambda: not hands.is_alarmed)
    assert far_end.steps == []


def test_a_refusal_of_the_server_stays_until_a_step(panel_of: PanelOf, far_end: FarEnd) -> None:
    """What the server said of an action is still read while it is edited, and gone once a step was made."""
    hands = panel_of(fields("guess", kind="integer"))
    usual, errors = far_end.policy, [{"loc": ["guess"], "msg": "too far", "type": "value_error"}]
    far_end.policy = lambda request: error_frame("VALIDATION_ERROR", "Invalid action", errors=errors)
    hands.panel.form.set({"guess": 5})
    hands.carry_out("Step ▸")
    hands.panel.form.set({"guess": 6})
    hands.expect(sends="guess=6", said="guess: too far")
    far_end.policy = usual
    hands.carry_out("Step ▸")
    assert "too far" not in hands.said and not hands.is_alarmed


def test_a_password_by_schema_is_a_secret(panel_of: PanelOf, far_end: FarEnd) -> None:
    """A field that the schema marks as secret is in no text of the panel, whatever its name."""
    far_end.policy = lambda request: result_frame({})
    hands = panel_of(fields("word") | {"properties": {"word": {"type": "string", "format": "password"}}})
    assert not hands.is_seen("Move")
    hands.panel.form.set({"word": "s3cret"})
    hands.expect(sends="os.environ")
    hands.carry_out("Step ▸")
    assert far_end.steps == [{"word": "s3cret"}]
    texts = (hands.panel.python(), hands.sends, *hands.rows, hands.panel.client.episode.to_jsonl())
    assert not any("s3cret" in text for text in texts)


def test_two_panels_hide_what_their_own_servers_mark(make_panel: MakePanel) -> None:
    """A PIN that one server marks as a password is in no text of its panel; another server's panel shows its own."""
    texts = []
    for is_secret in (True, False):
        env = env_of(is_secret=is_secret)
        hands = make_panel(env)
        hands.panel.form.set({"pin": PIN})
        hands.expect(sends="pin=")
        drawn = hands.seen
        hands.press("Raw")
        hands.expect(seen='"echo"')
        texts.append([hands.sends, "".join(hands.rows), hands.panel.python(), hands.seen, drawn])
        env.close()
    hidden, shown = texts
    assert not any(PIN in text for text in hidden)
    assert all(PIN in text for text in shown)
