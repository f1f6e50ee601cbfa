"""Writing widgets from a thread of ours, whatever the kernel thinks of that."""

from __future__ import annotations

import contextvars
from collections.abc import Iterator
from types import SimpleNamespace

import ipywidgets
import pytest

from openenv_notebook.jupyter.panel.publisher import Publisher, answer_nobody


@pytest.fixture
def button() -> Iterator[ipywidgets.ToggleButton]:
    """A button that stays down, as the browser has it."""
    made = ipywidgets.ToggleButton()
    yield made
    made.close()


def test_what_a_person_presses_meanwhile_stays(button: ipywidgets.ToggleButton) -> None:
    """A press between building and writing is not undone by what was built before it."""

    def build() -> None:
        publisher.put(button, value=False, tooltip="built")
        button.value = True

    publisher = Publisher(build)
    try:
        publisher.flush()
    finally:
        publisher.close()
    assert (button.value, button.tooltip) == (True, "built")


def test_what_is_put_while_others_are_written_is_written_next() -> None:
    """What the publisher writes itself is taken for no person's press."""
    first, second = ipywidgets.Text(), ipywidgets.Text()
    publisher = Publisher(lambda: None)
    first.observe(lambda _: publisher.put(second, value="last"), "value")
    try:
        publisher.put(first, value="x")
        publisher.put(second, value="first")
        publisher.flush()
        publisher.flush()
    finally:
        publisher.close()
    assert second.value == "last"


def test_what_was_put_last_is_written(button: ipywidgets.ToggleButton) -> None:
    """Of several values for a trait the last one counts, also if it is the one that is there."""
    publisher = Publisher(lambda: None)
    try:
        publisher.put(button, value=True, description="a")
        publisher.put(button, value=False, description="b")
        publisher.flush()
    finally:
        publisher.close()
    assert (button.value, button.description) == (False, "b")


def test_a_thread_that_answers_no_request_can_write() -> None:
    """Where the kernel finds no request that a message would answer (ipykernel 7.0), it is told that there is none."""
    parent: contextvars.ContextVar[dict[str, str]] = contextvars.ContextVar("shell_parent")
    kernel = SimpleNamespace(_shell_parent=parent, get_parent=parent.get)

    def write() -> dict[str, str]:
        answer_nobody(SimpleNamespace(comm=SimpleNamespace(kernel=kernel)))
        return kernel.get_parent()

    assert contextvars.Context().run(write) == {}
    parent.set({"msg_id": "1"})
    assert write() == {"msg_id": "1"}


def test_a_widget_without_a_kernel_is_let_be() -> None:
    """A widget that was closed, or that no kernel knows, is no error."""
    answer_nobody(SimpleNamespace(comm=None))
    answer_nobody(SimpleNamespace(comm=SimpleNamespace()))
