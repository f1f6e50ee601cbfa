"""The line that changes in place, on a notebook's page and in a terminal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from IPython import display

from openenv_notebook.jupyter.live_line import LiveLine

WAITING = ["the Space is waking up, 1 s", "the Space is waking up, 2 s", "the server is building, 3 s · step 1"]


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


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> LiveLine:
    """A line on a page."""
    Handle.made = []
    monkeypatch.setattr(display, "DisplayHandle", Handle)
    shell: Any = SimpleNamespace(kernel=object())
    return LiveLine(shell)


def test_one_output_is_replaced(line: LiveLine) -> None:
    """E28: there is one output, made with the first text, replaced by each other one, and none twice."""
    for text in ("a", "b", "b"):
        line.show(text)
    line.close("end")
    assert [handle.said for handle in Handle.made] == [[("display", "a"), ("update", "b"), ("update", "end")]]


def test_a_terminal_gets_the_end_only(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing can be replaced, the last text is printed, once."""
    line = LiveLine(object())
    line.show("a")
    line.close("end")
    assert capsys.readouterr().out == "end\n"


def test_what_is_waited_for_is_said_in_place(line: LiveLine) -> None:
    """E19: the seconds of a wait are those so far; the line changes with each report."""
    for activity in WAITING:
        line.wait_for(activity)
    assert Handle.made[0].said == [
        ("display", "openenv: the Space is waking up, 1 s so far"),
        ("update", "openenv: the Space is waking up, 2 s so far"),
        ("update", "openenv: the server is building, 3 s · step 1"),
    ]


def test_a_terminal_is_told_of_each_wait_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing can be replaced, what is waited for is printed when it becomes something else."""
    line = LiveLine(object())
    for activity in WAITING:
        line.wait_for(activity)
    assert capsys.readouterr().out == (
        "openenv: the Space is waking up, 1 s so far\nopenenv: the server is building, 3 s · step 1\n"
    )
