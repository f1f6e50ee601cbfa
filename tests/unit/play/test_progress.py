"""How far a run is."""

from __future__ import annotations

import re

from openenv_notebook.play.progress import Progress


def after(*rewards: float | None, episodes: int | None = 20, ends: int = 0, seconds: float = 2.0) -> Progress:
    """The progress after steps with these rewards; every so many steps end an episode."""
    times = iter([0.0, seconds])
    progress, total = Progress(episodes, clock=lambda: next(times)), 0.0
    progress.start()
    for number, reward in enumerate(rewards, 1):
        if ends and (number - 1) % ends == 0:
            progress.begin()
        total += reward or 0.0
        progress.step(total)
        if ends and number % ends == 0:
            progress.end(total)
            total = 0.0
    progress.stop()
    return progress


def numbers(line: object) -> list[str]:
    """The numbers that a line tells, in order."""
    return re.findall(r"-?\d[\d.,/]*", str(line))


def test_the_line() -> None:
    """E28: the line tells the episode, the steps a second and the mean return."""
    progress = after(*[0.5] * 84, ends=4, episodes=21)
    assert numbers(progress) == ["21/21", "42", "2"] and "mean" in str(progress)
    assert numbers(after(1, 0, ends=1, episodes=None)) == ["2", "1.0", "0.5"]
    assert str(after(*[-0.1] * 10, 1.0, ends=1, episodes=1)).endswith("mean return 0")


def test_before_the_first_episode_is_over() -> None:
    """Until then the return so far is told, never a mean of nothing."""
    progress = after(None, -0.25, episodes=3)
    assert numbers(progress) == ["0/3", "1.0", "-0.25"] and "mean" not in str(progress)
    assert Progress().mean_return is None
    assert numbers(Progress()) == ["0", "0.0", "0"]


def test_the_summary() -> None:
    """At the end all is counted; one that was stopped says where."""
    one = after(1.0, ends=1, episodes=1).summary()
    assert numbers(one) == ["1", "1", "0.5", "1"] and "1 episode " in one and "1 step " in one
    many = after(*[True] * 4000, ends=2, episodes=None)
    assert numbers(many.summary()) == ["2,000", "4,000", "2,000", "2"]
    assert numbers(many.summary("stopped")) == ["2000", "2,000", "2"] and "stopped" in many.summary("stopped")


def test_an_episode_of_somebody_else() -> None:
    """An episode that others began is the first, with what it brought until then; later ones add none to the count."""
    progress = Progress()
    progress.join(2.0)
    assert (progress.begun, progress.so_far) == (1, 2.0)
    progress.join(0.5)
    assert (progress.begun, progress.so_far) == (1, 0.5)


def test_time_stands_at_the_end() -> None:
    """The time runs from the start to the end, and not before or after."""
    now = 5.0
    progress = Progress(clock=lambda: now)
    assert progress.seconds == 0
    progress.start()
    now = 6.5
    assert progress.seconds == 1.5
    progress.stop()
    now = 9.0
    assert progress.seconds == 1.5
