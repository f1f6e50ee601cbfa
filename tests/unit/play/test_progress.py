"""How far a run is."""

from __future__ import annotations

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


def test_the_line() -> None:
    """E28: the line tells the episode, the steps a second and the mean return."""
    progress = after(*[0.5] * 84, ends=4, episodes=21)
    assert str(progress) == "episode 21/21 · 42 steps/s · mean return 2"
    assert str(after(1, 0, ends=1, episodes=None)) == "episode 2 · 1.0 steps/s · mean return 0.5"
    assert str(after(*[-0.1] * 10, 1.0, ends=1, episodes=1)).endswith("mean return 0")


def test_before_the_first_episode_is_over() -> None:
    """Until then the return so far is told, never a mean of nothing."""
    assert str(after(None, -0.25, episodes=3)) == "episode 0/3 · 1.0 steps/s · return so far -0.25"
    assert Progress().mean_return is None
    assert str(Progress()) == "episode 0 · 0.0 steps/s · return so far 0"


def test_the_summary() -> None:
    """At the end all is counted; one that was stopped says where."""
    assert after(1.0, ends=1, episodes=1).summary() == "1 episode · 1 step · 0.5 steps/s · mean return 1"
    many = after(*[True] * 4000, ends=2, episodes=None)
    assert many.summary() == "2,000 episodes · 4,000 steps · 2,000 steps/s · mean return 2"
    assert many.summary("stopped") == "stopped in episode 2000 · 2,000 steps/s · mean return 2"


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
