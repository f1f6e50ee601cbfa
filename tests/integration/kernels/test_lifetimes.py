"""Restart and shutdown of a real kernel."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from support.kernels import Kernel, launched
from support.real_servers import ROOT, Farm
from support.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.server]


def test_a_restart_frees_the_slot(kernel: Kernel, farm: Farm) -> None:
    """Restarting the kernel gives the only session of a server back, and connecting again works."""
    with farm.server("lab", sessions=1) as server:
        connect = f"import openenv_notebook\nenv = openenv_notebook.connect({server.url!r})\nprint(env.reset().done)"
        assert kernel.ok(connect).stdout == "False\n"
        kernel.restart()
        eventually(lambda: server.live == 0, what="the slot is free")
        assert kernel.ok(connect).stdout == "False\n"


def test_shutdown_is_quick_and_quiet(farm: Farm) -> None:
    """B21: a kernel with open clients and a server ends within 5 s of shutdown, with code 0 and nothing on stderr."""
    from jupyter_client.manager import KernelManager

    with farm.server("lab", sessions=2) as server:
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel(
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}, stderr=subprocess.PIPE
        )
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=30)
        kernel = Kernel(manager, client)
        kernel.ok(
            f"import openenv_notebook\nenv = openenv_notebook.connect({server.url!r})\nenv.reset()\n"
            "demo = openenv_notebook.connect('demo:grid')\ndemo.reset()\nserver = openenv_notebook.serve('demo:echo')"
        )
        process = manager.provisioner.process
        asked = time.monotonic()
        client.shutdown()
        assert process.wait(5) == 0
        assert time.monotonic() - asked < 5
        said = [line for line in process.stderr.read().splitlines() if b"IPKernelApp" not in line]
        assert said == []
        process.stderr.close()
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
        eventually(lambda: server.live == 0, what="the session is closed")


def test_the_extension_loads_quickly() -> None:
    """`%load_ext` takes under 100 ms in a kernel that has pydantic, and brings in neither ipywidgets nor openenv."""
    # The first import ever may still have to compile; what is promised is the time of the others.
    warm = subprocess.run(
        [sys.executable, "-c", "import openenv_notebook.jupyter.extension"],
        env={
            key: value
            for key, value in {**os.environ, "PYTHONPATH": str(ROOT)}.items()
            if key != "PYTHONDONTWRITEBYTECODE"
        },
    )
    assert warm.returncode == 0
    loads = []
    for _ in range(3):
        with launched() as kernel:
            kernel.ok(
                "import sys, time, websockets, pydantic\nclass Model(pydantic.BaseModel):\n"
                "    x: int = pydantic.Field(0)"
            )
            timed = kernel.ok(
                "t = time.perf_counter()\n%load_ext openenv_notebook\nprint(time.perf_counter() - t)\n"
                "print([name for name in ('ipywidgets', 'openenv') if name in sys.modules])"
            )
        seconds, modules = timed.stdout.splitlines()
        loads.append(float(seconds))
        assert modules == "[]"
    assert min(loads) < 0.1
