"""Where a panel stands, besides what the session's own record says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.jupyter.panel.question import Question
from openenv_notebook.jupyter.panel.status_html import Said
from openenv_notebook.play.rollout import Rollout


@dataclass
class State:
    """All that changes in a panel.

    Attributes:
        client: The session's client.
        name: Its variable.
        title: What stands at the top.
        environment: What renderers know the environment by.
        said: What the last command had to say; None for what follows from the session.
        last_error: The last exception, with its traceback; None after a command that went well.
        playing: The run of a policy, None while there is none.
        question: What the person is asked, None while nobody asks.
        by_hand: True while the person chooses a run's actions.
        is_closed: True once the panel was closed.
    """

    client: SyncEnvClient[Any, Any, Any]
    name: str
    title: str
    environment: str = ""
    said: Said | None = None
    last_error: BaseException | None = None
    playing: Rollout | None = None
    question: Question | None = None
    by_hand: bool = False
    is_closed: bool = False

    @property
    def is_playing(self) -> bool:
        """True while a policy plays."""
        return self.playing is not None

    def tell(self, text: str) -> None:
        """Say that something went well."""
        self.said, self.last_error = Said(text) if text else None, None

    def fail(self, error: BaseException, text: str = "") -> None:
        """Keep an error, and say it.

        Args:
            error: The exception.
            text: What to say; the error's own words if empty.
        """
        words = text or str(error) or type(error).__name__
        self.said, self.last_error = Said(words, is_bad=True), error
