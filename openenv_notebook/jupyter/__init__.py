"""The notebook floor: the only place that imports IPython.

Its public names come in when they are asked for, so that the package can be used without IPython:

>>> from openenv_notebook.jupyter import Panel, register_renderer
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openenv_notebook.jupyter.panel.panel import Panel
    from openenv_notebook.jupyter.show.observation_of import render_observation
    from openenv_notebook.jupyter.show.renderers import register as register_renderer
    from openenv_notebook.jupyter.show.renderers import unregister as unregister_renderer

_HOMES = {
    "Panel": ("openenv_notebook.jupyter.panel", "Panel"),
    "register_renderer": ("openenv_notebook.jupyter.show.renderers", "register"),
    "render_observation": ("openenv_notebook.jupyter.show.observation_of", "render_observation"),
    "unregister_renderer": ("openenv_notebook.jupyter.show.renderers", "unregister"),
}


def __getattr__(name: str) -> Any:
    """Load a public name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)


__all__ = ["Panel", "register_renderer", "render_observation", "unregister_renderer"]
