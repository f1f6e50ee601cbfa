"""What the person does to the session: each method is called by a click, and returns at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openenv_notebook.jupyter.magic.python_twin import Call
from openenv_notebook.jupyter.panel import export
from openenv_notebook.jupyter.panel.action_view import ActionView, Incomplete
from openenv_notebook.jupyter.panel.background import Background
from openenv_notebook.jupyter.panel.header import Header
from openenv_notebook.jupyter.panel.log_view import LogView
from openenv_notebook.jupyter.panel.play_control import PlayControl
from openenv_notebook.jupyter.panel.publisher import Publisher
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.widgets import Variable
from openenv_notebook.jupyter.show.any_value import to_text
from openenv_notebook.threads import events_thread
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.text import named_words


class Controller:
    """Carries the person's wishes to the session.

    Attributes:
        background: What is being carried out.
        header, actions, log: Where the person says what.
        play: The run of a policy.
    """

    def __init__(self, state: State, publisher: Publisher, variable: Variable, policies: Mapping[str, Any]) -> None:
        self._state, self._changed, put = state, publisher.request, publisher.put
        self.background = Background(self._changed)
        self.header = Header(put, self.reset, self.new_session, self.close, self.save, variable)
        self.actions = ActionView(put, self.step, self.edited, variable, state.name)
        self.log = LogView(publisher, lambda: export.as_program(state), self.ask_state)
        self.play = PlayControl(state, publisher, self.background, policies, self.header.arguments)

    @property
    def _person(self) -> Any:
        return self._state.client.options(actor="person")

    def why_not(self) -> str:
        """Say why no step can be made now; "" where one can."""
        client = self._state.client
        if client.status == "closed":
            return "the session is closed"
        if self.log.viewing is not None:
            return "a step of the past is looked at; press Live first"
        if self.play.question is not None:
            return ""
        if self.play.is_playing:
            return "a policy plays; Stop it first, or press I play"
        if self.background.doing:
            return f"{self.background.doing}…"
        if client.status == "lost":
            return "the session was lost; Reset begins a new episode in another"
        return "the episode is over; Reset begins another" if client.done else ""

    # The session

    def step(self) -> None:
        """Make the call that is shown, or answer a question with it."""
        why = self.why_not()
        if why:
            if not self.background.doing:
                self._say(why)
            return
        if self.play.is_just_over:
            self._say("nobody asks any more, and no step was made; press again for a step")
            return
        try:
            call = self.actions.call()
        except Incomplete as problem:
            self.actions.form.reveal_errors()
            self._state.refuse(str(problem))
            self._changed()
            return
        question = self.play.question
        if question is not None:
            self._state.tell("")
            question.answer(call.action())
            self.actions.sent()
            self._changed()
        else:
            self.background.start("stepping", lambda: self._make(call))

    def edited(self) -> None:
        """Take back what was said of an action that was edited since."""
        self._state.take_back_refusal()
        self._changed()

    def reset(self) -> None:
        """Begin an episode."""
        if self.play.is_playing:
            self._say("a policy plays; Stop it first")
            return
        call = self._reset_call()
        if call is not None:
            self.background.start("resetting", lambda: self._make(call))

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
        self.play.stop()
        call = self._reset_call()
        if call is not None:
            self.background.start("opening another session", lambda: self._renew(call), at_once=True)

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
        self.play.stop()
        self.background.start("closing", self._close, at_once=True)

    def _close(self) -> None:
        try:
            self._state.client.close()
        except Exception as error:
            self._state.fail(error)
        else:
            self._state.tell("")

    def ask_state(self) -> None:
        """Ask the environment for its state."""
        self.background.start("asking for the state", self._ask_state)

    def _ask_state(self) -> None:
        try:
            found = self._state.client.state()
            self.log.show_state(to_text(found) or repr(found))
        except Exception as error:
            self._state.fail(error)
            self.log.show_state(foreign_text(named_words(error)))

    def save(self) -> None:
        """Write the record into a file."""
        try:
            self._state.tell(f"saved {export.save(self._state)}")
        except Exception as error:
            self._state.fail(error)
        self._changed()

    def _say(self, text: str) -> None:
        self._state.say(text)
        self._changed()


def _refusal(lines: Sequence[str], message: str) -> str:
    more = f" · and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"the action was refused: {lines[0]}{more}" if lines else f"the action was refused: {message or 'unfit'}"
