"""What the person does: each method is called by a click, and returns at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.jupyter.magic.python_twin import Call
from openenv_notebook.jupyter.panel.actions import ActionView, Incomplete
from openenv_notebook.jupyter.panel.background import Commands
from openenv_notebook.jupyter.panel.header import Header
from openenv_notebook.jupyter.panel.play_view import PlayView
from openenv_notebook.jupyter.panel.question import Question
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.status_html import Said
from openenv_notebook.jupyter.panel.takeover import Takeover
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.threads import events_thread
from openenv_notebook.values.errors import InvalidAction, MisuseError


class Hand:
    """Carries the person's wishes to the session.

    Args:
        state: Where the panel stands.
        changed: Called when something is to be seen.
        save: Writes the record into a file and returns its path.
    """

    header: Header
    actions: ActionView
    run: PlayView

    def __init__(self, state: State, changed: Callable[[], object], save: Callable[[], Path]) -> None:
        self._state, self._changed, self._save = state, changed, save
        self.commands = Commands(changed)
        self.show_state: Callable[[str], None] = lambda text: None
        self.is_live: Callable[[], bool] = lambda: True

    @property
    def _person(self) -> Any:
        return self._state.client.options(actor="person")

    def why_not(self) -> str:
        """Say why no step can be made now; "" where one can."""
        state, client = self._state, self._state.client
        if client.status == "closed":
            return "the session is closed"
        if not self.is_live():
            return "a step of the past is looked at; press Live first"
        if state.question is not None:
            return ""
        if state.is_playing:
            return "a policy plays; Stop it first, or press I play"
        if self.commands.doing:
            return f"{self.commands.doing}…"
        if client.status == "lost":
            return "the session was lost; Reset begins a new episode in another"
        return "the episode is over; Reset begins another" if client.done else ""

    # The session

    def step(self) -> None:
        """Make the call that is shown, or answer a question with it."""
        why = self.why_not()
        if why:
            if not self.commands.doing:
                self._say(why)
            return
        try:
            call = self.actions.call()
        except Incomplete as problem:
            self.actions.form.reveal_errors()
            self._state.last_error = None
            self._say(str(problem), is_bad=True)
            return
        question = self._state.question
        if question is not None:
            self._state.tell("")
            question.answer(call.action())
            self.actions.sent()
            self._changed()
        else:
            self.commands.start("stepping", lambda: self._make(call))

    def edited(self) -> None:
        """Take back what was said of an action that was edited since."""
        said = self._state.said
        if said is not None and said.is_bad and self._state.last_error is None:
            self._state.said = None
        self._changed()

    def reset(self) -> None:
        """Begin an episode."""
        if self._state.is_playing:
            self._say("a policy plays; Stop it first")
            return
        call = self._reset_call()
        if call is not None:
            self.commands.start("resetting", lambda: self._make(call))

    def _reset_call(self) -> Call | None:
        try:
            return Call("reset", self.header.arguments())
        except Exception as error:  # bad grammar, or UsageError, which is IPython's own
            self._state.fail(error)
            self._changed()
            return None

    def _make(self, call: Call) -> None:
        try:
            call.make(self._person)
        except Exception as error:
            self._failed(call, error)
        else:
            self._state.tell(
                call.code(self._state.name, self._state.client.known.secrets)
                if call.method == "reset" and call.arguments
                else ""
            )
            if call.method != "reset":
                self.actions.sent()

    def _failed(self, call: Call, error: Exception) -> None:
        if not isinstance(error, InvalidAction) or call.method == "reset":
            self._state.fail(error)
            return
        lines = list(error.errors)
        self._state.fail(error, _refusal(lines, error.message))
        # The form is written where all of the panel is written.
        events_thread.after(0.0, lambda: self._place(error, lines))

    def _place(self, error: InvalidAction, lines: Sequence[str]) -> None:
        left = self.actions.form.show_errors(lines) if not self._state.is_closed else []
        if left and self._state.last_error is error:
            self._state.fail(error, _refusal(left, error.message))
        self._changed()

    def new_session(self) -> None:
        """Give the session up, also while a call is being answered, and begin in another."""
        self.stop()
        call = self._reset_call()
        if call is not None:
            self.commands.start("opening another session", lambda: self._renew(call), at_once=True)

    def _renew(self, call: Call) -> None:
        try:
            self._state.client.disconnect()
        except Exception as error:
            self._state.fail(error)
            return
        self._make(call)
        if self._state.last_error is None:
            self._state.tell("a new session")

    def close(self) -> None:
        """Close the session."""
        self.stop()
        self.commands.start("closing", self._close, at_once=True)

    def _close(self) -> None:
        try:
            self._state.client.close()
        except Exception as error:
            self._state.fail(error)
        else:
            self._state.tell("")

    def ask_state(self) -> None:
        """Ask the environment for its state."""
        self.commands.start("asking for the state", self._ask_state)

    def _ask_state(self) -> None:
        from openenv_notebook.jupyter.show.any_value import to_text

        try:
            found = self._state.client.state()
            self.show_state(to_text(found) or repr(found))
        except Exception as error:
            self._state.fail(error)
            self.show_state(f"{type(error).__name__}: {error}")

    def save(self) -> None:
        """Write the record into a file."""
        try:
            self._state.tell(f"saved {self._save()}")
        except Exception as error:
            self._state.fail(error)
        self._changed()

    # A policy

    def play(self) -> None:
        """Let the chosen policy act."""
        state = self._state
        if state.is_playing or self.commands.doing:
            return
        try:
            self.start(self.run.policy, self.run.steps(), self.run.speed, self.header.arguments())
        except Exception as error:
            state.fail(error)
        self._changed()

    def start(self, policy: Any, steps: int | None, fps: float | None, arguments: dict[str, Any]) -> Rollout:
        """Start a policy.

        Args:
            policy: "random", or a function of an observation.
            steps: Most steps; None until done.
            fps: Most steps a second.
            arguments: What a reset is given, where one is needed.

        Returns:
            Its run.

        Raises:
            MisuseError: If one plays already.
        """
        state = self._state
        if state.playing is not None:
            raise MisuseError("a policy plays in this panel already", hint="panel.stop() ends it")
        taken = Takeover(policy, state.client, lambda: self.question(None), lambda: state.by_hand)
        run = Rollout(state.client, taken, steps=steps, fps=fps, fresh=False, reset=arguments)
        state.tell("")
        state.playing = run
        run.start()
        run.on_end(self._ended)
        self._changed()
        return run

    def _ended(self, rollout: Rollout) -> None:
        state = self._state
        if rollout.error is not None:
            notes = " · ".join(getattr(rollout.error, "__notes__", [])[:1]).removeprefix("openenv: ")
            words = f"{type(rollout.error).__name__}: {rollout.error}"
            state.fail(rollout.error, f"{words} · {notes}" if notes else words)
        else:
            state.tell(rollout.progress.summary("stopped" if rollout.stopping else ""))
        state.by_hand = False
        # Last, so that what is said next is not said over.
        state.playing = None
        self._changed()

    def stop(self) -> None:
        """Stop the policy before its next step. Acts at once, whatever else is going on."""
        run = self._state.playing
        if run is not None:
            run.stop()

    def change_speed(self) -> None:
        """Let a run go on at the speed that was chosen."""
        run = self._state.playing
        if run is not None:
            run.fps = self.run.speed

    def take_over(self, on: bool) -> None:
        """Choose the actions of a run, or hand it back."""
        state = self._state
        state.by_hand = on
        if state.playing is not None and state.question is not None and not on:
            state.question.take_back()
        self._changed()

    async def question(self, timeout: float | None) -> dict[str, Any] | None:
        """Ask the person for an action.

        Args:
            timeout: Seconds; None for no limit.

        Returns:
            The action; None if it was handed back.

        Raises:
            MisuseError: If somebody asks already.
            OpenEnvError: What ended it without an answer.
        """
        state = self._state
        if state.question is not None:
            raise MisuseError("the person is being asked already", hint="await the other ask() first, or cancel it")
        question = Question(conversation_of(state.client).session.lease.portal)
        state.question, state.said = question, Said("Your move: choose an action, then Answer")
        self._changed()
        try:
            return await question.answered(timeout)
        finally:
            if state.question is question:
                state.question = None
                state.said = None
            self._changed()

    def _say(self, text: str, *, is_bad: bool = False) -> None:
        self._state.said = Said(text, is_bad=is_bad)
        self._changed()


def _refusal(lines: Sequence[str], message: str) -> str:
    more = f" · and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"the action was refused: {lines[0]}{more}" if lines else f"the action was refused: {message or 'unfit'}"
