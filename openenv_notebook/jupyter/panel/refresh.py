"""What is to be seen now, built from the record and the panel's state; at most 15 times a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openenv_notebook.jupyter.panel import status_html
from openenv_notebook.jupyter.panel.controller import Controller
from openenv_notebook.jupyter.panel.history import Curve, Entry
from openenv_notebook.jupyter.panel.observation_view import ObservationView
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.status_line import StatusLine
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.messages import StepResult

_NEAR = 200


class Refresh:
    """Brings all parts of a panel to where the session stands."""

    def __init__(self, state: State, controller: Controller, observation: ObservationView, status: StatusLine) -> None:
        self._state, self._controller, self._observation, self._status = state, controller, observation, status
        self._curve = Curve()
        self._seen: tuple[Any, Any] = (object(), None)

    def build(self) -> None:
        """Put everything as it is now."""
        client, controller = self._state.client, self._controller
        episodes = client.episodes
        entry = controller.log.refresh(episodes)
        newest = controller.log.newest
        self._see(entry or newest, episodes)
        self._build_header(episodes)
        self._build_actions()
        self._build_play(entry, episodes)
        self._status.refresh(newest)

    def _see(self, entry: Entry | None, episodes: Sequence[Episode]) -> None:
        """Show the observation of an entry; it is built anew only where it is another."""
        result, previous = _results(entry, episodes)
        if self._seen[0] is result and self._seen[1] is previous:
            return
        self._seen = (result, previous)
        self._observation.show(result, previous, self._state.environment)

    def _build_header(self, episodes: Sequence[Episode]) -> None:
        client, controller = self._state.client, self._controller
        now = client.episode
        controller.header.refresh(
            status_html.title(self._state.title, _address(client.base_url), client.status),
            status_html.facts(len(episodes), now.length, now.total_reward, is_done=now.done),
            disabled=bool(controller.background.doing) or controller.play.is_playing,
            is_closed=client.status == "closed",
        )

    def _build_actions(self) -> None:
        last, controller = self._state.client.last, self._controller
        why = controller.why_not()
        verb = "Answer ▸" if controller.play.question is not None else "Step ▸"
        seen = last.observation if last is not None else None
        controller.actions.refresh(seen, disabled=bool(why), why=why, verb=verb)

    def _build_play(self, entry: Entry | None, episodes: Sequence[Episode]) -> None:
        play = self._controller.play
        points = self._curve.take(episodes)
        play.view.refresh(
            points,
            self._curve.place_of(entry.step) if entry is not None else None,
            playing=play.is_playing,
            disabled=bool(self._controller.background.doing) or self._state.client.status == "closed",
            by_hand=play.by_hand,
        )


def _results(entry: Entry | None, episodes: Sequence[Episode]) -> tuple[StepResult[Any] | None, StepResult[Any] | None]:
    """Find what an entry shows and what it is compared with; of one that failed, the last that was there before."""
    if entry is None:
        return None, None
    result = _result(entry.step)
    if result is not None and entry.before is not None and (before := _result(entry.before)) is not None:
        return result, before  # nearly always
    episode = episodes[entry.episode - 1]
    place = len(episode) - 1 - entry.length + entry.number
    # Where none of so many has a result there is nothing to compare with.
    near = episode[max(0, place - _NEAR) : max(0, place)]
    earlier = (found for step in reversed(near) if (found := _result(step)) is not None)
    return (result, next(earlier, None)) if result is not None else (next(earlier, None), None)


def _result(step: Any) -> StepResult[Any] | None:
    try:
        found: StepResult[Any] | None = step.result
    except Exception:
        return None  # a client's own hook failed; the caller of the step was told
    return found


def _address(url: str | None) -> str:
    return (url or "no server yet").removeprefix("http://").removeprefix("https://")
