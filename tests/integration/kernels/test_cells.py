"""The main job, in cells of a real kernel on real servers."""

from __future__ import annotations

import pytest
from support.gates import FileGate
from support.kernels import Kernel
from support.real_servers import Farm, RealServer
from support.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.server]

CONNECT = "import openenv_notebook\nenv = openenv_notebook.connect({url!r})\n"


def test_an_episode_runs_by_blocking_calls_and_then_by_await(kernel: Kernel, any_lab: RealServer) -> None:
    """A cell makes blocking calls under the kernel's running loop, and the next one awaits on the same session."""
    kernel.ok("import asyncio\nassert asyncio.get_running_loop().is_running()")
    kernel.ok(CONNECT.format(url=any_lab.url))
    first = kernel.ok("env.reset(seed=3)\nenv.step(op='a', tag=1)\nprint(env.step(op='b', tag=2).observation.count)")
    assert first.stdout == "2\n"
    second = kernel.ok(
        "r = await env.async_client.step(op='c', tag=3)\nprint(r.observation.count, env.state().step_count)"
    )
    assert second.stdout == "3 3\n"
    assert kernel.ok("print([s.kind for s in env.episode])").stdout == "['reset', 'step', 'step', 'step']\n"


def test_cells_are_one_player(kernel: Kernel, any_lab: RealServer) -> None:
    """R21: cells, awaited or not, are one player and may begin anew; a task that plays beside them is another."""
    kernel.ok("import asyncio, warnings\nwarnings.simplefilter('always')\n" + CONNECT.format(url=any_lab.url))
    for reset in ("env.reset()", "await env.async_client.reset()", "env.reset()", "await env.async_client.reset()"):
        assert kernel.ok(f"{reset}; env.step(op='x')\nNone").stderr == ""
    kernel.ok(
        "over = asyncio.Event()\nasync def play():\n    await env.async_client.reset()\n    began.set()\n"
        "    await over.wait()\nbegan = asyncio.Event()\ntask = asyncio.create_task(play(), name='beside')\n"
        "await began.wait(); None"
    )
    told = kernel.run("env.reset(); None").stderr
    assert "in the middle of the episode that the task 'beside' (play) plays" in told and "env.new_session()" in told
    assert kernel.ok("env.reset(); over.set(); None").stderr == "", "once"


def test_a_client_connected_by_await_is_used_by_blocking_calls(kernel: Kernel, any_lab: RealServer) -> None:
    """A07: a client connected by await in one cell resets by blocking calls in the next, and the other way round."""
    kernel.ok(
        "from openenv_notebook import GenericEnvClient\n"
        f"client = await GenericEnvClient({any_lab.url!r}).connect()\nawait client.reset()"
    )
    outputs = kernel.ok("with client.sync() as s:\n    s.reset()\n    print(s.step(op='x').observation.count)")
    assert outputs.stdout == "1\n"
    kernel.ok(CONNECT.format(url=any_lab.url) + "env.reset()\nenv.step(op='x')")
    assert kernel.ok("print((await env.async_client.step(op='y')).observation.count)").stdout == "2\n"


def test_with_ends_the_session_in_a_cell(kernel: Kernel, any_farm: Farm) -> None:
    """`with env:` opens a session and gives it back at the end of the cell."""
    with any_farm.server("lab", sessions=1) as server:
        code = (
            "from openenv_notebook import GenericEnvClient, SyncEnvClient\n"
            f"with SyncEnvClient(GenericEnvClient({server.url!r})) as env:\n"
            "    env.reset()\n    print(env.step(op='x').done, env.status)\nprint(env.status)"
        )
        assert kernel.ok(code).stdout == "False open\nclosed\n"
        eventually(lambda: server.live == 0, what="the environment is gone")
        assert kernel.ok(code).stdout == "False open\nclosed\n"


def test_calls_from_threads_and_widget_callbacks(kernel: Kernel, any_lab: RealServer) -> None:
    """A thread started in a cell, and a widget's callback, make blocking calls on the same session."""
    kernel.ok(CONNECT.format(url=any_lab.url) + "env.reset()")
    threaded = kernel.ok(
        "import threading\nseen = []\n"
        "threads = [threading.Thread(target=lambda i=i: seen.append((i, env.step(op='t', tag=i).observation.tag)))"
        " for i in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(sorted(seen) == [(i, i) for i in range(8)], len(env.episode))"
    )
    assert threaded.stdout == "True 9\n"
    kernel.ok(
        "import ipywidgets\nclicked = []\nbutton = ipywidgets.Button(description='Step')\n"
        "button.on_click(lambda b: clicked.append(env.step(op='click', tag='w').observation.tag))\n"
        "model = button.model_id"
    )
    comm_id = kernel.ok("print(button.comm.comm_id)").stdout.strip()
    click = {"comm_id": comm_id, "data": {"method": "custom", "content": {"event": "click"}}}
    kernel.client.shell_channel.send(kernel.client.session.msg("comm_msg", click))
    eventually(lambda: kernel.ok("print(clicked)").stdout == "['w']\n", what="the callback has stepped")


@pytest.mark.parametrize("patch", ["nest_asyncio", "nest_asyncio2"])
def test_blocking_calls_work_after_nest_asyncio(kernel: Kernel, any_lab: RealServer, patch: str) -> None:
    """Blocking and awaited calls work whether or not somebody applied nest_asyncio, before or after connecting."""
    kernel.ok(CONNECT.format(url=any_lab.url) + "env.reset()")
    kernel.ok(f"import warnings; warnings.simplefilter('ignore')\nimport {patch}\n{patch}.apply()")
    assert kernel.ok("print(env.step(op='x').observation.count)").stdout == "1\n"
    assert kernel.ok("print((await env.async_client.step(op='x')).observation.count)").stdout == "2\n"
    again = kernel.ok(CONNECT.format(url=any_lab.url) + "env.reset()\nprint(env.step(op='x').observation.count)")
    assert again.stdout == "1\n"


