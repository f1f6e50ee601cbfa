"""The guessing game."""

from __future__ import annotations

import pytest

from openenv_notebook.demo.guess import GuessAction, GuessEnvironment, GuessObservation


def play_by_halving(environment: GuessEnvironment, low: int, high: int) -> GuessObservation:
    """Halve the range until the game is over."""
    while True:
        guess = (low + high) // 2
        seen = environment.step(GuessAction(guess=guess))
        if seen.done:
            return seen
        low, high = (guess + 1, high) if seen.hint.startswith("Higher") else (low, guess - 1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("low", "high"), [(1, 100), (0, 0), (-5, 5), (1, 2), (1, 1023)])
def test_halving_the_range_always_wins(seed: int, low: int, high: int) -> None:
    """Whoever halves the range wins, with reward 1.0 and at least one guess to spare."""
    environment = GuessEnvironment()
    first = environment.reset(seed=seed, low=low, high=high)
    assert (first.low, first.high, first.history, first.reward) == (low, high, [], None)
    seen = play_by_halving(environment, low, high)
    assert (seen.reward, seen.done, seen.metadata["outcome"]) == (1.0, True, "won")
    assert seen.guesses_left >= 1
    assert seen.metadata["number"] == seen.history[-1]


def test_the_seed_decides_the_number() -> None:
    """The same seed is the same game, and a game without one can be replayed by the seed in its state."""
    environment, again = GuessEnvironment(), GuessEnvironment()
    environment.reset()
    again.reset(seed=environment.state.seed)
    assert play_by_halving(environment, 1, 100) == play_by_halving(again, 1, 100)


def test_running_out_of_guesses_tells_the_number() -> None:
    """A lost game is done with reward 0.0, says so, and tells the number only then."""
    environment = GuessEnvironment()
    seen = environment.reset(seed=1, low=1, high=100)
    for left in reversed(range(seen.guesses_left)):
        assert "number" not in seen.metadata
        seen = environment.step(GuessAction(guess=1000))
        assert seen.guesses_left == left
        assert seen.hint.startswith("Lower than 1000.")
    assert (seen.reward, seen.done, seen.metadata["outcome"]) == (0.0, True, "lost")
    assert str(seen.metadata["number"]) in seen.hint


def test_nothing_counts_after_the_end() -> None:
    """A step after the end is accepted, stays done and earns nothing."""
    environment = GuessEnvironment()
    environment.reset(seed=1, low=4, high=4)
    won = environment.step(GuessAction(guess=4))
    after = environment.step(GuessAction(guess=4))
    assert won.hint == "Correct! 1 guess."
    assert (after.done, after.reward, after.history) == (True, 0.0, [4])
    assert environment.state.step_count == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"low": 5, "high": 4}, "low must not be above high"),
        ({"low": "a"}, "low must be"),
        ({"high": None}, "high must"),
    ],
)
def test_a_range_has_to_make_sense(arguments: dict[str, int], words: str) -> None:
    """A range that is none is refused by name."""
    with pytest.raises(ValueError, match=words):
        GuessEnvironment().reset(**arguments)
