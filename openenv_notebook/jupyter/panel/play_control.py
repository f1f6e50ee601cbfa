"""A policy's run in the panel: how it is started, stopped, paced, and taken over by the person."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from openenv_notebook.jupyter.panel.background import Background
from openenv_notebook.jupyter.panel.play_view import PlayView
from openenv_notebook.jupyter.panel.publisher import Publisher
from openenv_notebook.jupyter.panel.question import Question
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.takeover import Takeover
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.values.errors import MisuseError, OpenEnvError
from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.text import named_words, notes_of

# Who clicks so many seconds after a question is over has not seen it go.
MEANT_FOR = 0.5


class PlayControl:
    """Carries out what the person wants of a policy; each method returns at once.

    Attributes:
        view: What it is started and stopped by.
        rollout: The run of a policy, None while there is none.
        question: What the person is asked, None while nobody asks.
        by_hand: True while the person chooses a run's actions.
        after_what_was_sent: Calls something when the clicks that were made by now have arrived.
    """

    def __init__(
        self,
        state: State,
        publisher: Publisher,
        background: Background,
        policies: Mapping[str, Any],
        arguments: Callable[[], dict[str, Any]],
    ) -> None:
        self._state, self._publisher, self._background = state, publisher, background
        self._changed, self._arguments = publisher.request, arguments
        self.rollout: Rollout | None = None
        self.question: Question | None = None
        self.by_hand = False
        self.after_what_was_sent: Callable[[Callable[[], object]], object] = lambda call: call()
        # When a question was over, as far as is known; on the main thread clicks may have to queue.
        self._over_at, self._is_queueing = -math.inf, False
        self.view = PlayView(publisher.put, policies, self._pressed, self.stop, self._change_speed, self._take_over)

    @property
    def is_playing(self) -> bool:
        """True while a policy plays."""
        return self.rollout is not None

    def _pressed(self) -> None:
        """Let the chosen policy act."""
        if self.is_playing or self._background.doing:
            return
        try:
            self._begin(self.view.policy, self.view.steps(), self.view.speed)
        except Exception as error:
            self._state.fail(error)
        self._changed()

    def start(self, policy: Any, steps: int | None, fps: float | None) -> Rollout:
        """Start a policy as :meth:`Panel.play` says; a function is offered by its name from now on."""
        chosen = self.view.policy if policy is None else policy
        run = self._begin(self.view.named(chosen) if isinstance(chosen, str) else chosen, steps, fps)
        if callable(policy):
            self.view.add(getattr(policy, "__name__", type(policy).__name__), policy)
        return run

    def _begin(self, policy: Any, steps: int | None, fps: float | None) -> Rollout:
        arguments = self._arguments()
        if self.is_playing:
            raise MisuseError("a policy plays in this panel already", hint="panel.stop() ends it")
        client = self._state.client
        taken = Takeover(policy, client, lambda: self.ask(None), lambda: self.by_hand)
        run = Rollout(client, taken, steps=steps, fps=fps, fresh=False, reset=arguments)
        self._state.tell("")
        self.rollout = run
        run.start()
        run.on_end(self._ended)
        self._changed()
        return run

    def _ended(self, rollout: Rollout) -> None:
        if rollout.error is not None:
            notes = [note.removeprefix("openenv: ") for note in notes_of(rollout.error)[:1]]
            self._state.fail(rollout.error, foreign_text(" · ".join([named_words(rollout.error), *notes])))
        else:
            self._state.tell(rollout.progress.summary("stopped" if rollout.stopping else ""))
        self.by_hand = False
        # Last, so that what is said next is not said over.
        self.rollout = None
        self._changed()

    def stop(self) -> None:
        """Stop the policy before its next step. Acts at once, whatever else is going on."""
        rollout = self.rollout
        if rollout is not None:
            rollout.stop()

    def _change_speed(self) -> None:
        """Let a run go on at the speed that was chosen."""
        rollout = self.rollout
        if rollout is not None:
            rollout.fps = self.view.speed

    def _take_over(self, on: bool) -> None:
        """Choose the actions of a run, or hand it back."""
        if self._publisher.is_writing:
            return
        self.by_hand = on
        question = self.question
        if self.is_playing and question is not None and not on:
            question.take_back()
        self._changed()

    async def ask(self, timeout: float | None) -> dict[str, Any] | None:
        """Ask the person for an action, for some seconds or without limit; None if the question was handed back.

        Raises MisuseError if somebody asks already, else what ended it without an answer.
        """
        if self.question is not None:
            raise MisuseError("the person is being asked already", hint="await the other ask() first, or cancel it")
        question = self.question = Question()
        self._state.say("Your move: choose an action, then Answer")
        self._changed()
        try:
            return await question.answered(timeout)
        finally:
            if self.question is question:
                self.question = None
                self._state.say("")
            self.forget_clicks()
            self._changed()

    def forget_clicks(self) -> None:
        """Have clicks that were made by now for a question that is over make no step."""
        self._over_at, self._is_queueing = time.monotonic(), True
        self.after_what_was_sent(self._all_arrived)

    def _all_arrived(self) -> None:
        self._over_at, self._is_queueing = time.monotonic(), False

    @property
    def is_just_over(self) -> bool:
        """True where a click that arrives on this thread now was meant for a question that nobody asks any more."""
        waits = self._is_queueing and threading.current_thread() is threading.main_thread()
        return self.question is None and (waits or time.monotonic() - self._over_at < MEANT_FOR)

    def end(self, error: OpenEnvError) -> None:
        """Stop the policy, and have whoever asks the person told why there is no answer."""
        self.stop()
        if self.question is not None:
            self.question.take_back(error)
