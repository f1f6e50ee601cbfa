"""■ in a real kernel: the cell is back at once, and nothing of the session is lost."""

from __future__ import annotations

import pytest
from support.gates import FileGate
from support.kernels import Kernel
from support.real_servers import Farm, RealServer

pytestmark = [pytest.mark.kernel, pytest.mark.server]


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("env.step(op='slow', gate={gate!r}, tag={tag!r})", ("KeyboardInterrupt",)),
        ("await env.async_client.step(op='slow', gate={gate!r}, tag={tag!r})", ("CancelledError", "KeyboardInterrupt")),
        ('%openenv step {{"op": "slow", "gate": {gate!r}, "tag": {tag!r}}}', ("KeyboardInterrupt",)),
    ],
    ids=["blocking", "awaited", "magic"],
)
def test_an_interrupted_step_loses_nothing(
    kernel: Kernel, any_lab: RealServer, far_gate: FileGate, call: str, shown: tuple[str, ...]
) -> None:
    """B12: ■ ends a step that is held; the session stays, the next reply is the next call's, the owed one recorded."""
    kernel.ok(f"%load_ext openenv_notebook\n%openenv connect {any_lab.url}")
    kernel.ok("env.reset(); session = env.last.observation.session")
    tag = f"{call[:3]}-{any_lab.port}".replace("'", "")
    running = kernel.send(call.format(tag=tag, gate=far_gate.path).replace("'", '"'))
    any_lab.wait_begun(tag)
    kernel.interrupt()
    outputs = kernel.gather(running)
    assert outputs.error is not None and outputs.error[0] in shown, outputs.traceback
    assert "owed" in "".join(outputs.traceback)
    assert "openenv_notebook" not in "".join(outputs.traceback), "a cell shows the lines of its own code alone"
    assert kernel.ok("print(env.owed, env.status)").stdout == "1 open\n"
    far_gate.open()
    assert kernel.ok("r = env.step(op='next', tag='n')\nprint(r.observation.tag, env.owed)").stdout == "n 0\n"
    assert kernel.ok("print(r.observation.session == session, r.observation.count)").stdout == "True 2\n"
    record = kernel.ok("print([(s.kind, s.owed, s.result.observation.tag) for s in env.episode][1:])").stdout
    assert record == f"[('step', True, '{tag}'), ('step', False, 'n')]\n"


def test_an_interrupted_connect_can_be_tried_again(kernel: Kernel, farm: Farm, far_gate: FileGate) -> None:
    """■ while a server builds its environment ends connect(), and connecting again works."""
    with farm.server("lab", sessions=2, build=far_gate.path) as server:
        kernel.ok("import openenv_notebook")
        running = kernel.send(f"env = openenv_notebook.connect({server.url!r}, progress=print)")
        kernel.wait_printed(running, "building the environment")
        kernel.interrupt()
        outputs = kernel.gather(running)
        assert outputs.error is not None and outputs.error[0] == "KeyboardInterrupt", outputs.traceback
        far_gate.open()
        again = kernel.ok(f"env = openenv_notebook.connect({server.url!r})\nprint(env.reset().done)")
        assert again.stdout == "False\n"
