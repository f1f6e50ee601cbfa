"""Many sessions at once, from one blocking call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from openenv_notebook.client import conversation
from openenv_notebook.client.actions import listed
from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.client.waiting import block
from openenv_notebook.values.checks import check_seconds
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import StepResult


def step_all(
    envs: Iterable[SyncEnvClient[Any, Any, Any]], actions: Iterable[Any], *, timeout: float | None = 60.0
) -> list[StepResult[Any]]:
    """Step many environments at once: all requests go out in one hop.

    Args:
        envs: Blocking clients, each with a session of its own.
        actions: One action for each, as ``step`` takes it.
        timeout: Seconds for all of them; None for no limit.

    Returns:
        The results, in the order of the clients.

    Raises:
        MisuseError: If there are not as many actions as clients, or one is no blocking client of ours.
        OpenEnvError: The first failure in order, and which action it was; where any was sent,
            every reply stands in its client's record.

    Example:
        >>> with connect("demo:echo") as env, env.new_session() as other:
        ...     begun = [each.reset() for each in (env, other)]
        ...     results = step_all([env, other], ["a", "bc"])
        ...     [result.observation.length for result in results]
        [1, 2]
    """
    clients, given = listed(envs, "step_all", "clients"), listed(actions, "step_all", "actions")
    check_seconds(timeout=timeout)
    for env in clients:
        _refuse_others(env)
    if len(clients) != len(given):
        what = f"step_all() was given {len(clients)} clients and {len(given)} actions"
        raise MisuseError(what, hint="give one action for each client, in the same order; nothing was sent")
    return block(conversation.step_all(clients, given, timeout), timeout)


def _refuse_others(env: Any) -> None:
    if isinstance(env, EnvClient):
        hint = "step_all([env.sync() for env in envs], actions)"
        raise MisuseError("step_all() takes blocking clients, and one of them is asynchronous", hint=hint)
    if not isinstance(env, SyncEnvClient) or not isinstance(env.async_client, EnvClient):
        raise MisuseError(f"step_all() takes blocking clients of this package, not a {type(env).__name__}")
