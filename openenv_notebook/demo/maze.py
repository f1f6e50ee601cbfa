"""Mazes on a square grid: always solvable, the same for the same seed."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

Cell = tuple[int, int]
MOVES: dict[str, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
START: Cell = (0, 0)


@dataclass(frozen=True)
class Maze:
    """A square grid, ``size`` cells a side: walls nobody can enter, a goal, and the start in the top left cell."""

    size: int
    walls: frozenset[Cell]
    goal: Cell

    def is_open(self, cell: Cell) -> bool:
        """Say whether a cell is inside and no wall."""
        return 0 <= cell[0] < self.size and 0 <= cell[1] < self.size and cell not in self.walls

    def legal_moves(self, cell: Cell) -> list[str]:
        """Name the moves that lead from a cell to an open one."""
        return [name for name, move in MOVES.items() if self.is_open(moved(cell, move))]


def moved(cell: Cell, move: Cell) -> Cell:
    """Add a move to a cell."""
    return cell[0] + move[0], cell[1] + move[1]


def build_maze(size: int, seed: int) -> Maze:
    """Build a maze, 2 cells a side or more, whose goal is far from the start and within reach; the seed decides it."""
    source = random.Random(seed)
    cells = [(row, column) for row in range(size) for column in range(size) if (row, column) != START]
    for density in _densities():
        walls = frozenset(source.sample(cells, int(density * len(cells))))
        distance = distances(Maze(size, walls, START), START)
        # Enough of the grid must be within reach, or there is nowhere to walk.
        if len(distance) * 2 >= size * size:
            break
    farthest = max(distance.values())
    far_away = sorted(cell for cell, steps in distance.items() if steps * 3 >= farthest * 2)
    return Maze(size, walls, source.choice(far_away))


def _densities() -> Iterator[float]:
    # Ever fewer walls: at zero everything is within reach, so the search ends.
    yield from (0.34, 0.34, 0.3, 0.3, 0.25, 0.2, 0.1, 0.0)


def distances(maze: Maze, start: Cell) -> dict[Cell, int]:
    """Measure how many moves each cell is away from ``start``; cells out of reach are missing."""
    found = {start: 0}
    waiting = deque([start])
    while waiting:
        cell = waiting.popleft()
        for name in maze.legal_moves(cell):
            neighbour = moved(cell, MOVES[name])
            if neighbour not in found:
                found[neighbour] = found[cell] + 1
                waiting.append(neighbour)
    return found
