"""What a client tells of its session without asking anybody: the same for both twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Optional

from openenv_notebook.client.conversation import Conversation
from openenv_notebook.client.events import Callback
from openenv_notebook.client.known import Known
from openenv_notebook.client.not_copied import NotCopied
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.checks import check_callback
from openenv_notebook.values.messages import ObsT, StepResult
from openenv_notebook.wire.endpoint import Endpoint


class SessionView(NotCopied, Generic[ObsT]):
    """Properties that look at a session; none of them does I/O."""

    _openenv_talk: Conversation

    @property
    def base_url(self) -> str | None:
        """The server's HTTP address; None before a provider has started it."""
        endpoint = self._openenv_talk.opener.endpoint
        return endpoint.address.http_url if endpoint is not None else None

    @property
    def endpoint(self) -> Endpoint | None:
        """How the server is reached: address, limits, keepalive; None before a provider has started it."""
        return self._openenv_talk.opener.endpoint

    @property
    def status(self) -> str:
        """The session's state: "new", "open", "lost" (until a reset) or "closed"."""
        return self._openenv_talk.session.status

    @property
    def activity(self) -> str:
        """What is being waited for, with the seconds so far; "" when nothing is."""
        return self._openenv_talk.session.activity

    @property
    def owed(self) -> int:
        """How many replies are still to come that nobody waits for."""
        return self._openenv_talk.session.exchange.owed

    @property
    def episode(self) -> Episode:
        """The record of the episode in progress, or of the last one."""
        return self._openenv_talk.session.record.episode

    @property
    def episodes(self) -> list[Episode]:
        """The records of all episodes of this session, the oldest first."""
        return self._openenv_talk.session.record.episodes

    @property
    def last(self) -> StepResult[ObsT] | None:
        """The last result, whoever waited for it; None before the first."""
        return self._openenv_talk.session.record.last_result

    @property
    def done(self) -> bool:
        """True when the last result ended the episode."""
        last = self.last
        return last is not None and last.done

    @property
    def known(self) -> Known:
        """What was learnt of the server so far: its schema, its tools."""
        return self._openenv_talk.known

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Have a function called with each step and each change of state.

        Args:
            callback: Gets an :class:`~openenv_notebook.client.events.Event`, in order, on the events
                thread, with the context variables of whoever subscribes. A bound method is held weakly.

        Returns:
            A function that ends the subscription.

        Raises:
            MisuseError: If it cannot be called, or would have to be awaited.
        """
        check_callback("subscribe()", callback, "env.subscribe(print)")
        return self._openenv_talk.session.subscribers.add(callback)

    def unsubscribe(self, callback: Callback) -> None:
        """End the subscriptions of a function."""
        self._openenv_talk.session.subscribers.remove(callback)

    def _describe(self, kind: str, name: str) -> str:
        """Write the repr of a twin."""
        where = self._openenv_talk.session.url or "no server yet"
        parts = (f"{name} ({kind})", self.status, where, repr(self.episode), self.activity)
        return f"<{', '.join(part for part in parts if part)}>"


# jedi completes env.last.<Tab> from what it finds here at run time, and only in this plain form.
SessionView.last.fget.__annotations__["return"] = Optional[StepResult]  # type: ignore[attr-defined]  # noqa: UP045
