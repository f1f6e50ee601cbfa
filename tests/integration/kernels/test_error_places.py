"""What a real kernel shows of an error: its words, and the line of the person's own code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.kernels import Kernel, started

pytestmark = pytest.mark.kernel

# A cell, the lines that are shown of it, and what is not shown.
CELLS = {
    "the third of four": (
        'a = env.step("1")\nb = env.step("2")\nc = env.step("raise")\nd = env.step("4")',
        ["  {cell}, line 3", '    c = env.step("raise")'],
    ),
    "the second of two magics": (
        '%openenv step guess=1\nx = %openenv step "raise"',
        ["  {cell}, line 2", '    x = %openenv step "raise"'],
    ),
    "a magic of two lines": (
        'print()\n%openenv step {"guess": \\\n  "it\'s"}',
        ["  {cell}, line 2", '    %openenv step {"guess":    "it\'s"}'],
    ),
    "a function": (
        "def play(n):\n    return env.step(n)\n\nplay(1)\nplay([])",
        ["  {cell}, line 5", "    play([])", "  {cell}, line 2, in play", "    return env.step(n)"],
    ),
    "a deep function": (
        "def dive(n):\n    return dive(n - 1) if n else env.step([])\ndive(50)",
        ["  {cell}, line 3", "    dive(50)", "  …", "  {cell}, line 2, in dive"],
    ),
    "a call of a tool, which is a coroutine": (
        '1\nenv.call_tool("nothing", word="x")',
        ["  {cell}, line 2", '    env.call_tool("nothing", word="x")'],
    ),
    "a function that sorts": ("1\nsorted([1, 2], key=lambda n: env.step([]))", ["  {cell}, line 2, in <lambda>"]),
    "a function that the library calls": (
        "import functools\nfunctools.reduce(lambda a, n: env.step([]), [1, 2])",
        ["  {cell}, line 2, in <lambda>"],
    ),
    "an await": (
        "import asyncio\nasync def play():\n    await env.async_client.step([])\nawait play()",
        ["  {cell}, line 4"],
    ),
    "after a caught one": (
        "try:\n    env.step([])\nexcept Exception:\n    pass\nopenenv_notebook.connect('localhost:1', timeout=0.3)",
        ["  {cell}, line 5", "    openenv_notebook.connect('localhost:1', timeout=0.3)"],
    ),
    "a comprehension": (
        "1\n[env.step(n) for n in (1, [])]",
        ["  {cell}, line 2", "    [env.step(n) for n in (1, [])]"],
    ),
}


@pytest.fixture(scope="module")
def guess() -> Iterator[Kernel]:
    """A kernel with a game of guessing."""
    with started() as kernel:
        kernel.ok("%load_ext openenv_notebook\nimport openenv_notebook\n%openenv demo guess\n%openenv reset\nNone")
        yield kernel


@pytest.mark.parametrize("name", CELLS)
def test_an_error_shows_the_person_s_own_line(guess: Kernel, name: str) -> None:
    """R33: Below its words an error has the place in the cell and the line there, as it was typed, and none of ours."""
    code, lines = CELLS[name]
    guess.ok("%openenv reset\nNone")
    outputs = guess.run(code)
    assert outputs.error is not None and outputs.status == "error"
    shown = "\n".join(outputs.traceback)
    assert shown.startswith(f"{outputs.error[0]}: ")
    assert "\n".join(lines).replace("{cell}", f"Cell In[{outputs.count}]") in shown
    assert "openenv_notebook/" not in shown and "File " not in shown
