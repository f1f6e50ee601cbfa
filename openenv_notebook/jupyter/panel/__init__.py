"""The panel: stepping an environment by hand."""

from openenv_notebook.jupyter.panel.panel import Panel

__all__ = ["Panel"]
