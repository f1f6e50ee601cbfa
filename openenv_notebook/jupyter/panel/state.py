"""What a panel knows besides the session's own record, and what it has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.jupyter.panel.status_html import Said
from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.text import words_of


@dataclass
class State:
    """Whose session a panel shows, and what the last command had to say.

    Attributes:
        name: The client's variable.
        title: What stands at the top.
        environment: What renderers know the environment by.
        said: What the last command had to say; None for what follows from the session.
        last_error: The last exception, with its traceback; None after a command that went well.
    """

    client: SyncEnvClient[Any, Any, Any]
    name: str
    title: str
    environment: str = ""
    said: Said | None = None
    last_error: BaseException | None = None
    is_closed: bool = False

    def tell(self, text: str) -> None:
        """Say that something went well."""
        self.said, self.last_error = Said(text) if text else None, None

    def fail(self, error: BaseException, text: str = "") -> None:
        """Keep an error, and say it: a text, or the error's own words if that is empty."""
        words = text or foreign_text(words_of(error)) or type(error).__name__
        self.said, self.last_error = Said(words, is_bad=True), error

    def refuse(self, text: str) -> None:
        """Say what is missing before something can be done."""
        self.said, self.last_error = Said(text, is_bad=True), None

    def say(self, text: str) -> None:
        """Say something, and keep the last error; "" for what follows from the session."""
        self.said = Said(text) if text else None

    def take_back_refusal(self) -> None:
        """Say no more what was missing: it was edited since."""
        if self.said is not None and self.said.is_bad and self.last_error is None:
            self.said = None

    def close(self) -> None:
        """Note that the panel was closed."""
        self.is_closed = True
