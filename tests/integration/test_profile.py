"""The extension loaded by IPython's own configuration, as people who use it daily have it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pexpect
import pytest
from support.kernels import launched
from support.real_servers import ROOT

CONFIG = 'c = get_config()\nc.InteractiveShellApp.extensions = ["openenv_notebook"]\n'


@pytest.fixture
def profile(tmp_path: Path) -> str:
    """A folder of IPython's with the line that the documentation gives."""
    place = tmp_path / "profile_default"
    place.mkdir()
    (place / "ipython_config.py").write_text(CONFIG)
    return str(tmp_path)


def test_the_documentation_gives_this_line() -> None:
    """The line stands in the README or in the documentation."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(CONFIG.splitlines()[1] in page.read_text() for page in pages)


def test_a_terminal_with_the_extension_configured(profile: str) -> None:
    """IPython in a terminal has %openenv from its first line; loading it once more says nothing wrong."""
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit", "--HistoryManager.enabled=False"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": profile, "TERM": "dumb", "NO_COLOR": "1"},
        encoding="utf-8",
        timeout=30,
    )
    try:
        terminal.expect(r"In \[1\]: ")
        assert "Error" not in terminal.before
        lines = [
            ("%openenv demo grid", r"openenv: env → .*next: %openenv reset"),
            ("env.reset(seed=1); print('reward', env.step('down').reward)", r"\nreward -0\.1"),
            ("%load_ext openenv_notebook", "already loaded"),
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


@pytest.mark.kernel
def test_a_kernel_with_the_extension_configured(profile: str) -> None:
    """A notebook of the same profile has %openenv without %load_ext."""
    with launched(IPYTHONDIR=profile) as kernel:
        assert "openenv: env → grid" in kernel.ok("%openenv demo grid").stdout
        assert kernel.ok("env.reset(seed=1)\nprint(env.step('down').reward)").stdout == "-0.1\n"
        kernel.ok("%openenv close")
