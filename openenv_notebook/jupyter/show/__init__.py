"""Values -> text and HTML. Pure: nothing here asks a server, a shell or a clock.

A value is described as blocks (``describe``, ``cards``), and blocks are written twice: as
text (``as_text``) and as HTML (``as_html``). A server's words are only ever cleaned and
escaped; no Markdown and no HTML of theirs is rendered.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from openenv_notebook.jupyter.show.status_lines import START, client_line, next_line, result_line, server_line, steps

if TYPE_CHECKING:
    from openenv_notebook.jupyter.show.any_value import to_html, to_text


def __getattr__(name: str) -> Any:
    """Load the writers when something is shown: the magics alone do not need them."""
    if name not in ("to_html", "to_text"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("openenv_notebook.jupyter.show.any_value"), name)


__all__ = ["START", "client_line", "next_line", "result_line", "server_line", "steps", "to_html", "to_text"]
