"""All verbs of ``%openenv``, in the order of the manual."""

from __future__ import annotations

from openenv_notebook.jupyter.verbs import about, clients, panel, rendering, stepping
from openenv_notebook.jupyter.verbs.verb import Verb

VERBS: dict[str, Verb] = {
    verb.name: verb for verb in (*clients.VERBS, *stepping.VERBS, *rendering.VERBS, *panel.VERBS, *about.VERBS)
}

__all__ = ["VERBS", "Verb"]
