"""The panel: one session in a picture, and a hand on it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython

from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.client.connect import target_of
from openenv_notebook.client.events import Event
from openenv_notebook.client.learnt import action_schema, environment_name, renderer_key, tools_of
from openenv_notebook.jupyter.magic.python_twin import episode_code
from openenv_notebook.jupyter.panel import notebook, saved_output, status_html, widgets
from openenv_notebook.jupyter.panel.actions import ActionView
from openenv_notebook.jupyter.panel.controller import Hand
from openenv_notebook.jupyter.panel.form import FORM_CSS, Form
from openenv_notebook.jupyter.panel.header import Header
from openenv_notebook.jupyter.panel.log_view import LogView
from openenv_notebook.jupyter.panel.observation import OBSERVATION_CSS, ObservationView
from openenv_notebook.jupyter.panel.play_view import PlayView
from openenv_notebook.jupyter.panel.publisher import Publisher, reach_from_any_shell
from openenv_notebook.jupyter.panel.question import refuse_where_nobody_can_click
from openenv_notebook.jupyter.panel.refresh import Picture
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.style import style_sheet
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.threads import events_thread
from openenv_notebook.values.errors import ClientClosed, MisuseError
from openenv_notebook.values.messages import short_repr

# While something is waited for, the seconds are seen to pass.
_TICK = 0.5
_QUEUES = (
    "this kernel hands clicks over between cells only: while a cell runs, Stop waits for it; ■ ends the cell first"
)


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
        self._make(checked)
        schema = action_schema(client)
        self._actions.load(schema, tools_of(client, schema), client.known.secrets)
        self._still = saved_output.Still()
        self._shown_in: Any = None
        self._unsubscribe = client.subscribe(self._happened) if client.status != "closed" else lambda: None
        self._hook = notebook.after_each_cell(self._shell, self._keep_still)
        self._publisher.request()

    def _make(self, policies: dict[str, Any]) -> None:
        self._publisher = Publisher(self._build)
        put, changed = self._publisher.put, self._publisher.request
        self._hand = hand = Hand(self._state, changed, self.save)
        self._header = hand.header = Header(
            put, hand.reset, hand.new_session, hand.close, hand.save, self._variable
        )  # fmt: skip
        self._observation = ObservationView(put, changed)
        self._actions = hand.actions = ActionView(put, hand.step, hand.edited, self._variable, self._state.name)
        self._run = hand.run = PlayView(
            put, policies, hand.play, hand.stop, hand.change_speed, self._handed
        )  # fmt: skip
        self._log = LogView(put, lambda: self._publisher.is_writing, changed, hand.ask_state)
        hand.is_live = lambda: self._log.viewing is None
        hand.show_state = self._show_state
        said, took = widgets.html("", "said"), widgets.html("", "took")
        seen = self._observation.widget
        observation = widgets.column(widgets.heading("Observation"), seen, names=["area", "area-observation"])
        body = widgets.column(observation, self._actions.widget, self._run.widget, self._log.widget, names=["body"])
        status = widgets.row(said, took, names=["status"])
        style = widgets.html(style_sheet(FORM_CSS, OBSERVATION_CSS), "style")
        self.widget = widgets.column(style, self._header.row, self._header.more, body, status, names=["panel"])
        remark = status_html.hint(_QUEUES) if notebook.queues_clicks() else ""
        self._picture = Picture(
            self._state, hand, self._header, self._observation, self._actions, self._run, self._log,
            said, took, put, self.python, remark,
        )  # fmt: skip
        reach_all(self.widget)

    # What a program may do

    @property
    def client(self) -> SyncEnvClient[Any, Any, Any]:
        """The client whose session it shows."""
        return self._state.client

    @property
    def form(self) -> Form:
        """The form in use: ``value``, ``set(action)``, ``errors``."""
        return self._actions.form

    @property
    def last_error(self) -> BaseException | None:
        """The exception of the last command that failed, with its traceback; None after one that did not."""
        return self._state.last_error

    @property
    def is_playing(self) -> bool:
        """True while a policy plays."""
        return self._state.is_playing

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
        chosen = policy
        if policy is None or isinstance(policy, str):
            chosen = self._run.policy if policy is None else self._run.named(policy)
        run = self._hand.start(chosen, steps, fps, self._header.arguments())
        if callable(policy):
            self._run.add(getattr(policy, "__name__", type(policy).__name__), policy)
        return run

    def stop(self) -> None:
        """Stop the policy before its next step; returns at once."""
        self._hand.stop()

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
        refuse_where_nobody_can_click(self._shell)
        action = await self._hand.question(timeout)
        if action is None:
            raise MisuseError("the question was handed back without an answer", hint="ask again")
        return action

    def python(self) -> str:
        """Write the episode as a program with the real values; secrets are read from the environment."""
        client = self._state.client
        return episode_code(self._state.name, target_of(client), client.episode)

    def save(self, path: str | Path | None = None) -> Path:
        """Write all episodes into a file, one JSON line each.

        Args:
            path: The file; a new one named after the environment and the time if not given.

        Returns:
            Where it was written.

        Raises:
            MisuseError: If there is nothing to save.
        """
        episodes = self._state.client.episodes
        if not episodes:
            raise MisuseError("there is nothing to save yet", hint="Reset begins an episode")
        target = Path(path) if path is not None else notebook.free_path(self._state.title)
        target.write_text("".join(f"{episode.to_jsonl()}\n" for episode in episodes), encoding="utf-8")
        return target

    def close(self) -> None:
        """Take the panel away and free its widgets. The session stays as it is; a second time does nothing."""
        state = self._state
        if state.is_closed:
            return
        state.is_closed = True
        notebook.end(self)
        self._hand.stop()
        if state.question is not None:
            state.question.take_back(ClientClosed("the panel was closed"))
        self._keep_still()
        self._unsubscribe()
        self._hook()
        self._publisher.close()
        self._actions.close()
        widgets.close_tree(self.widget)

    # Showing itself

    def display(self) -> None:
        """Show the panel in the running cell, and keep a still picture for when the notebook is read."""
        self._refuse_closed()
        self._shown_in = notebook.run_of(self._shell)
        self._publisher.flush_on_events_thread()
        saved_output.publish(saved_output.view_bundle(self.widget, self._title()))
        self._still.show(self._still_bundle())

    def _ipython_display_(self) -> None:
        # %openenv panel has shown it in this cell already, and returns it.
        if self._shown_in is None or self._shown_in != notebook.run_of(self._shell):
            self.display()

    def __repr__(self) -> str:
        return f"Panel({self._title()})"

    def _title(self) -> str:
        client = self._state.client
        return f"{self._state.title} · {client.base_url or 'no server yet'} · {client.status}"

    def _still_bundle(self) -> dict[str, str]:
        client = self._state.client
        last = client.last
        shown, told = self._observation.still(last, self._state.environment)
        return saved_output.bundle(self._title(), client.episode, shown, told)

    def _keep_still(self) -> None:
        """Bring the still picture to where the episode stands."""
        with contextlib.suppress(Exception):
            self._still.update(self._still_bundle())

    # What happens

    def _happened(self, event: Event) -> None:
        self._publisher.request()

    def _build(self) -> None:
        self._picture.build()
        if self._hand.commands.doing or self._state.client.activity or self._state.is_playing:
            events_thread.after(_TICK, self._publisher.request)

    def _handed(self, on: bool) -> None:
        if not self._publisher.is_writing:
            self._hand.take_over(on)

    def _show_state(self, text: str) -> None:
        self._log.show_state(text)
        self._publisher.request()

    def _variable(self, name: str) -> Any:
        namespace = self._shell.user_ns if self._shell is not None else {}
        if name not in namespace:
            raise MisuseError(f"${name} is no variable of this notebook")
        return namespace[name]

    def _refuse_closed(self) -> None:
        if self._state.is_closed:
            raise ClientClosed("this panel was closed", hint="make another: Panel(env), or %openenv panel")


def reach_all(widget: Any) -> None:
    """Let clicks on every control arrive while a cell runs."""
    reach_from_any_shell(widget)
    for child in getattr(widget, "children", ()):
        reach_all(child)


def _policies(given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise MisuseError("policies go by name", hint="Panel(env, policies={'agent': agent})")
    for name, policy in (given or {}).items():
        if not callable(policy):
            raise MisuseError(f"the policy {name!r} is no function of an observation, but {short_repr(policy)}")
    return dict(given or {})
