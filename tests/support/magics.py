"""The magic, as it is typed in a shell."""

from __future__ import annotations

from typing import Any

from IPython.core.interactiveshell import InteractiveShell


def magic(shell: InteractiveShell, line: str) -> Any:
    """Run the line magic as typed."""
    return shell.run_line_magic("openenv", line)
