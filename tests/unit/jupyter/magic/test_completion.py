"""Tab in a line of %openenv."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from openenv_notebook.client.known import Known
from openenv_notebook.jupyter.magic.completion import complete
from openenv_notebook.schema.tool import Tool

SCHEMA = {
    "action": {
        "properties": {
            "metadata": {"type": "object"},
            "direction": {"enum": ["up", "down", "left"], "type": "string"},
            "fast": {"type": "boolean", "default": False},
            "column": {"type": "integer", "minimum": 0, "maximum": 2},
            "mood": {"anyOf": [{"$ref": "#/$defs/Mood"}, {"type": "null"}]},
        },
        "$defs": {"Mood": {"enum": ["calm", "cross"], "type": "string"}},
        "required": ["direction"],
    }
}
TOOLS = [
    Tool(name="echo_message", input_schema={"properties": {"message": {"type": "string"}}, "required": ["message"]}),
    Tool(name="add", input_schema={}),
]


def workspace(*names: str) -> Any:
    """A workspace whose clients know a schema and tools, and can do nothing else."""
    clients = {name: SimpleNamespace(known=Known(schema=SCHEMA, tools=TOOLS)) for name in names}  # type: ignore[arg-type]
    return SimpleNamespace(clients=lambda: clients, current=names[-1] if names else None, servers={"srv": None})


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("%openenv st", ("st", ["stop", "status", "step", "state"])),
        ("%%openenv st", ("st", ["stop", "status", "step", "state"])),
        ("r = %openenv sta", ("sta", ["status", "state"])),
        ("    %openenv doc", ("doc", ["doctor"])),
        ("%openenv demo g", ("g", ["grid", "guess"])),
        ("%openenv connect demo:e", ("demo:e", ["demo:echo"])),
        ("%openenv connect --w", ("--w", ["--wait"])),
        ("%openenv step --on b", ("b", ["bob"])),
        ("%openenv use ", ("", ["env", "bob"])),
        ("%openenv close a", ("a", ["all"])),
        ("%openenv stop ", ("", ["srv", "all"])),
        ("%openenv step d", ("d", ["down", "direction="])),
        ("%openenv step direction=u", ("u", ["up"])),
        ("%openenv step direction=up f", ("f", ["fast="])),
        ("%openenv step fast=t", ("t", ["true"])),
        ("%openenv step mood=c", ("c", ["calm", "cross"])),
        ("%openenv step column=", ("", ["0", "1", "2"])),
        ("%openenv call e", ("e", ["echo_message"])),
        ("%openenv call echo_message m", ("m", ["message="])),
        ("%openenv help ne", ("ne", ["nest"])),
        ("%openenv step --timeout ", ("", [])),
        ("%openenv debug o", ("o", ["on", "off"])),
        ("%openenv nonsense x", ("x", [])),
    ],
)
def test_tab_offers_what_fits_the_place(line: str, found: tuple[str, list[str]]) -> None:
    """Verbs, options, client, demo and tool names, fields and enum values are completed where they belong."""
    assert complete(workspace("env", "bob"), line) == found


@pytest.mark.parametrize("line", ["%openenv", "print('%openenv st')", "openenv st", "%open", "%openenvx st", "x"])
def test_other_lines_are_left_alone(line: str) -> None:
    """Lines of anything else, and the magic's own name, are not ours to complete."""
    assert complete(workspace("env"), line) is None


def test_nothing_connected_completes_nothing() -> None:
    """Without a client there are no fields and no tools to offer, and no error."""
    assert complete(workspace(), "%openenv step d") == ("d", [])
    assert complete(workspace(), "%openenv call e") == ("e", [])
