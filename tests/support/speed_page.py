"""What ``make bench`` writes into the page on speed, and reads there: ratios, and what they were measured with."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import openenv_notebook

PAGE = Path(__file__).parents[2] / "docs/explanation/speed.md"
BEGIN, END = "<!-- written by make bench: begin -->", "<!-- written by make bench: end -->"
SHOWN_BEGIN, SHOWN_END = (f"<!-- written by make bench, on showing: {mark} -->" for mark in ("begin", "end"))
LOOPS = ("uvloop", "asyncio")
PACKAGES = ("openenv", "websockets", "pydantic", "uvloop")

# What is measured, and beside what of the official client.
CASES = {
    "echo": ("a step", "`.sync()`"),
    "base64 100 kB": ("a step that answers 100 kB of base64", "`.sync()`"),
    "base64 1 MB": ("a step that answers 1 MB of base64", "`.sync()`"),
    "floats 100 kB": ("a step that answers 100 kB of floats", "`.sync()`"),
    "floats 1 MB": ("a step that answers 1 MB of floats", "`.sync()`"),
    "awaited": ("a step, awaited", "the asynchronous client"),
    "64, loop": ("64 sessions, `step_all`", "a loop over `.sync()`"),
    "64, gather": ("64 sessions, `step_all`", "`asyncio.gather`"),
}

# What is measured late in an episode, beside early in one.
SHOWN = {
    "panel": "the panel drawn anew, and its picture for the saved notebook",
    "history": "the newest page of the panel's log",
    "record": "`repr(env.episode)`",
    "card": "the card of `env.episode`",
    "client": "`repr(env)`",
}

_FORM = re.compile(
    r"Medians of (?P<rounds>\d+) rounds by `make bench` on (?P<date>[\d-]+): (?P<versions>[^;]+);"
    r" (?P<machine>[^;]+), (?P<pinned>[^,.;]+)\."
)
_PINNED = {True: "client and server pinned to one", False: "client and server not pinned"}


@dataclass(frozen=True)
class Measured:
    """The outcome of a whole run.

    Attributes:
        rounds: How many rounds a median is of.
        date: The day.
        versions: Of Python, this package and those it is measured with.
        machine: The system and its number of cores.
        pinned: True if client and server shared one core.
        ratios: How many times as fast as the official client, by case and loop.
    """

    rounds: int
    date: datetime.date
    versions: dict[str, str]
    machine: str
    pinned: bool
    ratios: dict[str, dict[str, float]]


def measured_now(rounds: int, pinned: bool, ratios: dict[str, dict[str, float]]) -> Measured:
    """Say with what it was measured: this process, today."""
    versions = {
        "Python": platform.python_version(),
        "openenv-notebook": openenv_notebook.__version__,
        **{name: importlib.metadata.version(name) for name in PACKAGES},
    }
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return Measured(rounds, datetime.date.today(), versions, machine, pinned, ratios)


def written(measured: Measured) -> str:
    """Write it as Markdown.

    Args:
        measured: The outcome.

    Returns:
        A sentence and a table.
    """
    versions = ", ".join(f"{name} {version}" for name, version in measured.versions.items())
    sentence = (
        f"Medians of {measured.rounds} rounds by `make bench` on {measured.date.isoformat()}: {versions};"
        f" {measured.machine}, {_PINNED[measured.pinned]}."
    )
    lines = [
        *textwrap.wrap(sentence, 120),
        "",
        f"| this package | official client | {' | '.join(LOOPS)} |",
        "|---|---|---|---|",
    ]
    for case, (ours, theirs) in CASES.items():
        ratios = " | ".join(f"{measured.ratios[case][loop]:.2f} ×" for loop in LOOPS)
        lines.append(f"| {ours} | {theirs} | {ratios} |")
    return "\n".join(lines) + "\n"


def read(text: str) -> Measured:
    """Read what :func:`written` wrote.

    Args:
        text: The Markdown.

    Returns:
        The outcome.

    Raises:
        ValueError: If it has another form.
    """
    found = _FORM.fullmatch(" ".join(text.partition("\n\n")[0].split()))
    if found is None:
        raise ValueError("it does not say when and with what it was measured")
    versions = dict(each.rsplit(" ", 1) for each in found["versions"].split(", "))
    ratios = {}
    for case, (ours, theirs) in CASES.items():
        row = re.search(rf"^\| {re.escape(ours)} \| {re.escape(theirs)} \| ([\d.]+) × \| ([\d.]+) × \|$", text, re.M)
        if row is None:
            raise ValueError(f"there is no row for {ours} beside {theirs}")
        ratios[case] = dict(zip(LOOPS, map(float, row.groups()), strict=True))
    date, pinned = datetime.date.fromisoformat(found["date"]), found["pinned"] == _PINNED[True]
    return Measured(int(found["rounds"]), date, versions, found["machine"], pinned, ratios)


def written_shown(ratios: dict[str, float]) -> str:
    """Write what showing costs late, as many times what it costs early, by case, as Markdown."""
    rows = [f"| {SHOWN[case]} | {ratio:.2f} × |" for case, ratio in ratios.items()]
    return "\n".join(["| what is shown | 10,000 steps beside 100 |", "|---|---|", *rows]) + "\n"


def read_shown(text: str) -> dict[str, float]:
    """Read what :func:`written_shown` wrote; raises ValueError if it has another form."""
    found = {case: re.search(rf"^\| {re.escape(words)} \| ([\d.]+) × \|$", text, re.M) for case, words in SHOWN.items()}
    if missing := [SHOWN[case] for case, row in found.items() if row is None]:
        raise ValueError(f"there is no row for {', '.join(missing)}")
    return {case: float(row[1]) for case, row in found.items() if row is not None}


def part_of(page: str, marks: tuple[str, str] = (BEGIN, END)) -> str:
    """Return what stands between the marks of a page."""
    _, begin, rest = page.partition(f"{marks[0]}\n\n")
    part, end, _ = rest.partition(f"\n{marks[1]}")
    if not begin or not end:
        raise ValueError(f"the page has no {marks[0]} and {marks[1]}")
    return part


def replaced(page: str, measured: Measured | dict[str, float]) -> str:
    """Return a page with another outcome between its marks: of a whole run, or of showing."""
    if isinstance(measured, Measured):
        begin, end, made = BEGIN, END, written(measured)
    else:
        begin, end, made = SHOWN_BEGIN, SHOWN_END, written_shown(measured)
    return page.replace(f"{begin}\n\n{part_of(page, (begin, end))}\n{end}", f"{begin}\n\n{made}\n{end}")
