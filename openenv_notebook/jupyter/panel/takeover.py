"""A policy at work in the panel, and the person who may take over for a while."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.play.policy import policy_function
from openenv_notebook.play.rollout import Rollout

Ask = Callable[[], Awaitable[dict[str, Any] | None]]


class Takeover:
    """One run of a policy.

    Args:
        env: The client.
        policy: "random", or a function of an observation, asynchronous or not.
        ask: Asks the person; gives None when the question was taken back.
        by_hand: Tells whether the person chooses the actions now.
        steps: Most steps; None until done.
        fps: Most steps a second.
        arguments: What a reset is given, where one is needed.
        on_end: Called with the run when it has ended, on its thread.
    """

    def __init__(
        self,
        env: SyncEnvClient[Any, Any, Any],
        policy: Any,
        ask: Ask,
        by_hand: Callable[[], bool],
        *,
        steps: int | None,
        fps: float | None,
        arguments: dict[str, Any],
        on_end: Callable[[Rollout], object],
    ) -> None:
        self._policy = policy_function(policy, env)
        self._ask = ask
        self._by_hand = by_hand
        self.rollout = Rollout(env, self._decide, steps=steps, fps=fps, fresh=False, reset=arguments)
        self._on_end = on_end

    def start(self) -> None:
        """Begin."""
        self.rollout.start()
        self.rollout.on_end(self._on_end)

    def _decide(self, observation: Any) -> Any:
        """Give the policy's action, or an awaitable where it has to be waited for."""
        if self._by_hand():
            return self._person_or(observation)
        return self._policy(observation)

    async def _person_or(self, observation: Any) -> Any:
        while self._by_hand():
            action = await self._ask()
            if action is not None:
                return action
        action = self._policy(observation)
        return await action if inspect.isawaitable(action) else action
