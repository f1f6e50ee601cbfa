"""What is to be seen now, built from the record and the panel's state; at most 15 times a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.jupyter.panel import status_html
from openenv_notebook.jupyter.panel.actions import ActionView
from openenv_notebook.jupyter.panel.controller import Hand
from openenv_notebook.jupyter.panel.header import Header
from openenv_notebook.jupyter.panel.history import Curve, Entry
from openenv_notebook.jupyter.panel.log_view import LogView
from openenv_notebook.jupyter.panel.observation import ObservationView
from openenv_notebook.jupyter.panel.play_view import PlayView
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.status_html import Facts, Said
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.messages import StepResult


class Picture:
    """Brings all parts of a panel to where the session stands.

    Args:
        state: Where the panel stands.
        hand: What the person can do.
        header, observation, actions, run, log: The parts.
        said: The widget of the line at the bottom.
        took: The widget of the time of the last step.
        put: Hands values of traits to the publisher.
        code: Writes the episode as a program.
        remark: What this kernel cannot do, as HTML.
    """

    def __init__(
        self,
        state: State,
        hand: Hand,
        header: Header,
        observation: ObservationView,
        actions: ActionView,
        run: PlayView,
        log: LogView,
        said: Any,
        took: Any,
        put: Callable[..., None],
        code: Callable[[], str],
        remark: str,
    ) -> None:
        self._state, self._hand, self._put, self._code, self._remark = state, hand, put, code, remark
        self._header, self._observation, self._actions = header, observation, actions
        self._run, self._log, self._said, self._took = run, log, said, took
        self._curve = Curve()
        self._seen: tuple[Any, Any] = (object(), None)

    def build(self) -> None:
        """Put everything as it is now."""
        state, client = self._state, self._state.client
        episodes = client.episodes
        entry = self._log.refresh(episodes, self._code)
        newest = self._log.newest
        self._see(entry or newest, episodes)
        why = self._hand.why_not()
        busy = bool(self._hand.commands.doing)
        self._header.refresh(
            status_html.title(state.title, _address(client.base_url), client.status),
            Facts(len(episodes), client.episode.length, client.episode.total_reward, client.episode.done),
            disabled=busy or state.is_playing,
            is_closed=client.status == "closed",
        )
        last = client.last
        verb = "Answer ▸" if state.question is not None else "Step ▸"
        self._actions.refresh(last.observation if last is not None else None, disabled=bool(why), why=why, verb=verb)
        points = self._curve.take(episodes)
        self._run.refresh(
            points,
            self._curve.place_of(entry.step) if entry is not None else None,
            playing=state.is_playing,
            disabled=busy or client.status == "closed",
            hand=state.by_hand,
            remark=self._remark if state.is_playing else "",
        )
        self._put(self._said, value=status_html.status(self._now(newest)))
        self._put(self._took, value=status_html.hint(_took(newest)))

    def _see(self, entry: Entry | None, episodes: Sequence[Episode]) -> None:
        """Show the observation of an entry; it is built anew only where it is another."""
        result, previous = _results(entry, episodes)
        if self._seen[0] is result and self._seen[1] is previous:
            return
        self._seen = (result, previous)
        self._observation.show(result, previous, self._state.environment)

    def _now(self, newest: Entry | None) -> Said:
        state, client = self._state, self._state.client
        doing = self._hand.commands.doing
        if doing:
            return Said(f"{doing}… {client.activity}".rstrip())
        if client.status == "closed":
            return Said("the session is closed · %openenv connect, or %openenv demo, opens another")
        if state.said is not None:
            return state.said
        if client.status == "lost":
            lost = conversation_of(client).session.lost
            return Said(f"{lost} · Reset begins a new episode" if lost is not None else "lost", is_bad=True)
        if state.playing is not None:
            return Said(f"playing · {state.playing.progress}")
        if client.activity:
            return Said(client.activity)
        return Said(_next(client, newest))


def _next(client: Any, newest: Entry | None) -> str:
    if newest is None:
        return "Reset begins an episode"
    if newest.step.error is not None and newest.step.actor != "person":
        return f"{type(newest.step.error).__name__} · see the log"
    if client.done:
        total, count = client.episode.total_reward, client.episode.length
        return f"done · return {total:g} · {count} step{'' if count == 1 else 's'} · Reset begins another"
    return "Ready. Your move."


def _results(entry: Entry | None, episodes: Sequence[Episode]) -> tuple[StepResult[Any] | None, StepResult[Any] | None]:
    """Find what an entry shows and what it is compared with; of one that failed, the last that was there before."""
    if entry is None:
        return None, None
    steps = episodes[entry.episode - 1].steps
    place = next((place for place in range(len(steps) - 1, -1, -1) if steps[place] is entry.step), -1)
    earlier = (found for step in reversed(steps[:place]) if (found := _result(step)) is not None)
    result = _result(entry.step)
    return (result, next(earlier, None)) if result is not None else (next(earlier, None), None)


def _result(step: Any) -> StepResult[Any] | None:
    try:
        found: StepResult[Any] | None = step.result
    except Exception:
        return None  # a client's own hook failed; the caller of the step was told
    return found


def _took(newest: Entry | None) -> str:
    return f"last step {newest.step.seconds * 1000:.0f} ms" if newest is not None else ""


def _address(url: str | None) -> str:
    return (url or "no server yet").removeprefix("http://").removeprefix("https://")
