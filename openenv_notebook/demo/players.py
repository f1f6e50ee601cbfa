"""Somebody who plays the demos well: for whoever wants to see an episode before writing a policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from openenv_notebook.demo.maze import MOVES, Maze, distances, moved

Fields = Mapping[str, Any]
_SAYINGS = ("hello", "the longer the message", "the higher the reward of its length")


def walk(observation: Any) -> Fields | None:
    """Go one cell on the shortest way through the maze."""
    board, here = observation["board"], tuple(observation["position"])
    walls = {(row, column) for row, cells in enumerate(board) for column, cell in enumerate(cells) if cell == "#"}
    maze = Maze(len(board), frozenset(walls), tuple(observation["goal"]))
    left = distances(maze, maze.goal)
    return {"direction": min(maze.legal_moves(here), key=lambda name: left[moved(here, MOVES[name])])}


def halve(observation: Any) -> Fields | None:
    """Guess the middle of what the last hint, and the guesses before it, leave."""
    low, high, guesses = observation["low"], observation["high"], observation["history"]
    # Who halves knows from each next guess what the hint before it was.
    for number, guess in enumerate(guesses):
        last = number == len(guesses) - 1
        if observation["hint"].startswith("Higher") if last else guesses[number + 1] > guess:
            low = guess + 1
        else:
            high = guess - 1
    return {"guess": (low + high) // 2}


def talk(observation: Any) -> Fields | None:
    """Say a few things, one after each echo; None after the last."""
    said = observation["message"]
    number = _SAYINGS.index(said) + 1 if said in _SAYINGS else 0
    return {"message": _SAYINGS[number]} if number < len(_SAYINGS) else None


PLAYERS: Mapping[str, Callable[[Any], Fields | None]] = {"echo": talk, "grid": walk, "guess": halve}
