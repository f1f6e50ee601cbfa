"""How many Python frames a step takes: a number of its own, so that it cannot grow unseen."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from support.kernels import ROOT

# Of an echo step, on both threads together.
MOST = 65
# Those files that a step goes through from the call to the socket: it is read from top to bottom there.
PATH = (
    "client/blocking_calls.py", "client/conversation.py", "client/codec.py", "wire/protocol.py", "client/session.py",
    "wire/connection.py",
)  # fmt: skip


def test_a_step_is_short() -> None:
    """An echo step takes at most 65 Python frames on both threads, others' included, and goes through six files."""
    program = str(ROOT / "tests/integration/programs/frames.py")
    environment = {**os.environ, "OPENENV_NOTEBOOK_LOOP": "asyncio"}
    ran = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, check=True)
    frames = [(thread, file, function) for thread, file, function in json.loads(ran.stdout)]
    shown = "\n".join(f"{thread}  {file}  {function}" for thread, file, function in frames)
    assert 30 < len(frames) <= MOST, shown
    files = [file.partition("openenv_notebook/")[2] for _, file, _ in frames if "openenv_notebook/" in file]
    places = [files.index(file) for file in PATH]
    assert places == sorted(places), shown
