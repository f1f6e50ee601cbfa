"""The line of a run on a notebook's page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from IPython import display

from openenv_notebook.jupyter.live_line import RunLine


class Handle:
    """What stands for an output."""

    made: list[Handle]

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        Handle.made.append(self)

    def display(self, bundle: dict[str, str], raw: bool) -> None:
        """Show the output."""
        self.said.append(("display", bundle["text/plain"]))

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        """Replace it."""
        self.said.append(("update", bundle["text/plain"]))


def test_one_output_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """E28: there is one output, made with the first text, replaced by each other one, and none twice."""
    Handle.made = []
    monkeypatch.setattr(display, "DisplayHandle", Handle)
    shell: Any = SimpleNamespace(kernel=object())
    line = RunLine(shell)
    for text in ("a", "b", "b"):
        line.show(text)
    line.close("end")
    assert [handle.said for handle in Handle.made] == [[("display", "a"), ("update", "b"), ("update", "end")]]


def test_a_terminal_gets_the_end_only(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing can be replaced, the last text is printed, once."""
    line = RunLine(object())
    line.show("a")
    line.close("end")
    assert capsys.readouterr().out == "end\n"
