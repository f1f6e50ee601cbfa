"""Every recorded schema and every shape as a form: it builds, gives what validates, and survives set -> value."""

from __future__ import annotations

import json
from typing import Any

import ipywidgets
import pytest
from hypothesis import given
from support.front_end import living, shown
from support.pace import HEAVY
from support.recorded import FOLDER, schemas, shapes
from support.shape_values import fitting

from openenv_notebook.jupyter.panel.form import Form
from openenv_notebook.schema.check import same
from openenv_notebook.schema.model import model_from_schema


def _tools() -> dict[str, Any]:
    """The input schemas of every tool that was recorded, by the tool's name."""
    found: dict[str, Any] = {}
    for file in FOLDER.rglob("*.jsonl"):
        for line in file.read_text().splitlines():
            frame = json.loads(line).get("frame") or json.loads(line).get("response") or ""
            _collect(json.loads(frame) if isinstance(frame, str) and frame.startswith("{") else frame, found)
    return found


def _collect(value: Any, found: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for key in ("inputSchema", "input_schema"):
            if isinstance(value.get(key), dict):
                found[f"tool {value.get('name')}"] = value[key]
        for inner in value.values():
            _collect(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, found)


SCHEMAS = {
    **shapes(),
    **{name: schema["action"] for name, schema in schemas().items() if "action" in schema},
    **_tools(),
}
_CORE = (ipywidgets.Box, ipywidgets.HTML, ipywidgets.Label, ipywidgets.Button, ipywidgets.Text, ipywidgets.Dropdown,
         ipywidgets.Checkbox, ipywidgets.Textarea)  # fmt: skip
_TURNED_DOWN = (ipywidgets.Accordion, ipywidgets.Tab, ipywidgets.Output, ipywidgets.IntText, ipywidgets.FloatText)


def test_the_recordings_have_tools() -> None:
    """The schemas that are tried include those of MCP tools."""
    assert any(name.startswith("tool ") for name in SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_an_untouched_form_is_valid_or_says_what_is_missing(name: str) -> None:
    """What was never touched is either ready to be sent, or the form names the fields that need input."""
    form = Form(SCHEMAS[name])
    if form.errors:
        assert all(form.errors) and all(form.errors.values())
    else:
        model_from_schema(form.shape).model_validate(form.value)
    form.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_form_is_made_of_core_controls(name: str) -> None:
    """C18: only widgets that are alike in ipywidgets 7 and 8, and no place for output."""
    form = Form(SCHEMAS[name])
    for widget in shown(form.widget):
        assert isinstance(widget, _CORE) and not isinstance(widget, _TURNED_DOWN), type(widget)
    form.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_control_has_a_name(name: str) -> None:
    """Each box, list, tick and button is named for those who do not see what stands beside it."""
    form = Form(SCHEMAS[name])
    for widget in shown(form.widget):
        is_text = isinstance(widget, (ipywidgets.HTML, ipywidgets.Label))
        assert is_text or not widget.has_trait("description") or widget.description
    form.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_set_is_what_is_sent(name: str) -> None:
    """A48: any action that fits is given back exactly, by a new form and by one that held another value."""
    used = Form(SCHEMAS[name])

    @given(fitting(used.shape))
    @HEAVY
    def check(action: dict[str, Any]) -> None:
        form = Form(SCHEMAS[name])
        form.set(action)
        assert form.errors == {}
        assert same(form.value, action), (form.value, action)
        assert json.dumps(form.value, sort_keys=True).count("true") == json.dumps(action, sort_keys=True).count("true")
        used.set(form.value)
        assert same(used.value, action)
        form.close()

    check()
    used.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_cleared_is_as_in_the_beginning(name: str) -> None:
    """``clear`` gives the form of the beginning, whatever was filled in."""
    form = Form(SCHEMAS[name])
    beginning = form.value, form.errors

    @given(fitting(form.shape))
    @HEAVY
    def check(action: dict[str, Any]) -> None:
        form.set(action)
        form.clear()
        assert (form.value, form.errors) == beginning

    check()
    form.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_closed_form_leaves_no_widget(name: str) -> None:
    """All widgets of a form are closed with it, also those that were never seen."""
    before = living()
    form = Form(SCHEMAS[name])
    assert living() > before
    form.close()
    assert living() == before
