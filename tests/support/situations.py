"""What front ends that people use say to widgets, by protocol: who sends it how, and what must come of it."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.comm_front_end import CommFrontEnd
from support.real_servers import RealServer
from support.waiting import eventually

NEWEST, OLDEST = "7.4", "6.17"
_STEP = "Step ▸"
_OPEN = "panel = %openenv panel"
_SHOW = "try:\n    panel.display()\nexcept openenv_notebook.ClientClosed:\n    pass"


@dataclass(frozen=True)
class FrontEndKind:
    """How a front end sends what a person does.

    Attributes:
        name: What it is called.
        kernel: The version of ipykernel.
        has_subshell: It sends to widgets on a shell of their own.
        has_cells: It says which cell is run.
    """

    name: str
    kernel: str
    has_subshell: bool = False
    has_cells: bool = True

    @property
    def is_heard_beside_await(self) -> bool:
        """True where clicks arrive while a cell awaits."""
        return self.has_subshell or self.kernel == NEWEST


FRONT_ENDS = (
    FrontEndKind("Colab", OLDEST, has_cells=False),
    FrontEndKind("classic", "6.31", has_cells=False),
    FrontEndKind("Binder's Lab", "7.0", has_subshell=True),
    FrontEndKind("VS Code", "7.3"),
    FrontEndKind("VS Code", NEWEST),
    FrontEndKind("JupyterLab", NEWEST, has_subshell=True),
)


class Scene:
    """A panel on a lab in a real kernel, and what became of what a front end sent to it.

    Args:
        kind: The kind of front end.
        front: The front end.
        server: The lab.
        folder: Where a running cell finds that it may end.
    """

    def __init__(self, kind: FrontEndKind, front: CommFrontEnd, server: RealServer, folder: Path) -> None:
        self.kind, self.front, self._server = kind, front, server
        self._flag = folder / "go on"
        self._sent: list[str] = []
        if not self.front.has(_STEP):
            self.open()
        self._before, self._heard = len(self._asked()), len(front.said)

    def open(self) -> None:
        """Open a panel in which nothing is filled in yet, in place of the one before."""
        if self.front.has(_STEP):
            self.front.run("panel.close()")
        self.front.run(_OPEN)
        self.front.wait(lambda: self.front.has(_STEP), "the panel is there")

    def _asked(self) -> list[str]:
        return list(self._server.get("/asked"))

    @property
    def steps(self) -> list[str]:
        """The steps that the server made since the scene began."""
        return self._asked()[self._before :]

    @property
    def said(self) -> list[str]:
        """All that the panel said since the scene began."""
        return [html.unescape(text) for text in self.front.said[self._heard :]]

    # What a person does

    @property
    def box(self) -> str:
        """The box of the form."""
        return self.front.find("op", "TextModel")

    @property
    def button(self) -> str:
        """The button that makes the step."""
        return self.front.find(_STEP)

    def edit(self, text: str) -> None:
        """What stands in the box arrives."""
        self._sent.append(self.front.edit(self.box, text))

    def click(self) -> None:
        """A click arrives."""
        self._sent.append(self.front.click(self.button))

    def submit(self) -> None:
        """Enter arrives."""
        self._sent.append(self.front.submit(self.box))

    def send(self, kind: str, content: dict[str, Any], times: int = 1) -> None:
        """Send any message, as often as is said."""
        message = self.front.message(kind, content)
        for _ in range(times):
            self._sent.append(self.front.send(message))

    # Cells

    def step_while_running(self, waits: str, text: str, *, is_heard: bool) -> None:
        """Type and click three times while a cell runs; where that is heard, the step is made before the cell ends."""
        code = f"import asyncio, pathlib, time\nwhile not pathlib.Path({str(self._flag)!r}).exists():\n    {waits}"
        cell = self.front.start(code, "busy")
        self.edit(text)
        if self.kind.has_subshell:
            # A browser sends no more of a text until it hears that the kernel has done with this.
            self.front.finish(self._sent[-1])
        for _ in range(3):
            self.click()
        self.front.arrive()
        if is_heard:
            eventually(lambda: self.steps, 10, "the step is made while the cell runs")
        self._flag.touch()
        self.front.finish(cell)

    def settle(self) -> None:
        """Wait until all that was sent has been carried out and shown."""
        if self.kind.has_subshell:
            for message in self._sent:
                self.front.finish(message)
        # A cell comes after what the same shell was sent before; while a cell awaits, 7.4 does not say that it is done.
        self.front.run(_SHOW, "show")
        self.front.wait(lambda: not self.front.said[-1].startswith("stepping"), "nothing goes on")


@dataclass(frozen=True)
class Situation:
    """Something that arrives at a kernel.

    Attributes:
        name: What happens.
        does: Makes it happen.
        allowed: What the server may have been asked for: each possibility is a list of steps.
        refusal: What the panel must have said where no step was made; "" for nothing.
    """

    name: str
    does: Callable[[Scene], None]
    allowed: tuple[list[str], ...]
    refusal: str = ""


def _button(scene: Scene) -> None:
    scene.edit("button")
    scene.click()


def _enter(scene: Scene) -> None:
    scene.edit("enter")
    scene.submit()


def _nothing_filled_in(scene: Scene) -> None:
    scene.open()
    scene.click()


def _enter_before_the_text(scene: Scene) -> None:
    scene.open()
    scene.submit()
    scene.edit("late")


def _text_long_after_enter(scene: Scene) -> None:
    scene.open()
    scene.submit()
    scene.front.wait(lambda: any("is required" in text for text in scene.said), "the panel refuses")
    scene.edit("late")


def _enter_before_the_rest(scene: Scene) -> None:
    scene.edit("la")
    scene.submit()
    scene.edit("late")


def _clicks_in_a_row(scene: Scene) -> None:
    scene.edit("double")
    scene.click()
    data = {"method": "custom", "content": {"event": "click"}}
    scene.send("comm_msg", {"comm_id": scene.button, "data": data}, times=2)


def _while_a_cell_blocks(scene: Scene) -> None:
    scene.step_while_running("time.sleep(0.01)", "blocked", is_heard=scene.kind.has_subshell)


def _while_a_cell_awaits(scene: Scene) -> None:
    is_heard = scene.kind.is_heard_beside_await
    scene.step_while_running("await asyncio.sleep(0.01)", "awaited", is_heard=is_heard)


def _reload(scene: Scene) -> None:
    scene.edit("reloaded")
    comm = "control of a page that was loaded again"
    content = {"comm_id": comm, "target_name": "jupyter.widget.control", "data": {}}
    control = scene.front.message("comm_open", content)
    control["metadata"] = {"version": "1.0.0"}
    scene.front.finish(scene.front.send(control))
    scene.send("comm_msg", {"comm_id": comm, "data": {"method": "request_states"}})
    scene.send("comm_close", {"comm_id": comm, "data": {}})
    scene.click()


def _nobody_answers(scene: Scene) -> None:
    scene.open()
    scene.front.run("env.step(op='code')\nNone", "step")


def _late_after_close(scene: Scene) -> None:
    button, box = scene.button, scene.box
    scene.edit("closed")
    scene.front.run("panel.close()", "close")
    for data in ({"event": "click"}, {"event": "submit"}):
        for comm in (button, box):
            scene.send("comm_msg", {"comm_id": comm, "data": {"method": "custom", "content": data}}, times=2)


def _closed_by_the_page(scene: Scene) -> None:
    scene.edit("left")
    button = scene.button
    scene.send("comm_close", {"comm_id": button, "data": {}})
    scene.send("comm_msg", {"comm_id": button, "data": {"method": "custom", "content": {"event": "click"}}})
    scene.submit()


def _session_closed(scene: Scene) -> None:
    scene.open()
    scene.edit("over")
    scene.front.run("env.close()", "close")
    scene.click()


SITUATIONS = (
    Situation("the text, then the button", _button, (["button"],)),
    Situation("the text, then Enter", _enter, (["enter"],)),
    Situation("the button, nothing filled in", _nothing_filled_in, ([],), "is required"),
    Situation("Enter right before the text", _enter_before_the_text, (["late"], [])),
    Situation("Enter long before the text", _text_long_after_enter, (["late"], []), "is required"),
    Situation("Enter before the rest of the text", _enter_before_the_rest, (["la"], ["late"])),
    Situation("a double click, and a message that is sent twice", _clicks_in_a_row, (["double"],)),
    Situation("text and clicks while a cell blocks", _while_a_cell_blocks, (["blocked"],)),
    Situation("text and clicks while a cell awaits", _while_a_cell_awaits, (["awaited"],)),
    Situation("a page that is loaded again", _reload, (["reloaded"],)),
    Situation("nobody answers", _nobody_answers, (["code"],)),
    Situation("messages after the panel was closed", _late_after_close, ([],)),
    Situation("a button that the page has closed", _closed_by_the_page, (["left"],)),
    # The last one: it takes the session.
    Situation("a click after the session was closed", _session_closed, ([],), "the session is closed"),
)
