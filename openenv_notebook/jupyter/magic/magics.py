"""``%openenv``: one magic, many verbs."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from openenv_notebook.jupyter.magic.arguments import split_end, split_verb
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.manual import manual, page
from openenv_notebook.jupyter.magic.silence import silence
from openenv_notebook.jupyter.magic.tokens import GrammarError
from openenv_notebook.jupyter.magic.verbs import VERBS, Verb
from openenv_notebook.jupyter.magic.verbs.clients import overview
from openenv_notebook.values.text import nearest


@magics_class
class OpenEnvMagics(Magics):
    """The magic, in one context."""

    def __init__(self, shell: Any, context: Context) -> None:
        super().__init__(shell)
        self._context = context

    @no_var_expand
    @line_cell_magic
    def openenv(self, line: str, cell: str | None = None) -> Any:
        line, is_silenced = split_end(line)
        try:
            with self._context.workspace.where_called():
                value = self._run(line, cell)
        except GrammarError as error:
            raise UsageError(str(error)) from None
        if is_silenced:
            silence(self.shell)
        return value

    openenv.__doc__ = manual(VERBS)

    def _run(self, line: str, cell: str | None) -> Any:
        verb, rest = split_verb(line)
        if cell is not None and verb not in ("--help", "-h") and (not verb or verb.startswith("-")):
            verb, rest = "step", line
        if not verb:
            overview(self._context)
            return None
        if verb in ("help", "--help", "-h"):
            return self._help(rest)
        if rest.strip() in ("--help", "-h"):
            return self._help(verb)
        found = VERBS.get(verb)
        if found is None:
            raise UsageError(_no_verb(verb))
        if verb == "python":
            return self._carried_out(found, rest, cell)
        self._context.twin = ""
        outcome = "failed before anything was done"
        try:
            value = self._carried_out(found, rest, cell)
            outcome = "has no Python of its own"
            return value
        finally:
            self._context.twin = self._context.twin or f"# %openenv {verb} {outcome}"

    def _carried_out(self, verb: Verb, rest: str, cell: str | None) -> Any:
        if cell is None:
            return verb.run(self._context, rest)
        if verb.body is None:
            raise UsageError(
                f"%%openenv {verb.name} takes no cell's body; write %openenv {verb.name}, or %%openenv step"
            )
        return verb.body(self._context, rest, cell)

    def _help(self, rest: str) -> None:
        name = rest.strip()
        if name in ("help", "--help", "-h"):
            name = ""
        if name and name not in VERBS:
            raise UsageError(_no_verb(name))
        print(page(VERBS[name]) if name else manual(VERBS))


def _no_verb(name: str) -> str:
    names = [*VERBS, "help"]
    return f"{name!r} is no verb of %openenv{nearest(name, names)} (verbs: {', '.join(names)})"
