"""The last lines of a server."""

from __future__ import annotations

from openenv_notebook.servers.log import KEPT_LINES, LONGEST_LINE, Log


def test_the_last_lines_are_kept() -> None:
    """However much is written, only the last lines stay, in order."""
    log = Log()
    for number in range(KEPT_LINES + 10):
        log.write(f"line {number}\n")
    assert len(log.lines) == KEPT_LINES
    assert (log.lines[0], log.last(1)) == ("line 10", [f"line {KEPT_LINES + 9}"])


def test_lines_are_bounded_and_blank_ones_dropped() -> None:
    """A line that never ends is cut, and blank lines are left out."""
    log = Log()
    log.write("x" * 100_000 + "\n\n   \nlast\n")
    assert [len(line) for line in log.lines] == [LONGEST_LINE, 4]


def test_passwords_in_addresses_are_masked() -> None:
    """A password in an address does not reach the log."""
    log = Log()
    log.write("fatal: unable to access 'https://me:sesame@host/x.git/'")
    assert log.lines == ["fatal: unable to access 'https://***@host/x.git/'"]
