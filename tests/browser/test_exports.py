"""Saved notebooks elsewhere: exported with and without sanitising."""

from __future__ import annotations

import html
import re

import pytest
from nbconvert.filters.strings import clean_html
from support import hostile
from support.markup import check_html
from support.recorded import exchanges, results, schemas

from openenv_notebook.jupyter.show.any_value import to_html
from openenv_notebook.values.attribute_dict import AttributeDict

# nbconvert shows these as literal text: folds are written without attributes, so that it is
# short; every table gets a tbody from its parser.
_LITERAL = re.compile(r"</?(?:details|summary|tbody)>|<img [^<>]*>")


@pytest.mark.parametrize("name", exchanges())
def test_results_survive_sanitising(name: str) -> None:
    """With ``nbconvert --sanitize-html`` tables stay tables; only folds and pictures leave literal tags."""
    for result in results(name):
        written = to_html(result) or ""
        cleaned = str(clean_html(written))
        assert cleaned.count("<td") == written.count("<td")
        text = html.unescape(re.sub("<[^>]*>", "", cleaned))
        assert _LITERAL.sub("", text) == check_html(written)


def test_schemas_survive_sanitising() -> None:
    """The tables of all recorded schemas stay tables."""
    for schema in schemas().values():
        written = to_html(AttributeDict(schema))
        if written is not None:
            assert str(clean_html(written)).count("<td") == written.count("<td")


def test_hostile_values_stay_harmless_when_sanitised() -> None:
    """Sanitising does not unescape what was escaped."""
    for value in hostile.values().values():
        cleaned = str(clean_html(to_html(value) or ""))
        assert set(re.findall("<([a-z]+)", cleaned)) <= {"div", "span", "b", "pre", "table", "tr", "td", "tbody"}