def test_six_queued_cells_all_run_in_order(kernel: Kernel, lab: RealServer, far_gate: FileGate) -> None:
    """B09: six cells queued at once, each with a call that waits, all run, in order, with their own outputs."""
    kernel.ok(CONNECT.format(url=lab.url) + "env.reset()")
    step = "env.step(op='w', gate={gate!r}, tag={tag}).observation.tag"
    sent = [kernel.send(f"print({i}, {step.format(gate=far_gate.path, tag=i)})") for i in range(6)]
    far_gate.open()
    outputs = [kernel.gather(message) for message in sent]
    assert [output.stdout for output in outputs] == [f"{i} {i}\n" for i in range(6)]
    counts = [output.count for output in outputs]
    assert counts == list(range(counts[0], counts[0] + 6))


def test_the_same_cell_runs_again_and_again(kernel: Kernel, any_lab: RealServer) -> None:
    """B18: a cell that connects and runs an episode can be run five times, and again after a close and a reconnect."""
    episode = CONNECT.format(url=any_lab.url) + (
        "env.reset()\nfor i in range(3): r = env.step(op='x', tag=i)\nprint(r.observation.count)"
    )
    for _ in range(5):
        assert kernel.ok(episode, cell="one").stdout == "3\n"
    kernel.ok("env.close()")
    assert kernel.ok(episode, cell="one").stdout == "3\n"


def test_a_cell_run_twice_does_not_lock_itself_out(kernel: Kernel, farm: Farm) -> None:
    """A20: on a server with one slot the connect cell works again, and a foreign holder gives AtCapacity."""
    with farm.server("lab", sessions=1) as server:
        kernel.ok("%load_ext openenv_notebook")
        connect = f"import openenv_notebook\nenv = openenv_notebook.connect({server.url!r})\nenv.reset()\nenv"
        kernel.ok(connect, cell="c1")
        again = kernel.run(connect, cell="c1")
        assert again.error is None, again.traceback
        assert "earlier run of this cell" in again.stderr
        assert kernel.ok("print(env.step(op='x').observation.count)").stdout == "1\n"
        foreign = kernel.run(f"other = openenv_notebook.connect({server.url!r})", cell="c2")
        assert foreign.error is not None and foreign.error[0] == "AtCapacity"
        assert "1 of 1" in foreign.error[1]
        for _ in range(3):
            magic = kernel.run(f"%openenv connect {server.url} --as env", cell="c3")
            assert magic.error is None, magic.traceback
        assert kernel.ok("print(env.reset().done)").stdout == "False\n"


def test_a_closed_client_that_the_notebook_still_holds_is_closed(kernel: Kernel, farm: Farm) -> None:
    """C21: a client kept in Out[] gives everything back when it is closed, and its repr says so."""
    with farm.server("lab", sessions=1) as server:
        kernel.ok(
            f"%load_ext openenv_notebook\nimport openenv_notebook\nenv = openenv_notebook.connect({server.url!r})\nenv"
        )
        kernel.ok("env.reset()")
        kernel.ok("%openenv close env")
        eventually(lambda: server.live == 0, what="the slot is free")
        assert "closed" in (kernel.ok("env").result or "")
        alive = kernel.ok("import threading\nprint([t.name for t in threading.enumerate() if 'openenv' in t.name])")
        assert alive.stdout == "[]\n"


def test_another_async_library_on_the_kernel_loop(kernel: Kernel, lab: RealServer) -> None:
    """B10: a cell that awaits another asynchronous library and steps in a loop completes, in the order written."""
    kernel.ok(CONNECT.format(url=lab.url) + "env.reset()\nimport anyio, asyncio")
    outputs = kernel.ok(
        "async def model():\n    async with anyio.create_task_group() as group:\n"
        "        group.start_soon(anyio.sleep, 0.001)\n    return 'x'\n"
        "for i in range(20):\n    r = env.step(op=await model(), tag=i)\nprint(r.observation.count)"
    )
    assert outputs.stdout == "20\n"


def test_completion_and_inspection_ask_no_server(kernel: Kernel, lab: RealServer, far_gate: FileGate) -> None:
    """D16: Tab, `?` and repr on a client of a server that is busy are answered meanwhile, and make no request."""
    kernel.ok(f"%load_ext openenv_notebook\n%openenv connect {lab.url}")
    kernel.ok("env.reset()\nimport threading\nresult = env.last\nwarm = {}")
    kernel.ask("complete", "warm.")
    step = f"env.step(op='s', gate={far_gate.path!r}, tag='slow')"
    kernel.ok(f"slow = threading.Thread(target=lambda: {step})\nslow.start()")
    lab.wait_begun("slow")
    found = kernel.ask("complete", "env.")["matches"]
    assert any(match.endswith("step") for match in found)
    found = kernel.ask("complete", "result.observation.")["matches"]
    assert any(match.endswith("count") for match in found)
    assert "step" in kernel.ask("complete", "%openenv ")["matches"]
    assert "op=" in kernel.ask("complete", "%openenv step ")["matches"]
    assert kernel.ask("inspect", "env")["found"]
    assert "open" in (kernel.ok("env").result or "")
    assert "slow" not in lab.made, "all that was answered while the step was on its way"
    far_gate.open()
    kernel.ok("slow.join()")
    assert kernel.ok("print(len(env.episode))").stdout == "2\n"
