"""The host stays as it is: nothing global is changed by importing, loading, using and unloading."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.kernels import launched
from support.real_servers import ROOT

SOURCES = sorted((ROOT / "openenv_notebook").rglob("*.py"))
PUMPS = ("do_one_iteration", "dispatch_shell", "process_one", "msg_queue")


@pytest.mark.parametrize("policy", ["asyncio", "uvloop"])
def test_nothing_global_is_changed(policy: str, tmp_path: Path) -> None:
    """B28, B07: policy, loop, classes of asyncio, signals, environment, logging, hooks and the shell are as before."""
    ran = subprocess.run(
        [sys.executable, str(ROOT / "tests/integration/programs/side_effects.py"), policy],
        capture_output=True,
        text=True,
        timeout=50,
        env={**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), "NO_PROXY": "example.org"},
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert (found["imported"], found["unloaded"]) == ([], [])
    # While a connect that fails was at it, NO_PROXY and all else was as before.
    assert found["looked"] > 0 and found["meanwhile"] and "nothing listens" in found["refused"]
    assert found["reward"] == -0.1


@pytest.mark.kernel
def test_a_kernel_on_uvloop(tmp_path: Path) -> None:
    """B07: with uvloop as the kernel's policy, magics, blocking calls and await work, and nothing patches asyncio."""
    start = "import asyncio, uvloop\nasyncio.set_event_loop_policy(uvloop.EventLoopPolicy())\n"
    (tmp_path / "sitecustomize.py").write_text(start)
    classes = "(id(asyncio.run), id(asyncio.Task), id(asyncio.get_event_loop), 'nest_asyncio2' in sys.modules)"
    with launched(PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)])) as kernel:
        kernel.ok(f"import asyncio, sys\nbefore = {classes}, 'nest_asyncio' in sys.modules")
        assert kernel.ok("print(type(asyncio.get_running_loop()).__module__)").stdout == "uvloop\n"
        kernel.ok("%load_ext openenv_notebook")
        kernel.ok("%openenv demo grid")
        kernel.ok("env.reset(seed=1)")
        assert kernel.ok("print(env.step('down').reward)").stdout == "-0.1\n"
        assert kernel.ok("print((await env.async_client.step('down')).reward)").stdout == "-0.1\n"
        kernel.ok("%openenv panel")
        kernel.ok("%openenv close")
        assert kernel.ok(f"print(before == ({classes}, 'nest_asyncio' in sys.modules))").stdout == "True\n"


def test_nothing_private_of_the_kernel_is_used() -> None:
    """E25: no module pumps the kernel's queue, imports ipykernel, or reads a private attribute of it, but two.

    Both stand in one module, and go around faults of single versions of ipykernel: each is reached only where the
    version has that fault, and what it does without them is tested on all the others.
    """
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found |= {f"{path.name}: import {name}" for name in names if name.partition(".")[0] == "ipykernel"}
            if isinstance(node, ast.Attribute) and (node.attr in PUMPS or is_private(node)):
                found.add(f"{path.name}: {ast.unparse(node)}")
    assert found == {"publisher.py: kernel._shell_parent", "publisher.py: widget.comm._reply_subshell_id"}


def is_private(node: ast.Attribute) -> bool:
    """Tell whether it is a private attribute of a kernel or a comm."""
    owner = node.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return name in ("kernel", "comm") and node.attr.startswith("_")
