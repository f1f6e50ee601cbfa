"""What becomes of a server that nobody holds any more."""

from __future__ import annotations

from typing import Any, cast

import pytest

from openenv_notebook.servers.running import Running, running_own


class Held:
    """What stands for the object that serve() gave."""


class Backend:
    """A server that knows how many sessions it has, or does not."""

    running = True
    url = "http://127.0.0.1:1"

    def __init__(self, sessions_active: int | None) -> None:
        self.sessions_active = sessions_active

    def stop_soon(self) -> None:
        """End."""
        self.running = False

    stop = stop_soon


def dropped(backend: Backend, *outcomes: bool) -> None:
    """Drop a server after connects that failed (True) or not."""
    held = Held()
    running = Running(cast(Any, held), cast(Any, backend), None)
    running.begin()
    for failed in outcomes:
        running.given_up = failed
    del held
    assert (running in running_own()) == backend.running
    running.end()


@pytest.mark.parametrize(
    ("sessions", "outcomes", "stays"),
    [(0, [True], False), (1, [True], True), (None, [True], True), (0, [True, False], True), (0, [], True)],
)
def test_a_server_that_was_given_up_stops(sessions: int | None, outcomes: list[bool], stays: bool) -> None:
    """It stops where the last connect failed and nobody is on it; one that cannot tell may be in use."""
    backend = Backend(sessions)
    dropped(backend, *outcomes)
    assert backend.running == stays
