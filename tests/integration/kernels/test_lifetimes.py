"""Restart and shutdown of a real kernel."""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_shutdown_is_quiet(farm: Farm) -> None:
    """B21: a kernel with open clients and a server ends by itself at shutdown, with code 0 and nothing on stderr."""
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
        client.shutdown()
        assert process.wait() == 0
        said = [line for line in process.stderr.read().splitlines() if b"IPKernelApp" not in line]
        assert said == []
        process.stderr.close()
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
        eventually(lambda: server.live == 0, what="the session is closed")


def test_the_extension_loads_quickly() -> None:
    """`%load_ext` costs less than pydantic and websockets do, and brings in neither ipywidgets nor openenv."""
    # The first import ever may still have to compile; what is promised is the cost of the others.
    warm = subprocess.run(
        [sys.executable, "-c", "import openenv_notebook.jupyter.extension"],
        env={
            key: value
            for key, value in {**os.environ, "PYTHONPATH": str(ROOT)}.items()
            if key != "PYTHONDONTWRITEBYTECODE"
        },
    )
    assert warm.returncode == 0
    costs = []
    for _ in range(2):
        with launched() as kernel:
            timed = kernel.ok(
                "import sys, time\nbegan = time.process_time()\nimport websockets.asyncio.client, pydantic\n"
                "class Model(pydantic.BaseModel):\n    x: int = pydantic.Field(0)\n"
                "half = time.process_time()\n%load_ext openenv_notebook\n"
                "print((time.process_time() - half) / (half - began))\n"
                "print([name for name in ('ipywidgets', 'openenv') if name in sys.modules])"
            )
        cost, modules = timed.stdout.splitlines()
        costs.append(float(cost))
        assert modules == "[]"
    assert min(costs) < 1
