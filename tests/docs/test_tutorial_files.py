"""The files of the tutorials: made by the command, complete, and stable."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import nbformat
import pytest

from notebooks.make import needs_official, tutorials
from notebooks.stable import stabilise

ROOT = Path(__file__).parents[2]
every_tutorial = pytest.mark.parametrize("path", tutorials(), ids=lambda path: path.stem)


@every_tutorial
def test_a_tutorial_s_file_is_made_by_the_command(path: Path) -> None:
    """A file has outputs, no machine's own paths, nothing that stabilising would change, and opens with a promise."""
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    again = copy.deepcopy(stored)
    stabilise(again)
    assert again == stored
    text = path.read_text(encoding="utf-8")
    assert text == nbformat.writes(stored, version=4).rstrip("\n") + "\n"
    for mine in (str(ROOT), "site-packages", "widget-view"):
        assert mine not in text
    assert re.search(r"/(home|tmp|root|Users)/", text) is None
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    opening = stored.cells[0].source
    assert opening.startswith("# ") and "you will" in opening.lower()
    assert ('%pip install "openenv-notebook[openenv]"' in opening) == needs_official(stored)


def test_the_tutorials_are_all_there() -> None:
    """There is one for each thing that has to be learnt."""
    assert [path.stem for path in tutorials()] == [
        "01_first_episode",
        "02_the_panel",
        "03_sync_and_async",
        "04_your_own_environment",
        "05_tools",
        "06_coming_from_the_official_client",
        "07_when_something_is_wrong",
    ]


def test_stabilising_takes_out_what_changes() -> None:
    """Two runs that differ in ports, addresses, files, times and speeds give the same; words and whole seconds stay."""

    def run(port: int, other: int, number: str) -> nbformat.NotebookNode:
        said = (
            f"http://127.0.0.1:{port} localhost:{other} 127.0.0.1:{port} <A at 0x7f00{number}> in {number[:2]}.5 ms, "
            f'File "/tmp/ipykernel_{number}/{number}1.py", line 3\n/x/y/lib/python3.1/site-packages/a/b.py\n'
            f"3 episodes · 18 steps · {number[:3]} steps/s\n"
            f"#  who   reward  done  ms\n1  code    -0.1  no   {number[:2]}\n2  code    -0.1  no  10{number[:2]}\n"
        )
        halves = [nbformat.v4.new_output("stream", name="stdout", text=part) for part in (said[:40], said[40:])]
        cell = nbformat.v4.new_code_cell("run()", outputs=halves)
        cell.id = "cell"
        notebook = nbformat.v4.new_notebook(cells=[cell])
        stabilise(notebook)
        return notebook

    first, second = run(40123, 50321, "123456"), run(51234, 43210, "98765432")
    assert first == second
    (output,) = first.cells[0].outputs
    assert output.text == (
        "http://127.0.0.1:40001 localhost:40002 127.0.0.1:40001 <A at 0x7f0000000000> in 1 ms, "
        'File "<cell>", line 3\na/b.py\n'
        "3 episodes · 18 steps · 900 steps/s\n"
        "#  who   reward  done  ms\n1  code    -0.1  no     1\n2  code    -0.1  no  1000\n"
    )
