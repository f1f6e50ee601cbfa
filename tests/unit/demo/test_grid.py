"""The maze, its rules and its picture."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import deque

import pytest

from openenv_notebook.demo.grid import MOVES, Direction, GridAction, GridEnvironment, GridObservation
from openenv_notebook.demo.maze import START, build_maze, distances
from openenv_notebook.demo.picture import draw_board, encode_png


def shortest_way(board: list[list[str]]) -> list[str]:
    """Find the way to the goal by what the board shows alone."""
    cells = {(r, c): cell for r, row in enumerate(board) for c, cell in enumerate(row)}
    start = next(cell for cell, mark in cells.items() if mark == "@")
    ways: dict[tuple[int, int], list[str]] = {start: []}
    waiting = deque([start])
    while waiting:
        row, column = cell = waiting.popleft()
        if cells[cell] == "G":
            return ways[cell]
        for name, (down, right) in MOVES.items():
            target = (row + down, column + right)
            if cells.get(target, "#") != "#" and target not in ways:
                ways[target] = [*ways[cell], name]
                waiting.append(target)
    raise AssertionError("there is no way")


def png_size(picture: bytes) -> tuple[int, int]:
    """Check every chunk of a PNG and give its width and height."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    rest, pixels, size = picture[8:], b"", (0, 0)
    while rest:
        (length,) = struct.unpack(">I", rest[:4])
        kind, data, checksum = rest[4:8], rest[8 : 8 + length], rest[8 + length : 12 + length]
        assert struct.unpack(">I", checksum) == (zlib.crc32(kind + data),)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[:8])
            size = (width, height)
        pixels += data if kind == b"IDAT" else b""
        rest = rest[12 + length :]
    assert len(zlib.decompress(pixels)) == size[1] * (size[0] + 1)
    return size


@pytest.mark.parametrize("size", [3, 8, 20])
@pytest.mark.parametrize("seed", range(25))
def test_there_always_is_a_way(size: int, seed: int) -> None:
    """Whatever the seed and size, the board alone is enough to find a way in time."""
    environment = GridEnvironment()
    seen = environment.reset(seed=seed, size=size)
    way = shortest_way(seen.board)
    assert 0 < len(way) <= seen.steps_left
    rewards = []
    for name in way:
        assert name in seen.legal_actions
        seen = environment.step(GridAction(direction=Direction(name)))
        rewards.append(seen.reward)
    assert seen.done
    assert seen.metadata == {"outcome": "won", "bumped": False}
    assert seen.position == seen.goal
    assert rewards == [-0.1] * (len(way) - 1) + [1.0]


def test_the_seed_decides_the_maze() -> None:
    """The same seed is the same maze, picture included; other seeds are others; the state tells the seed."""
    environment, again = GridEnvironment(), GridEnvironment()
    first = environment.reset()
    assert again.reset(seed=environment.state.seed) == first
    assert len({environment.reset(seed=seed).text for seed in range(20)}) == 20


def test_the_goal_is_far_away() -> None:
    """The goal takes at least two thirds of the longest way, and half of the grid is within reach."""
    for seed in range(50):
        maze = build_maze(8, seed)
        steps = distances(maze, START)
        assert steps[maze.goal] * 3 >= max(steps.values()) * 2
        assert len(steps) >= 32


def test_a_wall_stops_and_costs() -> None:
    """Running into the border moves nothing, costs 0.5 and says so."""
    environment = GridEnvironment()
    before = environment.reset(seed=1)
    seen = environment.step(GridAction(direction=Direction.UP))
    assert "up" not in before.legal_actions
    assert (seen.position, seen.reward, seen.done) == (before.position, -0.5, False)
    assert seen.metadata["bumped"] is True
    assert seen.steps_left == before.steps_left - 1


def test_running_out_of_steps_ends_the_game() -> None:
    """With no step left the game is lost, nothing is legal and nothing moves any more."""
    environment = GridEnvironment()
    seen = environment.reset(seed=1, size=3)
    while not seen.done:
        seen = environment.step(GridAction(direction=Direction.UP))
    assert (seen.metadata["outcome"], seen.steps_left, seen.legal_actions) == ("lost", 0, [])
    after = environment.step(GridAction(direction=Direction.DOWN))
    assert (after.position, after.reward, after.done) == ([0, 0], 0.0, True)


@pytest.mark.parametrize("size", [2, 21, "8", True])
def test_the_size_is_bounded(size: int) -> None:
    """A size that is no number from 3 to 20 is refused."""
    with pytest.raises(ValueError, match="size must be"):
        GridEnvironment().reset(size=size)


def test_board_text_and_picture_agree() -> None:
    """The drawing is the board, and the picture is a valid PNG of about 160 pixels."""
    seen: GridObservation = GridEnvironment().reset(seed=5)
    assert [line.split() for line in seen.text.splitlines()] == seen.board
    row, column = seen.position
    assert seen.board[row][column] == "@"
    assert seen.board[seen.goal[0]][seen.goal[1]] == "G"
    assert png_size(base64.b64decode(seen.picture, validate=True)) == (160, 160)


def test_a_picture_holds_what_was_drawn() -> None:
    """Pixels come back from a PNG as they went in, and a visited cell looks different."""
    rows = [bytes([0, 1, 2]), bytes([2, 1, 0])]
    assert png_size(encode_png(rows, [(0, 0, 0), (255, 0, 0), (0, 255, 0)])) == (3, 2)
    board = [["@", "."], ["#", "G"]]
    assert draw_board(board, frozenset()) != draw_board(board, frozenset({(0, 1)}))


def test_the_direction_is_an_enum_in_the_schema() -> None:
    """The action's JSON Schema names the four directions behind a reference."""
    schema = GridAction.model_json_schema()
    # Older versions of pydantic wrap the reference in an allOf.
    direction = schema["properties"]["direction"]
    assert direction.get("allOf", [direction])[0]["$ref"] == "#/$defs/Direction"
    assert schema["$defs"]["Direction"]["enum"] == ["up", "down", "left", "right"]
