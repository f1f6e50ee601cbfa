"""The IPython terminal, where no loop runs between cells."""

from __future__ import annotations

import os
import re
import sys

import pexpect
import pytest
from support.real_servers import ROOT, RealServer

pytestmark = pytest.mark.server


def test_an_episode_in_the_ipython_terminal(any_lab: RealServer) -> None:
    """Magics, blocking calls and await work in the IPython terminal on one session."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "NO_COLOR": "1"}
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit", "--HistoryManager.enabled=False"],
        env=environment,
        encoding="utf-8",
        timeout=20,
    )
    try:
        terminal.expect(r"In \[1\]: ")
        lines = [
            ("%load_ext openenv_notebook", ""),
            (f"%openenv connect {any_lab.url}", r"openenv: env → .*next: %openenv reset"),
            ("env.reset(); print('count', env.step(op='a').observation.count)", r"\ncount 1"),
            ("print('count', (await env.async_client.step(op='b')).observation.count)", r"\ncount 2"),
            ("%openenv step op=c", r"count +3"),
            ("%openenv", r"3 steps, return 3"),
            ("%openenv close", "openenv: env is closed"),
        ]
        for number, (line, shown) in enumerate(lines, start=2):
            terminal.sendline(line)
            terminal.expect(rf"In \[{number}\]: ")
            assert re.search(shown, terminal.before), terminal.before
        terminal.sendline("exit")
        terminal.expect(pexpect.EOF)
    finally:
        terminal.close()
    assert terminal.exitstatus == 0
