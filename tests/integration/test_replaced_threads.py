"""Where threads are none: one clear error at once, at every door, and never a hang."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pytest
from support.real_servers import ROOT

from openenv_notebook import serve


def doors(how: str, when: str) -> dict[str, tuple[str, float]]:
    """Go through every door in a program whose threads were replaced; give what each said, and its seconds."""
    server = serve("demo:echo")
    try:
        ran = subprocess.run(
            [sys.executable, str(ROOT / "tests/integration/programs/replaced_threads.py"), how, when, server.url],
            capture_output=True,
            text=True,
            timeout=50,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        )
    finally:
        server.stop()
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("how", "when"),
    [*((how, when) for how in ("gevent", "eventlet") for when in ("before", "after")),
     ("at once", "before"), ("never", "before")],
)  # fmt: skip
def test_replaced_threads_are_told_at_once(how: str, when: str) -> None:
    """R18: every call that needs a thread says at once that threads are replaced, and what to do."""
    if how in ("gevent", "eventlet") and importlib.util.find_spec(how) is None:
        pytest.skip(f"{how} is not installed")
    for door, (said, seconds) in doors(how, when).items():
        assert said.startswith("NotSupportedHere: threads are replaced"), (door, said)
        assert "patch_all(thread=False)" in said
        assert seconds < 1.5, door


def test_all_else_may_be_replaced() -> None:
    """R18: what the error advises works: everything but threads replaced by gevent."""
    if importlib.util.find_spec("gevent") is None:
        pytest.skip("gevent is not installed")
    found = {door: said for door, (said, _) in doors("not", "before").items()}
    assert (found["connect"], found["demo"], found["serve"]) == ("'hello'", "'hello'", "None")
