"""What `import openenv_notebook` brings in and what it costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.real_servers import ROOT

_FAR_AWAY = {"IPython", "ipywidgets", "traitlets", "ipykernel", "comm", "jupyter_client", "openenv", "numpy"}


def imported(cache: Path) -> dict[str, Any]:
    """Import the package in a process of its own, with its bytecode in a cache of its own."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(cache)}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    program = ROOT / "tests/integration/programs/importing.py"
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=50, env=variables)
    assert (ran.returncode, ran.stderr) == (0, "")
    said: dict[str, Any] = json.loads(ran.stdout)
    return said


def test_the_import_is_light(tmp_path: Path) -> None:
    """Neither IPython, ipywidgets, traitlets nor openenv comes along, and it costs half of what it needs, at most."""
    runs = [imported(tmp_path) for _ in range(4)]
    assert not _FAR_AWAY & set(runs[-1]["packages"])
    # The first has to compile.
    assert min(run["cost"] for run in runs[1:]) < 0.5


def test_the_modules_of_the_top_floor_stay_out() -> None:
    """The notebook floor is only imported by load_ipython_extension, and the loop's library by the first connection."""
    code = "import sys, openenv_notebook; print([m for m in sys.modules if 'jupyter' in m or m.startswith('uvloop')])"
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, env=variables)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


def test_what_talks_to_servers_is_loaded_when_it_talks() -> None:
    """websockets and the standard library's HTTP come with the first connection or question, not with the import."""
    code = (
        "import sys, openenv_notebook; names = ('http.client', 'urllib.request', 'urllib.error', 'websockets');"
        "print([name for name in names if name in sys.modules])"
    )
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, env=variables)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")
