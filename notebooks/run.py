"""Run notebooks in a real kernel, without a browser, and print what their cells show.

::

    python notebooks/run.py notebooks/01_first_episode.ipynb

The kernel is that of the Python that runs this. The notebook's file is left as it is.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# The kernel of this environment, also where the person has another one of that name.
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def texts_of(outputs: Iterable[dict[str, Any]]) -> Iterable[str]:
    """Give what a cell shows, as text.

    Args:
        outputs: The outputs of a cell, as nbformat has them.

    Returns:
        One text an output.
    """
    for output in outputs:
        if output["output_type"] == "stream":
            text = output["text"]
        elif output["output_type"] == "error":
            text = "\n".join(output["traceback"])
        else:
            data = output["data"]
            text = data.get("text/plain", f"[{', '.join(data)}]")
        yield _COLOURS.sub("", text).rstrip("\n")


def show(notebook: nbformat.NotebookNode) -> None:
    """Print the code cells that ran, each with what it shows.

    Args:
        notebook: A notebook that was executed.
    """
    for cell in notebook.cells:
        if cell.cell_type != "code" or cell.execution_count is None:
            continue
        mark = f"In [{cell.execution_count}]: "
        print(mark + cell.source.replace("\n", "\n" + "...: ".rjust(len(mark))))
        for text in texts_of(cell.outputs):
            print(text)
        print()


def run(path: Path, timeout: int) -> bool:
    """Run a notebook and print it, as far as it came.

    Args:
        path: The notebook's file.
        timeout: The longest time for one cell, in seconds.

    Returns:
        True if every cell ran.
    """
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    folder = {"metadata": {"path": str(path.parent)}}
    # The kernel warns that it listens on loopback without encryption.
    quiet = ["--IPKernelApp.log_level=ERROR"]
    client = NotebookClient(notebook, timeout=timeout, kernel_name="python3", resources=folder, extra_arguments=quiet)
    try:
        client.execute()
    except CellExecutionError:
        return False
    finally:
        show(notebook)
    return True


def main() -> int:
    """Run the notebooks named on the command line.

    Returns:
        0 if all of them ran to their ends, else 1.
    """
    parser = argparse.ArgumentParser(description="Run notebooks and print what their cells show.")
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--timeout", type=int, default=120, help="the longest time for one cell, in seconds")
    options = parser.parse_args()
    failed = [path for path in options.notebooks if not run(path, options.timeout)]
    for path in failed:
        print(f"{path} stopped at an error", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
