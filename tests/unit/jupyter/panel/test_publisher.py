"""Writing widgets from a thread of ours, whatever the kernel thinks of that."""

from __future__ import annotations

import contextvars
from types import SimpleNamespace

from openenv_notebook.jupyter.panel.publisher import answer_nobody


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
