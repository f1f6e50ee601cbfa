"""The words below a control, as HTML."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support import hostile
from support.markup import IN_PANEL, check_html

from openenv_notebook.jupyter.panel.form.hints import error_html, hint_html
from openenv_notebook.schema.shapes import Text

_ALLOWED = {**IN_PANEL, "details": set[str](), "summary": set[str]()}


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
