"""What is taken out of a panel: a file is written whole, or an earlier one is as it was."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.panel_hands import PanelHands

BEFORE = "what was saved yesterday\n" * 40


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can be more than a few bytes long."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A file that was saved before."""
    path = tmp_path / "kept.jsonl"
    path.write_text(BEFORE)
    path.chmod(0o640)
    return path


def test_a_full_disk_takes_no_earlier_file(hands: PanelHands, earlier: Path) -> None:
    """T13: Where the new file cannot be written, the earlier one is whole and the error says so; it works later."""
    with full_disk(), pytest.raises(OSError, match="nothing was written, and an earlier file is as it was") as caught:
        hands.panel.save(earlier)
    assert caught.value.filename == str(earlier)
    assert earlier.read_text() == BEFORE
    assert os.listdir(earlier.parent) == ["kept.jsonl"]
    hands.panel.save(earlier)
    assert json.loads(earlier.read_text().splitlines()[0])
    assert (earlier.stat().st_mode & 0o777, os.listdir(earlier.parent)) == (0o640, ["kept.jsonl"])


def to_a_folder(path: Path) -> Path:
    return path.parent


def to_no_folder(path: Path) -> Path:
    return path.parent / "none" / "kept.jsonl"


def to_a_file_as_folder(path: Path) -> Path:
    return path / "kept.jsonl"


@pytest.mark.parametrize("place", [to_a_folder, to_no_folder, to_a_file_as_folder])
def test_a_wrong_place_takes_nothing(hands: PanelHands, earlier: Path, place: Callable[[Path], Path]) -> None:
    """T13: A place that takes no file is an error of the system's own kind, and leaves nothing beside."""
    with pytest.raises(OSError, match=r"\[Errno \d+\]"):
        hands.panel.save(place(earlier))
    assert earlier.read_text() == BEFORE and os.listdir(earlier.parent) == ["kept.jsonl"]


def test_a_link_stays_a_link(hands: PanelHands, earlier: Path, tmp_path: Path) -> None:
    """T13: Through a link the file it leads to is replaced, also one that is not there yet."""
    link, loose = tmp_path / "link", tmp_path / "loose"
    link.symlink_to(earlier)
    loose.symlink_to(tmp_path / "new.jsonl")
    for path in (link, loose):
        assert hands.panel.save(path) == path
        assert path.is_symlink() and json.loads(path.read_text().splitlines()[0])
    assert earlier.read_text() == link.read_text() == (tmp_path / "new.jsonl").read_text()


def test_a_device_is_written_to(hands: PanelHands) -> None:
    """T13: What is no file is written to, and is not replaced."""
    hands.panel.save("/dev/null")
    assert not Path("/dev/null").is_file()
