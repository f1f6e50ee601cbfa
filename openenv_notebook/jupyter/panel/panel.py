"""The panel: one session to be seen, and to be stepped by hand."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython

from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.client.events import Event
from openenv_notebook.client.learnt import action_schema, environment_name, renderer_key, tools_of
from openenv_notebook.jupyter.panel import export, notebook, saved_output
from openenv_notebook.jupyter.panel.arrival import Arrival
from openenv_notebook.jupyter.panel.controller import Controller
from openenv_notebook.jupyter.panel.form import FORM_CSS, Form
from openenv_notebook.jupyter.panel.observation_style import OBSERVATION_CSS
from openenv_notebook.jupyter.panel.observation_view import ObservationView
from openenv_notebook.jupyter.panel.publisher import Publisher, reach_from_any_shell
from openenv_notebook.jupyter.panel.question import refuse_where_nobody_can_click
from openenv_notebook.jupyter.panel.refresh import Refresh
from openenv_notebook.jupyter.panel.saved_output import SavedOutput
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.status_line import StatusLine
from openenv_notebook.jupyter.panel.style import style_sheet
from openenv_notebook.jupyter.panel.widgets import Widgets, within
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.threads import events_thread
from openenv_notebook.values.errors import ClientClosed, MisuseError, NotSupportedHere
from openenv_notebook.values.messages import short_repr

# While something is waited for, the seconds are seen to pass.
_TICK = 0.5


class Panel:
    """Buttons, a form and a picture for the session of a client; its steps are in the client's record.

    Args:
        env: A client of ours, blocking or not.
        name: The client's variable, for the code that is shown; found in the notebook if empty.
        title: What stands at the top; what the environment calls itself if empty.
        policies: Policies for Play, by name: functions of an observation that return an action.

    Raises:
        MisuseError: If it is no client of ours.

    Example:
        >>> env = connect("demo:grid")
        >>> panel = Panel(env, policies={"first": lambda seen: seen.legal_actions[0]})
        >>> panel.form.set({"direction": "down"})  # what a click does
        >>> panel.form.value
        {'direction': 'down'}
        >>> panel.close(), env.close()
        (None, None)
    """

    def __init__(self, env: Any, *, name: str = "", title: str = "", policies: Mapping[str, Any] | None = None) -> None:
        checked = _policies(policies)
        client = env.sync() if isinstance(env, EnvClient) else env
        if not isinstance(client, SyncEnvClient) or not isinstance(client.async_client, EnvClient):
            raise MisuseError(
                f"a panel shows the session of a client of ours, not a {type(env).__name__}",
                hint='Panel(openenv_notebook.connect("localhost:8000"))',
            )
        notebook.begin(self)
        self._shell: Any = get_ipython()
        title = title or environment_name(client) or "environment"
        self._state = State(client, name or notebook.variable_of(client, self._shell), title, renderer_key(client))
        self._publisher = Publisher(self._build)
        put, changed = self._publisher.put, self._publisher.request
        variable = partial(notebook.value_of, self._shell)
        self._controller = Controller(self._state, self._publisher, variable, checked)
        self._observation = ObservationView(put, changed)
        self._status = StatusLine(put, self._state, self._controller)
        self._refresh = Refresh(self._state, self._controller, self._observation, self._status)
        self.widget = self._laid_out()
        self._arrival = Arrival(self._shell, self.widget)
        self._controller.play.after_what_was_sent = self._arrival.after_what_was_sent
        schema = action_schema(client)
        self._controller.actions.load(schema, tools_of(client, schema), client.known.secrets)
        self._saved = SavedOutput()
        self._shown_in: Any = None
        self._unsubscribe = (
            contextvars.Context().run(client.subscribe, self._happened) if client.status != "closed" else lambda: None
        )
        self._hook = notebook.after_each_cell(self._shell, self._update_saved)
        changed()

    def _laid_out(self) -> Any:
        widgets, parts = Widgets(), self._controller
        area = [widgets.heading("Observation"), self._observation.widget]
        observation = widgets.column(area, "area", "area-observation")
        body = widgets.column([observation, parts.actions.widget, parts.play.view.widget, parts.log.widget], "body")
        style = widgets.html(style_sheet(FORM_CSS, OBSERVATION_CSS), "style")
        return widgets.column([style, parts.header.row, parts.header.more, body, self._status.row], "panel")

    # What a program may do

    @property
    def client(self) -> SyncEnvClient[Any, Any, Any]:
        """The client whose session it shows."""
        return self._state.client

    @property
    def form(self) -> Form:
        """The form in use: ``value``, ``set(action)``, ``errors``."""
        return self._controller.actions.form

    @property
    def last_error(self) -> BaseException | None:
        """The exception of the last command that failed, with its traceback; None after one that did not."""
        return self._state.last_error

    @property
    def is_playing(self) -> bool:
        """True while a policy plays."""
        return self._controller.play.is_playing

    def render(self, function: Callable[[Any], Any] | None) -> None:
        """Have observations drawn by a function, in this panel only.

        Args:
            function: Gets an observation; gives text, a picture, HTML of your own, or any
                value. None goes back to the default.
        """
        self._observation.render(function)

    def play(self, policy: Any = None, *, steps: int | None = None, fps: float | None = None) -> Rollout:
        """Let a policy act, from where the episode stands; it begins one where there is none.

        Args:
            policy: "random", the name of one of the panel's policies, a function of an observation
                that returns an action, or an asynchronous one; None for the one chosen in the panel.
            steps: Most steps; None until the episode is done.
            fps: Most steps a second; None as fast as it goes.

        Returns:
            The run: ``wait()`` blocks until its end, ``stop()`` ends it.

        Raises:
            MisuseError: If a policy plays already, or this is none.
        """
        self._refuse_closed()
        return self._controller.play.start(policy, steps, fps)

    def stop(self) -> None:
        """Stop the policy before its next step; returns at once."""
        self._controller.play.stop()

    async def ask(self, timeout: float | None = 600.0) -> dict[str, Any]:
        """Let the person choose an action: await it in a cell, or within a policy.

        Args:
            timeout: Seconds; None for no limit.

        Returns:
            The action, as ``env.step`` takes it. No step is made.

        Raises:
            NotSupportedHere: At once, where a click cannot arrive while the cell waits.
            ReplyTimeout: If nobody answered in time.
            MisuseError: If the person is being asked already.
            ClientClosed: If the panel was closed meanwhile.
        """
        self._refuse_closed()
        try:
            await refuse_where_nobody_can_click(self._shell, self._arrival)
        except NotSupportedHere:
            self._controller.play.forget_clicks()
            raise
        action = await self._controller.play.ask(timeout)
        if action is None:
            raise MisuseError("the question was handed back without an answer", hint="await panel.ask() again")
        return action

    def python(self) -> str:
        """Write the episode as a program with the real values; secrets are read from the environment."""
        return export.as_program(self._state)

    def save(self, path: str | Path | None = None) -> Path:
        """Write all episodes into a file, one JSON line each.

        Args:
            path: The file; a new one named after the environment and the time if not given.

        Returns:
            Where it was written.

        Raises:
            MisuseError: If there is nothing to save.
        """
        return export.save(self._state, path)

    def close(self) -> None:
        """Take the panel away and free its widgets. The session stays as it is; a second time does nothing."""
        if self._state.is_closed:
            return
        self._state.close()
        notebook.end(self)
        self._controller.play.end(
            ClientClosed("the panel was closed", hint="make another: Panel(env), or %openenv panel")
        )
        self._update_saved()
        self._unsubscribe()
        self._hook()
        self._publisher.close()
        self._controller.actions.close()
        Widgets().close(self.widget)

    # Showing itself

    def display(self) -> None:
        """Show the panel in the running cell, and keep a still picture for when the notebook is read."""
        self._refuse_closed()
        self._shown_in = notebook.run_of(self._shell)
        self._publisher.flush_on_events_thread()
        saved_output.publish(saved_output.view_bundle(self.widget, self._title()))
        self._saved.show(self._bundle())

    def _ipython_display_(self) -> None:
        # %openenv panel has shown it in this cell already, and returns it.
        if self._shown_in is None or self._shown_in != notebook.run_of(self._shell):
            self.display()

    def __repr__(self) -> str:
        return f"Panel({self._title()})"

    def _title(self) -> str:
        client = self._state.client
        return f"{self._state.title} · {client.base_url or 'no server yet'} · {client.status}"

    def _bundle(self) -> dict[str, str]:
        client = self._state.client
        last = client.last
        shown, told = self._observation.saved(last, self._state.environment)
        return saved_output.bundle(self._title(), client.episode, shown, told)

    def _update_saved(self) -> None:
        """Bring the saved output to where the episode stands."""
        with contextlib.suppress(Exception):
            self._saved.update(self._bundle())

    # What happens

    def _happened(self, event: Event) -> None:
        self._publisher.request()

    def _build(self) -> None:
        # The form's boxes, too, and what a cell has written.
        for widget in within(self.widget):
            reach_from_any_shell(widget)
        self._refresh.build()
        if self._controller.background.doing or self._state.client.activity or self.is_playing:
            events_thread.after(_TICK, self._publisher.request)

    def _refuse_closed(self) -> None:
        if self._state.is_closed:
            raise ClientClosed("this panel was closed", hint="make another: Panel(env), or %openenv panel")


def _policies(given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise MisuseError("policies go by name", hint="Panel(env, policies={'agent': agent})")
    for name, policy in (given or {}).items():
        if not callable(policy):
            what = f"the policy {name!r} is no function of an observation, but {short_repr(policy)}"
            raise MisuseError(what, hint="policies={'agent': agent}, of a def agent(observation): …")
    return dict(given or {})
