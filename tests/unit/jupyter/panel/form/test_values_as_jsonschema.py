"""What a form gives back, held against another's reading of its schema: without an error it is valid."""

from __future__ import annotations

import random

import ipywidgets
import pytest
from support.front_end import click, edit, shown
from support.judge import theirs
from support.made_schemas import made_schema
from support.pace import storm
from support.recorded import schemas, shapes

from openenv_notebook.jupyter.panel.form import Form

SCHEMAS = {
    **shapes(),
    **{name: told["action"] for name, told in schemas().items() if "action" in told},
    **{f"made {seed}": made_schema(random.Random(seed)) for seed in range(storm(10, 300))},
}
TEXTS = (
    "", "x", "0", "3", "-1", "2.5", "1e3", "1e999", "nan", "Infinity", "true", "null", "[1]", '{"a": 1}', "[", "'a'",
    "99999999999999999999", "a" * 300, "two\nlines", "2026-01-01", "é☃\u2028", "red", " 7 ",
)  # fmt: skip
_TYPED = (ipywidgets.Text, ipywidgets.Textarea, ipywidgets.Combobox, ipywidgets.Password)


def acted(form: Form, rng: random.Random) -> None:
    """A person does something to one of the controls."""
    usable = [each for each in shown(form.widget) if not getattr(each, "disabled", True)]
    if not usable:
        return
    chosen = rng.choice(usable)
    if isinstance(chosen, ipywidgets.Button):
        click(chosen)
    elif isinstance(chosen, _TYPED):
        edit(chosen, rng.choice([*TEXTS, *getattr(chosen, "options", ())]))
    elif isinstance(chosen, ipywidgets.Checkbox):
        edit(chosen, not chosen.value)
    elif isinstance(chosen, ipywidgets.Dropdown):
        edit(chosen, rng.choice([label for label, _ in chosen.options]))


@pytest.mark.parametrize("name", SCHEMAS)
def test_without_an_error_a_form_is_valid(name: str) -> None:
    """Whatever a person does to its controls, a form that names no error gives an action that its schema takes."""
    for seed in range(storm(2, 40)):
        rng, form = random.Random(seed), Form(SCHEMAS[name])
        for _ in range(storm(15, 80)):
            acted(form, rng)
            if not form.errors:
                assert theirs(SCHEMAS[name], form.value) == [], form.value
        form.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_entry_of_a_list_can_be_sent(name: str) -> None:
    """Each entry that a control offers to be chosen or completed leaves an action that its schema takes."""
    form = Form(SCHEMAS[name])
    for control in shown(form.widget):
        if isinstance(control, ipywidgets.Dropdown):
            labels = [label for label, _ in control.options]
        else:
            labels = list(control.options) if isinstance(control, ipywidgets.Combobox) else []
        for label in labels:
            before = form.errors
            edit(control, label)
            # What is chosen may ask for more, as a branch of a union does for its fields.
            wrong = {path: said for path, said in form.errors.items() if path not in before and said != "is required"}
            assert not wrong, label
            assert form.errors or theirs(SCHEMAS[name], form.value) == [], form.value
    form.close()
