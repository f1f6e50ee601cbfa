"""Make the tutorials again: run each in a real kernel and write what its cells show into its file.

::

    python -m notebooks.make            # all of them
    python -m notebooks.make 02 05      # those whose names begin so

What changes from run to run is made stable, so that nothing differs where nothing has changed. A
cell that is meant to fail has the tag ``raises-exception``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

# The kernel of this environment, also where the person has another one of that name.
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from notebooks.stable import stabilise

FOLDER = Path(__file__).parent
LONGEST = 120.0
_OFFICIAL = re.compile(r"^\s*(?:from|import) openenv\b(?!_)", re.MULTILINE)
# What belongs to the person at this machine is not in a tutorial.
_PERSONAL = re.compile(r"^(?:(?:HTTPS?|ALL|NO)_PROXY|HF_.*|HUGGING.*|OPENENV_(?!.*PYTHON).*)$", re.IGNORECASE)


def tutorials() -> list[Path]:
    """List the notebooks, in their order."""
    return sorted(FOLDER.glob("[0-9]*.ipynb"))


def needs_official(notebook: nbformat.NotebookNode) -> bool:
    """Tell whether a notebook imports the official ``openenv`` package."""
    return any(_OFFICIAL.search(cell.source) for cell in notebook.cells if cell.cell_type == "code")


def has_official() -> bool:
    """Tell whether that package is here."""
    return importlib.util.find_spec("openenv") is not None


def execute(
    path: Path, variables: Mapping[str, str] | None = None, manager: type[KernelManager] | None = None
) -> nbformat.NotebookNode:
    """Run a notebook and make what it shows stable.

    Args:
        path: The notebook's file; it is left as it is.
        variables: More environment variables for its kernel.
        manager: The class that starts the kernel; None: Jupyter's own.

    Returns:
        The notebook with fresh outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed that is not meant to.
        nbclient.exceptions.CellTimeoutError: A cell took too long.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as empty:
        environment = {name: value for name, value in os.environ.items() if not _PERSONAL.match(name)}
        environment |= {"HF_HOME": empty, **(variables or {})}
        client = NotebookClient(
            notebook,
            timeout=int(LONGEST),
            kernel_name="python3",
            resources={"metadata": {"path": str(path.parent)}},
            # The kernel warns that it listens on loopback without encryption.
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            store_widget_state=False,
            record_timing=False,
            **({} if manager is None else {"kernel_manager_class": manager}),
        )
        client.execute(env=environment)
    stabilise(notebook)
    nbformat.validate(notebook)
    return notebook


def main() -> int:
    """Make the notebooks named on the command line, or all.

    Returns:
        0 if all of them ran in time.
    """
    wanted = tuple(sys.argv[1:])
    failed = 0
    for path in tutorials():
        if wanted and not path.name.startswith(wanted):
            continue
        if needs_official(nbformat.read(path, as_version=4)) and not has_official():
            print(f"{path.name}: left out, the openenv package is not installed")
            continue
        began = time.monotonic()
        try:
            notebook = execute(path)
        except Exception as error:
            print(f"{path.name}: {type(error).__name__}: {error}", file=sys.stderr)
            failed += 1
            continue
        took = time.monotonic() - began
        changed = _write(path, notebook)
        print(f"{path.name}: {took:.0f} s, {'written' if changed else 'the same'}")
        failed += took > LONGEST
    return 1 if failed else 0


def _write(path: Path, notebook: nbformat.NotebookNode) -> bool:
    text = nbformat.writes(notebook, version=4).rstrip("\n") + "\n"
    if path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())
