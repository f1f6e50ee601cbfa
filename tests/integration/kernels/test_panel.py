"""The panel in a real kernel: what a notebook keeps of it, and that it leaves nothing behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from support.kernels import Kernel, execute

pytestmark = pytest.mark.kernel

VIEW = "application/vnd.jupyter.widget-view+json"
DEMO = "%load_ext openenv_notebook\n%openenv demo grid"
SUPPORT = f"import sys; sys.path.append({str(Path(__file__).parents[2])!r})\n"
LIVING = f"{SUPPORT}from support.front_end import living\nliving()"
SOCKETS = """
import os
folder, count = "/proc/self/fd", 0
for name in os.listdir(folder):
    if os.path.exists(f"{folder}/{name}") and os.readlink(f"{folder}/{name}").startswith("socket:"):
        count += 1
count
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Any:
    """Runs cells without a front end, as papermill and nbconvert do; returns the outputs of each."""

    def run(*cells: str) -> list[list[Any]]:
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        execute(made, tmp_path)
        return [cell.outputs for cell in made.cells]

    return run


def htmls(outputs: list[Any]) -> str:
    """All HTML that a notebook keeps of a cell."""
    return "\n".join(output.data.get("text/html", "") for output in outputs if "data" in output)


def texts(outputs: list[Any]) -> str:
    """All text that a notebook keeps of a cell."""
    return "\n".join(output.data.get("text/plain", "") for output in outputs if "data" in output)


def test_a_run_without_a_front_end_keeps_a_picture_of_the_episode(notebook: Any) -> None:
    """Executed headless, a panel does not hang; its cell keeps the steps made in later cells too (E24, C14)."""
    outputs = notebook(DEMO, "%openenv panel", 'env.reset(seed=7)\nfor _ in range(3): env.step("down")')
    kept = htmls(outputs[1])
    assert "direction=" in kept and "policy" not in kept
    assert kept.count("<table") >= 2
    assert "3  code  direction='down'" in texts(outputs[1])
    assert not [output for cell in outputs for output in cell if output.output_type == "error"]


def test_every_bundle_says_something_without_widgets(notebook: Any) -> None:
    """Where the widget cannot be shown, HTML and text say whose panel it was and how to have it again (C12)."""
    outputs = notebook(DEMO, "env.reset(seed=7)\n%openenv panel")
    view = next(output for output in outputs[1] if VIEW in output.get("data", {}))
    assert "grid" in view.data["text/html"] and "grid" in view.data["text/plain"]
    assert "%openenv panel" in htmls(outputs[1]).replace("<span>", "").replace("</span>", "")


def test_a_panel_is_shown_once_wherever_it_is_made(kernel: Kernel) -> None:
    """In the middle of a cell, as its last line, and bound to a name, a panel is shown once."""
    kernel.ok(DEMO)
    for cell in (
        "%openenv panel\n1",
        "%openenv panel",
        "p = %openenv panel",
        "from openenv_notebook.jupyter import Panel\nPanel(env)",
    ):
        shown = kernel.ok(cell)
        assert sum(VIEW in data for data in shown.displays) == 1, cell
    assert sum(VIEW in data for data in kernel.ok("p").displays) == 1


def test_a_cell_run_again_closes_the_panel_it_made(kernel: Kernel) -> None:
    """Run All twice leaves one panel: the one of the first run is closed, with all its widgets."""
    kernel.ok(DEMO)
    kernel.ok("p = %openenv panel", cell="a")
    before = kernel.ok(LIVING).result
    for _ in range(5):
        kernel.ok("p = %openenv panel", cell="a")
    assert kernel.ok(LIVING).result == before
    kernel.ok("p.close()")
    assert kernel.ok(LIVING).result == "0"


def test_a_panel_opens_no_port(kernel: Kernel) -> None:
    """A panel needs the notebook's own connection only: no socket is opened for it (E09)."""
    kernel.ok(DEMO)
    kernel.ok("env.reset(seed=7)")
    kernel.ok("from openenv_notebook.jupyter import Panel")
    before = kernel.ok(SOCKETS).result
    kernel.ok("p = Panel(env)\np.display()")
    assert kernel.ok(SOCKETS).result == before


def test_a_panel_survives_the_extension(kernel: Kernel) -> None:
    """Unloading and reloading the extension leaves the panel alive, and a restart begins from nothing (C15)."""
    kernel.ok(DEMO)
    kernel.ok("p = %openenv panel\nenv.reset(seed=7)")
    kernel.ok("%reload_ext openenv_notebook")
    kernel.ok('env.step("down")')
    assert "1  code  direction='down'" in kernel.ok("p").displays[-1]["text/plain"]
    kernel.restart()
    kernel.ok(DEMO)
    assert any(VIEW in data for data in kernel.ok("%openenv panel").displays)


def test_policies_are_named_in_the_line(kernel: Kernel) -> None:
    """--policy offers functions of the notebook in Play; what is none is refused in one line."""
    kernel.ok(DEMO)
    kernel.ok('def agent(observation):\n    return "right"')
    kernel.ok("p = %openenv panel --policy agent")
    assert kernel.ok("p.play(steps=1).wait(10)").result == "True"
    assert kernel.ok("env.episode[-1].actor, env.episode[-1].action['direction']").result == "('policy', 'right')"
    wrong = kernel.run("x = 3\n%openenv panel --policy x")
    assert "UsageError" in wrong.stderr and "x is a int" in wrong.stderr


def test_a_random_run_from_a_cell_is_seen(kernel: Kernel) -> None:
    """play() returns a run that can be waited for; the panel's picture ends where the run did."""
    kernel.ok(DEMO)
    kernel.ok("p = %openenv panel")
    kernel.ok("r = p.play(steps=20); r.wait()")
    assert kernel.ok("r.steps_made <= 20 and r.error is None and p.is_playing").result == "False"
    look = "from support.panel_hands import PanelHands\nPanelHands(p).expect(newest=f'{env.episode.length} policy')"
    kernel.ok(SUPPORT + look)


TYPING = """
import ipywidgets
from IPython.display import display
from openenv_notebook.jupyter.panel.form.form import Form

def boxes(root):
    return [root, *(each for child in getattr(root, "children", ()) for each in boxes(child))]

secret = {"type": "string", "format": "password"}
form = Form({"properties": {"password": {"type": "string"}, "pin": {"type": "integer", "writeOnly": True},
                            "keys": {"type": "array", "items": secret}, "by_name": {"additionalProperties": secret}}})
display(form.widget)
typed = [box for box in boxes(form.widget) if isinstance(box, ipywidgets.Password)]
for number, box in enumerate(typed):
    box.set_state({"value": f"{7310000 + number}"})
"""


@pytest.mark.parametrize(
    "end",
    [
        "form.value['password'], form.value['pin']",
        "form.disabled = True; form.disabled = False; form.value['password'], form.value['pin']",
        "form.set({'password': '7310000', 'pin': 7310001}); form.value['password'], form.value['pin']",
        "typed[0].value = '7310000'; form.value['password'], form.value['pin']",
    ],
)
def test_what_is_typed_as_a_secret_is_not_saved(end: str) -> None:
    """T03: a notebook run by nbclient with its defaults has no secret in its widgets' state; it is sent."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(TYPING), nbformat.v4.new_code_cell(f"{end}")]
    execute(notebook)
    (output,) = notebook.cells[1].outputs
    assert output.data["text/plain"] == "('7310000', 7310001)"
    states = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert len(states) > 5 and "731000" not in str(states) and "731000" not in str(notebook.cells[0].outputs)
