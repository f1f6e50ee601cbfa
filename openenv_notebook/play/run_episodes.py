"""``run_episodes``: a run that is waited for, with a line that says how far it is."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.front_end import Line, new_line
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.messages import StepResult
from openenv_notebook.values.tracebacks import shorten

log = our_log()

# Ten times a second at first; then more rarely, so that a run of hours says a few hundred lines.
_SHORTEST, _LONGEST = 0.1, 10.0
_SHARE = 0.01
_STOP_WITHIN = 0.3


def run_episodes(
    env: SyncEnvClient[Any, Any, Any],
    policy: Any = "random",
    episodes: int | None = None,
    *,
    max_steps: int | None = None,
    seeds: Iterable[Any] | None = None,
    fps: float | None = None,
    reset: Mapping[str, Any] | None = None,
    on_step: Callable[[StepResult[Any]], object] | None = None,
) -> list[Episode]:
    """Let a policy play episodes, and wait for them.

    In a notebook one line says how far it is, and changes in place. An interrupt (■) stops
    the run before its next step; what happened until then stands in ``env.episodes``.

    Args:
        env: The client; its record has all steps, made by "policy".
        policy: "random", or a function: ``policy(observation) -> action``; it may be
            asynchronous. It runs on a thread of its own. None as the action ends the run.
        episodes: How many; None for one a seed, and for one where there are no seeds.
        max_steps: Most steps in an episode; None until it is done.
        seeds: A seed for each episode; where they run out, the run ends.
        fps: Most steps a second, for someone who watches.
        reset: Further arguments of each reset.
        on_step: Called with each step's result, on the run's thread.

    Returns:
        The episodes, each with its steps and its return.

    Raises:
        MisuseError: If an argument cannot be meant.
        OpenEnvError: If the session failed; SessionLost if it is gone.
        Exception: What the policy raised, with a note on the step.
        KeyboardInterrupt: After an interrupt.

    Example:
        >>> import random
        >>> with connect("demo:guess") as env:
        ...     episodes = run_episodes(env, lambda seen: random.randint(seen.low, seen.high), episodes=2)
        >>> [episode.done for episode in episodes]
        [True, True]
    """
    run = Rollout(
        env,
        policy,
        episodes=1 if episodes is None and seeds is None else episodes,
        max_steps=max_steps,
        seeds=seeds,
        fps=fps,
        reset=reset or {},
        on_step=on_step,
    )
    run.refuse_on_loop("run_episodes")
    line = new_line()
    try:
        run.start()
        watch(run, line)
    except BaseException as error:
        # Most interrupts come while the run waits; one may come while the line is written.
        shorten(error)
        run.stop()
        with contextlib.suppress(BaseException):
            # The step in flight is usually done at once; one that takes long ends without us.
            run.wait(_STOP_WITHIN)
        _close(line, run.progress.summary("stopped"))
        raise
    if run.error is not None:
        _close(line, run.progress.summary("failed"))
        raise run.error
    _close(line, run.progress.summary())
    return run.episodes


def watch(run: Rollout, line: Line, clock: Callable[[], float] = time.monotonic) -> None:
    """Wait for the end, and say on the line how far it is; the clock tells the time in seconds."""
    began = said = clock()
    while not run.wait(_SHORTEST):
        now = clock()
        if now - said >= min(_LONGEST, (now - began) * _SHARE):
            said = now
            line.show(str(run.progress))


def _close(line: Line, text: str) -> None:
    log.info("openenv: %s", text)
    line.close(text)
