"""What the tests of local servers share."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.kernels import ROOT, Kernel, started
from support.local_servers import STAND_INS, Docker


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Docker:
    """Put the stand-ins for docker and uv on PATH."""
    state, commands = tmp_path / "docker", tmp_path / "bin"
    state.mkdir()
    commands.mkdir()
    for name in ("docker", "uv"):
        command = commands / name
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {STAND_INS / name}.py "$@"\n')
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("DOCKER_STAND_IN", str(state))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return Docker(state)


@pytest.fixture
def kernel(request: pytest.FixtureRequest) -> Iterator[Kernel]:
    """A fresh kernel; a test marked ``official`` gets one that has the official package imported."""
    with started(official=request.node.get_closest_marker("official") is not None) as running:
        yield running
