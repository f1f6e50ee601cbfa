"""The verbs on clients, servers and %openenv itself, typed by a person into a real kernel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.kernels import Kernel, started
from support.real_servers import Farm

import openenv_notebook

pytestmark = [pytest.mark.kernel, pytest.mark.server]

VERBS = "demo connect serve use status close stop reset step state schema tools call doctor python debug nest"


@pytest.fixture
def notebook() -> Iterator[Kernel]:
    """A kernel with the extension loaded."""
    with started() as running:
        running.ok("%load_ext openenv_notebook")
        yield running


def test_the_first_minutes(notebook: Kernel) -> None:
    """Bare, help, demo, reset, step, serve, status, stop and close each show the line that leads to the next one."""
    start = notebook.ok("%openenv").stdout
    assert start.startswith("nothing is connected; to start:\n  %openenv demo grid") and len(start.splitlines()) == 4
    manual = notebook.ok("%openenv help").stdout
    for verb in VERBS.split():
        assert f"\n  %openenv {verb}" in manual
        assert notebook.ok(f"%openenv help {verb}").stdout.startswith(f"%openenv {verb}")
    assert notebook.ask("inspect", "%openenv")["found"]
    demo = notebook.ok("%openenv demo grid").stdout
    assert demo.startswith("openenv: env → grid, http://127.0.0.1:") and demo.endswith("next: %openenv reset\n")
    notebook.ok("%openenv reset seed=7")
    assert "reward" in (notebook.ok("%openenv step right").result or "")
    assert notebook.ok("%openenv python").stdout == "env.step('right')\n"
    served = notebook.ok("%openenv serve demo:guess --sessions 1 --as game").stdout
    assert served.startswith("openenv: game → guess, http://127.0.0.1:")
    told = notebook.ok("%openenv status").stdout
    assert "\n* game: open" in told and "server of game: guess · http" in told and "· 1 of 1 sessions" in told
    assert notebook.ok("%openenv use env").stdout == "openenv: env is current\n"
    assert "* env: open" in notebook.ok("%openenv").stdout
    assert notebook.ok("%openenv stop game").stdout == "openenv: the server of game is stopped\n"
    assert "  game: lost" in notebook.ok("%openenv").stdout
    assert notebook.ok("%openenv close all").stdout == "openenv: env is closed\nopenenv: game is closed\n"
    assert notebook.ok("%openenv close all").stdout == "openenv: nothing is connected\n"
    assert notebook.ok("%openenv status").stdout.startswith("nothing is connected")


def test_debug_and_nest(notebook: Kernel) -> None:
    """debug on shows every frame and off hides them; nest lets asyncio.run work in a cell, and blocking calls go on."""
    assert notebook.ok("%openenv debug on").stdout == "openenv: errors show every frame\n"
    failed = notebook.run("%openenv connect localhost:1 --timeout 1")
    assert "connect.py" in "\n".join(failed.traceback)
    assert notebook.ok("%openenv debug off").stdout == "openenv: errors are short again\n"
    failed = notebook.run("%openenv connect localhost:1 --timeout 1")
    assert len(failed.traceback) <= 4 and "connect.py" not in "\n".join(failed.traceback)
    nested = notebook.ok("%openenv nest").stdout
    assert "is applied: asyncio.run works in cells" in nested and "slower" in nested
    notebook.ok("%openenv demo grid\n%openenv reset seed=7")
    assert notebook.ok("import asyncio\nprint(asyncio.run(asyncio.sleep(0, 3)), env.step('right').done)").stdout == (
        "3 False\n"
    )


def test_a_full_server_and_a_wait_for_a_slot(notebook: Kernel, any_farm: Farm) -> None:
    """A full server is one line with the numbers; connect --wait says that it waits, and goes on when a slot is free.

    ■ ends the wait, and nothing is bound.
    """
    with any_farm.server("lab", sessions=1) as server:
        holder = openenv_notebook.connect(server.url)
        full = notebook.run(f"%openenv connect {server.url}")
        assert full.error is not None and full.error[0] == "AtCapacity" and len(full.traceback) == 1
        assert "1 of 1 sessions in use" in full.error[1] and "--wait 60" in full.error[1]
        waiting = notebook.send(f"%openenv connect {server.url} --wait 30")
        first = notebook.wait_shown(waiting, "openenv: the server is full: 1 of 1 sessions in use; waiting for a free")
        assert first.endswith(" s so far")
        notebook.interrupt()
        stopped = notebook.gather(waiting)
        assert stopped.error is not None and stopped.error[0] == "KeyboardInterrupt"
        assert notebook.ok("print('env' in globals())").stdout == "False\n"
        waiting = notebook.send(f"%openenv connect {server.url} --wait 30\n%openenv reset")
        notebook.wait_shown(waiting, "waiting for a free session")
        holder.close()
        outputs = notebook.gather(waiting)
        assert outputs.error is None, outputs.traceback
        assert outputs.stdout.startswith(f"openenv: env → Lab, {server.url}") and outputs.stderr == ""
        assert "reward 0" in (outputs.result or "")


def test_a_name_that_is_misspelt_is_told_with_the_nearest(notebook: Kernel) -> None:
    """A41: use, --on, close, stop, demo, help and a tool name what there is and the nearest of it, in one line."""
    notebook.ok("%openenv demo grid --as wordle\n%openenv serve demo:echo --as echo")
    known = "(connected: wordle, echo)"
    for code, says in (
        ("%openenv use wrodle", f"UsageError: there is no client named 'wrodle'; did you mean 'wordle'? {known}"),
        ("%openenv step right --on wrodle", "did you mean 'wordle'?"),
        ("%openenv close wrodle", "did you mean 'wordle'?"),
        ("%openenv stop ehco", "UsageError: no server is named 'ehco'; did you mean 'echo'? (servers: echo)"),
        ("%openenv demo gird", "did you mean 'grid'?"),
        ("%openenv help stpe", "UsageError: 'stpe' is no verb of %openenv; did you mean 'step'?"),
        ("%openenv help hlep", "did you mean 'help'?"),
        ("%openenv connect localhost:1 --hedaer A=b", "did you mean '--header'?"),
        ("%openenv step mesage=hi --on echo", "did you mean 'message'?"),
    ):
        outputs = notebook.run(code)
        assert outputs.status == "error"
        shown = "\n".join([*outputs.traceback, outputs.stderr]).strip()
        assert says in shown and len(shown.splitlines()) <= 3, shown
        assert "Traceback" not in shown and "openenv_notebook" not in shown


def test_no_verb_gives_an_awaitable(notebook: Kernel, farm: Farm) -> None:
    """D11, D12: under the kernel's running loop every verb gives a value; so does %time, and an assignment."""
    notebook.ok("import asyncio, inspect\nassert asyncio.get_running_loop().is_running()")
    with farm.server("toolbox") as tools, farm.server("board") as board:
        lines = (
            "", f"connect {tools.url} --as tools", "reset", "tools", "call add a=1", "demo grid", "reset seed=7",
            "step right", "state", "schema", "python", "use tools", "status", "doctor", "debug off", "help",
            "serve demo:echo --as served", "stop", "nest", f"connect {board.url}", "reset", "close all",
        )  # fmt: skip
        notebook.ok(f"given = [get_ipython().run_line_magic('openenv', line) for line in {lines!r}]")
        assert notebook.ok("print([value for value in given if inspect.isawaitable(value)])").stdout == "[]\n"
        assert {line.split()[0] for line in lines if line} == set(VERBS.split()) | {"help"}
        notebook.ok(f"%openenv connect {board.url} --as board\n%openenv reset")
        notebook.ok("%time %openenv step 1")
        notebook.ok("%%time\nr = %openenv step 2")
        assert notebook.ok("print(type(r).__name__, r.reward, board.state().step_count)").stdout == "StepResult 1.0 2\n"
