"""What Tab offers for an action, held against another's reading of its schema: it can be sent."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.json_texts import meaning
from support.judge import theirs
from support.recorded import schemas, shapes

from openenv_notebook.client.actions import wire_action
from openenv_notebook.client.known import Known
from openenv_notebook.jupyter.magic.arguments import read_payload, without_end
from openenv_notebook.jupyter.magic.completion import complete
from openenv_notebook.jupyter.magic.context import typed_values
from openenv_notebook.schema.reader import action_shape

_ODD = ["two words", "true", "1", "null", "", 'a "b"', "it's", "$x", "@x", "x=1", "y=1", "{", "[1]"]
_ODD += ["--fast", "#1", "a#b", "a;", "a,", "é", "\\n", "\u2028", "\n", "'x'"]


def one(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of an action with one required field."""
    return {"type": "object", "properties": {"x": part}, "required": ["x"]}


SCHEMAS: dict[str, Any] = {
    **shapes(),
    **{name: told["action"] for name, told in schemas().items() if "action" in told},
    "odd words": one({"enum": _ODD}),
    "mixed": one({"enum": ["a b", 1, "1", True, "true", None, 1.5, "null"]}),
    "nullable": one({"anyOf": [{"enum": ["on", "off now"]}, {"type": "null"}]}),
    "union": one({"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 1, "maximum": 3}]}),
    "exclusive": one({"type": "integer", "exclusiveMinimum": 0, "maximum": 9, "multipleOf": 3}),
    "lists": one({"enum": [[1, 2], {"a": "b c"}, "x"]}),
    "odd names": {"type": "object", "properties": {"a.b": {"type": "boolean"}, "c d": {}, "e-f": {"type": "boolean"}}},
}


def offered(schema: Any, typed: str) -> list[str]:
    """What Tab offers behind ``%openenv step``."""
    clients = {"env": SimpleNamespace(known=Known(schema={"action": schema}))}  # type: ignore[arg-type]
    workspace: Any = SimpleNamespace(clients=lambda: clients, current="env", servers={}, namespace={})
    found = complete(workspace, f"%openenv step {typed}")
    assert found is not None
    return found[1]


def sent(schema: Any, line: str) -> dict[str, Any]:
    """The action that a line would send."""
    shape = action_shape(schema)
    payload = read_payload("step", without_end(line), {}).payload
    return wire_action(typed_values(payload, shape, lambda name: pytest.fail(f"{name} is asked for")), shape)


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_completion_can_be_sent(name: str) -> None:
    """A value that is offered, alone or behind its field's name, is one that the schema takes."""
    schema = SCHEMAS[name]
    for completion in offered(schema, ""):
        if completion.endswith("="):
            field = completion.removesuffix("=")
            assert field in str(schema)
            for value in offered(schema, completion):
                made = sent(schema, f"{completion}{value}")
                assert list(made) == [field]
                if field in schema.get("properties", {}):
                    assert theirs(schema, made[field], field) == [], (completion, value)
        else:
            assert theirs(schema, sent(schema, completion)) == [], completion


WANTED = {
    "odd words": _ODD,
    "mixed": ["a b", 1, "1", True, "true", 1.5, "null", None],
    "nullable": ["on", "off now", None],
    "union": [False, True, 1, 2, 3],
    "exclusive": [3, 6, 9],
    "lists": [[1, 2], {"a": "b c"}, "x"],
}


@pytest.mark.parametrize("name", WANTED)
def test_every_value_is_offered(name: str) -> None:
    """What is offered means all the values there are, each told from the others; alone stands no object."""
    behind = [sent(SCHEMAS[name], f"x={each}")["x"] for each in offered(SCHEMAS[name], "x=")]
    alone = [sent(SCHEMAS[name], each)["x"] for each in offered(SCHEMAS[name], "") if each != "x="]
    assert meaning(behind) == meaning(WANTED[name])
    assert meaning(alone) == meaning([value for value in WANTED[name] if not isinstance(value, dict)])


def test_a_name_that_no_line_can_hold_is_not_offered() -> None:
    """Fields whose names are no words of a line are left for JSON."""
    assert offered(SCHEMAS["odd names"], "") == ["e-f="]


def test_tab_reads_no_file(tmp_path: Path) -> None:
    """A server that lists the name of a file has none of it read."""
    (tmp_path / "pin").write_text("1")
    quoted, _ = offered(one({"enum": [f"@{tmp_path}/pin", "1"]}), "x=")
    assert sent(one({}), f"x={quoted}") == {"x": f"@{tmp_path}/pin"}
