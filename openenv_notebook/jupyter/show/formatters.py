"""Giving an IPython shell our texts and HTML, and taking them away without a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.client.tools import ToolNamespace
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.schema.tool import Tool
from openenv_notebook.servers import Server
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.values.messages import Action, Observation, State, StepResult

_TYPES: tuple[type, ...] = (
    Action, AttributeDict, EnvClient, Episode, Observation, OpenEnvError, Server, State, Step, StepResult,
    SyncEnvClient, Tool, ToolNamespace, list,
)  # fmt: skip
# Of the official package, which is not imported for it.
_NAMES = (
    ("openenv.core.client_types", "StepResult"),
    ("openenv.core.env_server.types", "Observation"),
    ("openenv.core.env_server.types", "State"),
)


class _Html:
    """Prints HTML; where a value is none of ours, whoever printed it before."""

    def __init__(self, before: Any) -> None:
        self.before = before

    def __call__(self, value: Any) -> str | None:
        from openenv_notebook.jupyter.show.any_value import to_html

        written = to_html(value)
        if written is None and callable(self.before):
            kept: str | None = self.before(value)
            return kept
        return written


class _Text:
    """Prints text, in IPython's pretty printer; within other values it prints the repr."""

    def __init__(self, before: Any) -> None:
        self.before = before

    def __call__(self, value: Any, printer: Any, cycle: bool) -> None:
        from openenv_notebook.jupyter.show.any_value import repr_of, to_text

        is_alone = len(getattr(printer, "stack", ())) <= 1
        written = to_text(value) if is_alone and not cycle else None
        if written is None and callable(self.before):
            self.before(value, printer, cycle)
            return
        for place, text in enumerate((written or repr_of(value) or object.__repr__(value)).split("\n")):
            if place:
                printer.break_()
            printer.text(text)


_MAKERS: dict[str, Callable[[Any], Any]] = {"text/html": _Html, "text/plain": _Text}


def register(shell: Any) -> None:
    """Have an IPython shell show our values; a second time does nothing."""
    for kind, make in _MAKERS.items():
        formatter = shell.display_formatter.formatters[kind]
        for cls in _TYPES:
            before = formatter.type_printers.get(cls)
            if not isinstance(before, (_Html, _Text)):
                formatter.for_type(cls, make(before))
        for name in _NAMES:
            before = formatter.deferred_printers.get(name)
            if not isinstance(before, (_Html, _Text)):
                formatter.for_type_by_name(*name, make(before))


def unregister(shell: Any) -> None:
    """Take our printers away; those that were there before are there again."""
    for kind in _MAKERS:
        formatter = shell.display_formatter.formatters[kind]
        # A deferred printer moves among the others when its class is first seen.
        for printers in (formatter.type_printers, formatter.deferred_printers):
            for key, printer in list(printers.items()):
                if isinstance(printer, (_Html, _Text)):
                    if printer.before is None:
                        del printers[key]
                    else:
                        printers[key] = printer.before
