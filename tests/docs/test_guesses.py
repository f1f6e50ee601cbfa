"""The tables of what is guessed name every verb, every control of the panel and every call, and nothing else."""

from __future__ import annotations

import inspect
import re

import ipywidgets
import pytest
from support.doc_code import ROOT

import openenv_notebook
from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.jupyter import Panel
from openenv_notebook.jupyter.magic.verbs import VERBS
from openenv_notebook.jupyter.panel.form import Form
from openenv_notebook.jupyter.panel.widgets import within

PAGE = (ROOT / "docs/explanation/trust.md").read_text(encoding="utf-8")
TABLES = re.findall(r"^\| (verb|control|call) \|[^\n]*\n\|---\|---\|\n((?:\|[^\n]*\n)+)", PAGE, re.M)
ROWS = {kind: dict(re.findall(r"^\| (.*?) \| (.*) \|$", rows, re.M)) for kind, rows in TABLES}


def named(kind: str) -> list[str]:
    """The names in the first column of a table."""
    return [name for first in ROWS[kind] for name in re.findall(r"`([^`]+)`", first)]


def test_every_verb_says_what_it_guesses() -> None:
    """Each verb of the table that the magic runs has a row, in the order of the manual."""
    assert named("verb") == list(VERBS)


def test_every_call_says_what_it_guesses() -> None:
    """Each public call and attribute of a client, and each function of the package, stands in one row."""
    clients = {name for cls in (EnvClient, SyncEnvClient) for name in dir(cls) if not name.startswith("_")}
    functions = {name for name in openenv_notebook.__all__ if inspect.isfunction(getattr(openenv_notebook, name))}
    assert sorted(named("call")) == sorted(clients | functions)


def test_every_control_says_what_it_guesses() -> None:
    """Each control of a panel that has a name stands in one row; those of the form are the action's own."""
    env = openenv_notebook.connect("demo:grid")
    env.reset()
    panel = Panel(env)
    form = {id(each) for each in within(panel.form.widget)}
    drawn = [each for each in within(panel.widget) if id(each) not in form and not isinstance(each, ipywidgets.Box)]
    names = {each.description for each in drawn if getattr(each, "description", "")}
    panel.close()
    env.close()
    moves = {"up", "down", "left", "right"}
    assert sorted(named("control")) == sorted((names - moves) | {"Answer ▸"})


@pytest.mark.parametrize("kind", ROWS)
def test_no_row_is_empty(kind: str) -> None:
    """Each row says what is taken for what was left out, or that nothing is."""
    assert all(len(said) > 5 or said == "–" for said in ROWS[kind].values())
    assert len(named(kind)) == len(set(named(kind)))


def test_the_form_is_part_of_the_table() -> None:
    """What a form sends without a person: constants, and what is required and has a default."""
    schema = {
        "properties": {
            "type": {"const": "go"},
            "n": {"type": "integer", "default": 3},
            "m": {"type": "integer", "default": 4},
        },
        "required": ["n"],
    }
    form = Form(schema)
    assert form.value == {"type": "go", "n": 3}
    form.close()
