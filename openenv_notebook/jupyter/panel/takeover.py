"""A policy whose place a person may take for a while."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.play.policy import policy_function


class Takeover:
    """What a run in the panel asks for its actions: the policy, or the person while ``by_hand`` says so.

    ``ask`` gives None when the question was taken back. Raises MisuseError if it can be no policy.
    """

    def __init__(
        self,
        policy: Any,
        env: SyncEnvClient[Any, Any, Any],
        ask: Callable[[], Awaitable[dict[str, Any] | None]],
        by_hand: Callable[[], bool],
    ) -> None:
        self._policy, self._ask, self._by_hand = policy_function(policy, env), ask, by_hand

    def __call__(self, observation: Any) -> Any:
        """Give the policy's action, or an awaitable where it has to be waited for."""
        return self._person_or(observation) if self._by_hand() else self._policy(observation)

    async def _person_or(self, observation: Any) -> Any:
        while self._by_hand():
            action = await self._ask()
            if action is not None:
                return action
        action = self._policy(observation)
        return await action if inspect.isawaitable(action) else action
