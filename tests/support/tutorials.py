"""What a tutorial shows when it is run, beside what its file shows."""

from __future__ import annotations

from nbformat import NotebookNode

from notebooks.stable import comparable

_MEANT_TO_FAIL = "raises-exception"


def complaints_are_meant(notebook: NotebookNode) -> None:
    """An error, or words on stderr, stand where a cell's tag says so, and nowhere else."""
    for cell in notebook.cells:
        complaints = [output for output in cell.get("outputs", ()) if _complains(output)]
        assert bool(complaints) == (_MEANT_TO_FAIL in cell.metadata.get("tags", ())), f"{cell.source}\n\n{complaints}"


def _complains(output: NotebookNode) -> bool:
    """Tell an error, or words on stderr: IPython prints its own UsageError there."""
    return output.output_type == "error" or (output.output_type == "stream" and output.name == "stderr")


def compare(fresh: NotebookNode, stored: NotebookNode) -> None:
    """What was made stable shows what the file shows."""
    sources = [cell.source for cell in stored.cells if cell.cell_type == "code"]
    for source, then, now in zip(sources, comparable(stored), comparable(fresh), strict=True):
        assert now == then, f"{source}\n\nshows something else than in its file; make notebooks writes it anew"
