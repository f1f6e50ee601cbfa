"""The words below a control: what it takes, in one line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import hostile
from support.markup import IN_PANEL, check_html

from openenv_notebook.jupyter.panel.form.hints import error_html, facts, hint_html
from openenv_notebook.schema.shapes import Array, Boolean, Choice, Number, Shape, Text

_ALLOWED = {**IN_PANEL, "details": set[str](), "summary": set[str]()}


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Number(name="x", is_whole=True), "integer · required"),
        (Number(name="x", minimum=0.0, maximum=60.0, default=0.5, required=False), "number · 0 to 60 · default 0.5"),
        (Number(name="x", above=0, below=1), "number · required · 0 to 1, not 0 or 1"),
        (Number(name="x", above=0), "number · required · from 0, not 0"),
        (Number(name="x", maximum=9, multiple_of=3), "number · required · up to 9 · in steps of 3"),
        (Text(name="x", longest=10, required=False), "text · at most 10 characters"),
        (Text(name="x", shortest=2, longest=2, format="date"), "text · required · 2 characters · date"),
        (Text(name="api_key", default="hush", required=False), "text · has a default"),
        (Array(name="x", item=Number(), fewest=1, required=False), "list of number · at least 1 item"),
        (Choice(name="x", values=("a",)), "required"),
        (Choice(name="x", values=("a",), default="a", required=False), ""),
        (Boolean(name="x"), ""),
    ],
)
def test_facts_are_a_few_words(shape: Shape, expected: str) -> None:
    """Kind, whether it is required, bounds and default stand in a line."""
    assert facts(shape) == expected


def test_a_long_description_is_folded() -> None:
    """The beginning is seen, the rest is opened by keyboard or mouse, and nothing is lost."""
    written = hint_html(Text(name="x", description="word " * 60))
    assert check_html(written, {**_ALLOWED, "span": set()}).count("word") == 60 and "<details>" in written


def test_a_title_that_says_nothing_new_is_left_out() -> None:
    """pydantic's titles repeat the name; a person's own are shown."""
    assert "Action" not in hint_html(Text(name="action_id", title="Action Id"))
    assert "The move" in hint_html(Text(name="uci", title="The move to make"))


@given(st.one_of(st.sampled_from(hostile.TEXTS), st.text(st.characters(codec=None))))
def test_a_servers_words_are_escaped(text: str) -> None:
    """Descriptions, defaults, patterns and errors are text, whatever stands in them."""
    made: list[Any] = [
        hint_html(Text(name=text, description=text, default=text, required=False, pattern=text, format=text)),
        error_html([text, text]),
    ]
    for written in made:
        check_html(written, {**_ALLOWED, "span": set()})
