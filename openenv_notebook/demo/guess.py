"""A number to be guessed."""

from __future__ import annotations

import random
from typing import Any, Literal

from pydantic import Field

from openenv_notebook.demo.environment import DemoEnvironment, checked_episode_id, checked_integer, checked_seed
from openenv_notebook.values.messages import Action, Observation, State

Outcome = Literal["playing", "won", "lost"]


class GuessAction(Action):
    """A guess."""

    guess: int = Field(description="The number it could be")


class GuessObservation(Observation):
    """What is known after a guess."""

    hint: str = Field(description="What to make of the last guess; begins with Higher, Lower or Correct")
    guesses_left: int = Field(description="How many guesses there are still")
    history: list[int] = Field(description="The guesses so far")
    low: int = Field(description="The smallest number it can be")
    high: int = Field(description="The largest number it can be")


class GuessState(State):
    """The game as the server keeps it; its seed lets reset play it again. The number is told when the game is over."""

    seed: int = 0
    outcome: Outcome = "playing"


class GuessEnvironment(DemoEnvironment[GuessAction, GuessObservation, GuessState]):
    """Guess the number.

    It lies between `low` and `high` (1 and 100 unless reset is asked for others). After
    each guess you are told whether it is higher or lower. Whoever halves the range each
    time always wins, with one guess to spare. Winning gives 1.0, everything else 0.0.
    """

    action_type = GuessAction
    observation_type = GuessObservation
    state_type = GuessState

    def __init__(self) -> None:
        self.reset()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, *, low: int = 1, high: int = 100, **kwargs: Any
    ) -> GuessObservation:
        """Think of a number from ``low`` to ``high``, whole numbers in this order, else ValueError; more is ignored."""
        low, high = checked_integer("low", low), checked_integer("high", high)
        if low > high:
            raise ValueError(f"low must not be above high: {low} > {high}; give low=1, high=100")
        state = GuessState(episode_id=checked_episode_id(episode_id), seed=checked_seed(seed))
        self._state, self._low, self._high = state, low, high
        self._secret = random.Random(state.seed).randint(low, high)
        self._history: list[int] = []
        # n.bit_length() guesses are enough for n numbers; one more forgives a slip.
        self._guesses_left = (high - low + 1).bit_length() + 1
        return self._observe(f"I am thinking of a number from {low} to {high}.")

    def step(self, action: GuessAction) -> GuessObservation:
        """Take a guess: reward 1.0 for the right number, else 0.0. After the end of a game nothing counts any more."""
        self._state.step_count += 1
        if self._state.outcome != "playing":
            return self._observe("The game is over: reset() begins a new one.", reward=0.0)
        self._history.append(action.guess)
        self._guesses_left -= 1
        if action.guess == self._secret:
            self._state.outcome = "won"
            tries = len(self._history)
            return self._observe(f"Correct! {tries} guess{'es' if tries > 1 else ''}.", reward=1.0)
        hint = f"{'Higher' if action.guess < self._secret else 'Lower'} than {action.guess}."
        if self._guesses_left == 0:
            self._state.outcome = "lost"
            hint += f" No guesses left: it was {self._secret}."
        return self._observe(hint, reward=0.0)

    @property
    def state(self) -> GuessState:
        """Episode, steps, seed and how the game stands."""
        return self._state

    def _observe(self, hint: str, reward: float | None = None) -> GuessObservation:
        over = self._state.outcome != "playing"
        metadata: dict[str, Any] = {"outcome": self._state.outcome}
        if over:
            metadata["number"] = self._secret
        return GuessObservation(
            hint=hint,
            guesses_left=self._guesses_left,
            history=list(self._history),
            low=self._low,
            high=self._high,
            reward=reward,
            done=over,
            metadata=metadata,
        )
