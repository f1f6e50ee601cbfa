"""The formatters of a real shell show our values, and are left as they were."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.formatters import DisplayFormatter
from support.markup import check_html

from openenv_notebook.jupyter.show.formatters import register, unregister
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import Observation, StepResult


def new_shell() -> Any:
    """What of a shell shows values."""
    return SimpleNamespace(display_formatter=DisplayFormatter())


@pytest.fixture
def shell() -> Any:
    """A shell with our formatters."""
    made = new_shell()
    register(made)
    return made


def printers(shell: Any) -> list[dict[Any, Any]]:
    """All printers of a shell."""
    formatters = shell.display_formatter.formatters.values()
    return [dict(each) for formatter in formatters for each in (formatter.type_printers, formatter.deferred_printers)]


def test_a_value_has_text_and_html(shell: Any) -> None:
    """Our values give text/plain and text/html and nothing else; errors give text alone."""
    for value in (StepResult({"x": 1}), AttributeDict(x=1), Observation(), Tool(name="x"), [Tool(name="x")]):
        data, _ = shell.display_formatter.format(value)
        assert set(data) == {"text/plain", "text/html"}
        check_html(data["text/html"])
    data, _ = shell.display_formatter.format(MisuseError("not so"))
    assert data == {"text/plain": "MisuseError: not so"}


def test_other_values_are_shown_as_before(shell: Any) -> None:
    """Lists and dicts of others look as they do without us."""
    plain = new_shell()
    for value in ([1, 2], [], [[1] * 40] * 40, {"a": [1]}, (StepResult({}),), "text", 5):
        assert shell.display_formatter.format(value) == plain.display_formatter.format(value)


def test_within_others_values_are_short(shell: Any) -> None:
    """In a dict or a list of others, a value of ours is one bounded line."""
    large = AttributeDict(screen=[0] * 100_000)
    data, _ = shell.display_formatter.format({"a": StepResult(large), "b": large, "c": [large, 1]})
    assert set(data) == {"text/plain"}
    assert len(data["text/plain"]) < 1_000


def test_a_subclass_is_shown_as_its_class(shell: Any) -> None:
    """Observations of typed clients are shown as fields."""

    class Board(Observation):
        cells: list[list[int]] = [[0, 1, 0]] * 3

    data, _ = shell.display_formatter.format(Board())
    assert "3×3" in data["text/plain"]


def test_values_of_the_official_package_are_shown(shell: Any) -> None:
    """Results and observations of the official package are known by name, without importing it."""
    module = type("official", (), {"__module__": "openenv.core.client_types"})
    official: Any = type("StepResult", (module,), {"__module__": "openenv.core.client_types"})()
    official.observation, official.reward, official.done = {"x": 1}, 1.0, True
    data, _ = shell.display_formatter.format(official)
    assert data["text/plain"] == "reward +1  ·  done yes\nx  1"


def test_nothing_is_left_behind(shell: Any) -> None:
    """Registering twice and taking away once gives the very printers from before, used ones among them."""
    plain = new_shell()
    before = printers(plain)
    register(plain)
    register(plain)
    plain.display_formatter.format(StepResult({}))
    plain.display_formatter.format([1])
    assert printers(plain) != before
    unregister(plain)
    assert printers(plain) == before
    unregister(plain)
    assert printers(plain) == before


def test_a_printer_of_someone_else_is_respected(shell: Any) -> None:
    """Who showed lists before shows those that are not ours, and stays when we go."""
    plain = new_shell()
    html = plain.display_formatter.formatters["text/html"]
    html.for_type(list, lambda value: f"<i>{len(value)}</i>")
    theirs = html.type_printers[list]
    register(plain)
    assert plain.display_formatter.format([1, 2])[0]["text/html"] == "<i>2</i>"
    assert "<table" in plain.display_formatter.format([Tool(name="x")])[0]["text/html"]
    unregister(plain)
    assert html.type_printers[list] is theirs
