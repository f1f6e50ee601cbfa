"""Policies -> episodes: a run in one session, on a thread of its own.

A policy is somebody's code: it never runs on the portal's loop, and it may take its time.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Self

from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.play.loop import EpisodeLoop, Plan
from openenv_notebook.record.episode import Episode
from openenv_notebook.threads import portal as portals
from openenv_notebook.threads import strand
from openenv_notebook.threads.fork import in_forked_child
from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import OwnThread
from openenv_notebook.threads.strand import Strand
from openenv_notebook.values.checks import check_callback, check_fps
from openenv_notebook.values.errors import MisuseError, WrongThread
from openenv_notebook.values.front_end import Cell, at_interrupt, running_cell
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.messages import StepResult
from openenv_notebook.values.tracebacks import shorten

log = our_log()

THREAD_NAME = "openenv-rollout"
_SLICE = 0.1
_TICK = 0.05
_JOIN_WITHIN = 1.0
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_STOPPED = "the run before, which was stopped, to end its step"
# The runs that are under way. Only their own threads write here, which nobody interrupts.
_under_way: set[Rollout] = set()
_admission = threading.Lock()


class Rollout:
    """A policy at work in a session. Steps by others, made meanwhile, are part of its episodes.

    Args:
        env: The client; its record has what happens, as made by the actor.
        policy: "random", or a function: ``policy(observation) -> action``, where the action is
            what ``env.step`` takes. It may be asynchronous; then it is awaited on a loop of
            the run's own. None as the action ends the run.
        episodes: How many; None until something else ends the run.
        max_steps: Most steps in an episode; None until it is done.
        steps: Most steps in all.
        fps: Most steps a second, for someone who watches; it may be changed while it runs.
        seeds: A seed for each episode's reset; where they run out, the run ends.
        reset: Further arguments of each reset.
        fresh: True begins with a reset; False goes on in the episode in progress, if there is one.
        actor: Who acts, for the record: "policy", "person" or "code".
        on_step: Called with each step's result, on the run's thread.

    Attributes:
        steps_made: The steps this run made.
        error: What ended it, with the traceback; None while it runs and after a good end.

    Raises:
        MisuseError: If an argument cannot be meant.

    Example:
        >>> with connect("demo:echo") as env:
        ...     run = Rollout(env, lambda seen: "hello", steps=3).start()
        ...     run.wait(), run.steps_made
        (True, 3)
    """

    def __init__(
        self,
        env: SyncEnvClient[Any, Any, Any] | EnvClient[Any, Any, Any],
        policy: Any = "random",
        *,
        episodes: int | None = 1,
        max_steps: int | None = None,
        steps: int | None = None,
        fps: float | None = None,
        seeds: Iterable[Any] | None = None,
        reset: Mapping[str, Any] = _NOTHING,
        fresh: bool = True,
        actor: str = "policy",
        on_step: Callable[[StepResult[Any]], object] | None = None,
    ) -> None:
        plan = Plan(episodes, max_steps, steps, fps, seeds, dict(reset), fresh, on_step)
        client = (env if isinstance(env, SyncEnvClient) else SyncEnvClient(env)).options(actor=actor)
        self._talk, self._is_fresh = conversation_of(client), fresh
        self._policy_name = policy if isinstance(policy, str) else getattr(policy, "__name__", type(policy).__name__)
        self._loop = EpisodeLoop(client, policy, plan)
        self.progress = self._loop.progress
        self.error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._strand: Strand
        self._cell: Cell | None = None
        self._starter: Strand
        self._over, self._admitted = Latch(), Latch()
        self._refusal: MisuseError | None = None
        self._guard = threading.Lock()
        self._callbacks: list[Callable[[Rollout], object]] = []

    # From any thread

    @property
    def steps_made(self) -> int:
        """The steps this run made."""
        return self.progress.steps

    @property
    def running(self) -> bool:
        """True from start() to the end; a stopped run ends with the reply to the step in flight."""
        return self._thread is not None and self._thread.is_alive() and not self._over.is_set()

    @property
    def finished(self) -> bool:
        """True when it has ended, however."""
        return self._over.is_set()

    @property
    def stopping(self) -> bool:
        """True from stop() on."""
        return self._loop.stopping.is_set()

    @property
    def episodes(self) -> list[Episode]:
        """The episodes it played in, also one that was cut short; of an endless run the last 1,000."""
        return list(self._loop.episodes)

    @property
    def fps(self) -> float | None:
        """Most steps a second; None for no limit. A change holds from the next step on."""
        return self._loop.fps

    @fps.setter
    def fps(self, fps: float | None) -> None:
        check_fps(fps)
        self._loop.change_fps(fps)

    def refuse_on_loop(self, name: str) -> None:
        """Raise where waiting would keep the run from going on: on the portal's thread.

        Args:
            name: The call, for the text.

        Raises:
            WrongThread: On that thread.
        """
        portals.refuse_here(name, "Rollout(env, policy).start().ended()")

    def start(self) -> Self:
        """Begin, on a thread of its own; nothing is printed.

        Returns:
            The run itself.

        One that was stopped, and has a step in flight, is waited for before the first reset: ``progress`` says so.
        An interrupted start leaves no run.

        Raises:
            MisuseError: If it was started before, or would begin episodes of its own in a session
                where another run is under way.
        """
        with self._guard:
            if self._thread is not None:
                raise MisuseError("this run was started before", hint="make another: Rollout(env, policy).start()")
            # What the policy prints belongs to the cell that started it.
            run = contextvars.copy_context().run
            self._cell, self._starter = running_cell(), strand.here()
            self._thread = OwnThread(run, self._run, name=THREAD_NAME)
        try:
            self._thread.start()
            self._admitted.wait()
        except BaseException as error:
            # Whether it began or not, nobody waits for it now.
            shorten(error)
            self.stop()
            raise
        if self._refusal is not None:
            refusal, self._refusal = self._refusal, None
            self._thread, self._admitted = None, Latch()
            raise refusal
        return self

    def stop(self) -> None:
        """End it before its next step; returns at once. What an asynchronous policy waits for is cancelled."""
        self._loop.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for its end; an interrupt stops the run, and others that the same cell started, within 0.2 s.

        Args:
            timeout: Seconds; None for no limit.

        Returns:
            True when it has ended; what ended it is in ``error``.

        Raises:
            MisuseError: If it was not started.
            WrongThread: On its own thread, and on that of the clients.
        """
        thread = self._thread
        if thread is None:
            raise MisuseError("this run was not started", hint="start() it first")
        if thread is threading.current_thread():
            raise WrongThread("wait() is called on the thread of the run itself", hint="stop() ends it from there")
        portals.refuse_here("wait", "run.ended()")
        until = None if timeout is None else time.monotonic() + timeout
        try:
            # In slices: Windows cannot interrupt a lock, and a forked child has no such thread.
            while not self._over.wait(_SLICE if until is None else min(_SLICE, max(0.0, until - time.monotonic()))):
                if not thread.is_alive() or (until is not None and time.monotonic() >= until):
                    return self.finished
            # Callbacks may still run; a slow one keeps nobody.
            thread.join(_JOIN_WITHIN if until is None else min(_JOIN_WITHIN, max(0.0, until - time.monotonic())))
        except KeyboardInterrupt as error:
            shorten(error)
            self.stop()
            _stop_all(running_cell())
            raise
        return True

    async def ended(self) -> None:
        """Await its end, on any loop; a cancelled wait, as by ■, stops the run."""
        try:
            while not self._over.is_set():
                await asyncio.sleep(_TICK)
        except BaseException as error:
            shorten(error)
            self.stop()
            raise

    def on_end(self, callback: Callable[[Rollout], object]) -> Callable[[], None]:
        """Have a function called with the run when it has ended.

        Args:
            callback: Called on the run's thread; at once where it has ended already.

        Returns:
            A function that ends the subscription.
        """
        check_callback("on_end()", callback, "run.on_end(print)")
        with self._guard:
            over = self._over.is_set()
            if not over:
                self._callbacks.append(callback)
        if over:
            callback(self)

        def unsubscribe() -> None:
            with self._guard:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

        return unsubscribe

    def __repr__(self) -> str:
        state = "running" if self.running else "finished" if self.finished else "new"
        if self.error is not None:
            state = f"ended by {type(self.error).__name__}"
        return f"<Rollout, {state}: {self.progress}>"

    # On its own thread

    def _run(self) -> None:
        before = self._admit()
        self._admitted.set()
        if before is None:
            return
        try:
            strand.stand_for(self._strand)
            self._wait_for(before)
            self._loop.play()
        except BaseException as error:
            self.error = error
        finally:
            self._end()

    def _admit(self) -> list[Rollout] | None:
        """Register this run; gives those on its session that are ending, None where one goes on."""
        with _admission:
            others = [other for other in _under_way if self._is_fresh and other._talk.session is self._talk.session]
            if not all(other.stopping for other in others):
                hint = "its stop() ends it; env.new_session() gives this one a session; fresh=False joins the episode"
                self._refusal = MisuseError(
                    "another run is under way on this session; this one would reset its episode", hint=hint
                )
                return None
            _under_way.add(self)
            self._strand = Strand(threading.current_thread(), f"a run of {self._policy_name}")
            self._talk.players.runs[self._strand] = self._starter
            return others

    def _wait_for(self, before: list[Rollout]) -> None:
        if any(not other.finished for other in before):
            self.progress.waits_for = _STOPPED
            log.info("openenv: %s", self.progress)
        for other in before:
            while not other._over.wait(_SLICE) and not self.stopping:
                pass
        if not self.stopping:
            self.progress.waits_for = ""

    def _end(self) -> None:
        _under_way.discard(self)
        self._talk.players.leave(self._strand)
        with self._guard:
            self._over.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            try:
                callback(self)
            except BaseException:  # an exit is the end of nobody else's
                log.exception("a callback at the end of a run failed")


def _stop_all(cell: Cell | None) -> None:
    """Stop the runs under way that a cell started; those of other cells, and of nobody's, go on."""
    for run in list(_under_way):
        if cell is not None and run._cell == cell:
            run.stop()


# Also where the cell was not waiting for a run when it was interrupted.
at_interrupt(_stop_all)


def _forget_runs() -> None:
    """The parent's runs are not here."""
    global _admission
    _admission = threading.Lock()
    _under_way.clear()


in_forked_child(_forget_runs)
