"""All verbs of ``%openenv``, in the order of the manual."""

from __future__ import annotations

from openenv_notebook.jupyter.magic.verbs import about, clients, connecting, panel, rendering, servers, stepping
from openenv_notebook.jupyter.magic.verbs.verb import Verb

VERBS: dict[str, Verb] = {
    verb.name: verb
    for module in (connecting, servers, clients, stepping, rendering, panel, about)
    for verb in module.VERBS
}

__all__ = ["VERBS", "Verb"]
