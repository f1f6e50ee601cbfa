"""What changes from run to run in the outputs of a notebook, made the same each time.

Ports, addresses in memory, temporary files, speeds: a reader does not need them, and a notebook
that is made again must not differ where nothing has changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import nbformat

WIDGET = "application/vnd.jupyter.widget-view+json"
_FIRST_PORT = 40001

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# One that the system chose; 8000 and the like are people's own.
_PORT = re.compile(r"\b(127\.0\.0\.1|localhost):(\d{5})\b")
_OPEN_PORT = re.compile(r"\bport: (\d{5})\b")  # the doctor's
_RULES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "0x7f0000000000"),
    # The file a cell was compiled from, and those of packages.
    (re.compile(r"(?:/[^\s/\"'<>]+)+/ipykernel_\d+/\d+\.py"), "<cell>"),
    (re.compile(r"(?:/[^\s/\"'<>]+)+/site-packages/"), ""),
    (re.compile(r"(?:/[^\s/\"'<>]+)+/lib/python3\.\d+/"), ""),
    (re.compile(r"(?:/[^\s/\"'<>]+)+/(?=openenv_notebook/)"), ""),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "00000000-0000-4000-8000-000000000000"),
    (re.compile(r"\b[\d,.]+ steps/s\b"), "900 steps/s"),
    (re.compile(r"\b\d+(?:\.\d+)? µs"), "1 ms"),
    # The last column of an episode's table.
    (re.compile(r"\b(done) +ms$", re.MULTILINE), r"\1  ms"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?"), "2026-01-01T12:00:00Z"),
]
# Times in ms: of a reply, of a record's table in both its forms. What stands before, the number, what follows.
_TIMES: list[tuple[re.Pattern[str], int]] = [
    (re.compile(r"(\b)(\d+(?:\.\d+)?)( ms\b)"), 0),
    (re.compile(r"(\b(?:yes|no )) +([\d.,]+)()$", re.MULTILINE), 5),
    (re.compile(r"(>(?:yes|no)</td><td style=\"[^\"]*text-align:right\">)([\d.,]+)(</td></tr>)"), 0),
]
# What differs between supported versions: seen in the file, not compared.
_VERSIONS = re.compile(r"\b((?:Python|IPython|ipykernel) )\d+[\w.]*")
# What the doctor finds installed, and his advice.
_INSTALLED = re.compile(r"^(?:ok|look here) +(?:ipywidgets|ipython|(?:no )?openenv)\b.*\n(?: +→.*\n)?", re.MULTILINE)
_PICTURES = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\n]+")


def stabilise(notebook: nbformat.NotebookNode) -> None:
    """Take out of an executed notebook what the next run would change.

    Args:
        notebook: It is changed in place.
    """
    ports: dict[str, int] = {}

    def port(found: re.Match[str]) -> str:
        return f"{found[1]}:{ports.setdefault(found[2], _FIRST_PORT + len(ports))}"

    def text(words: str) -> str:
        words = _OPEN_PORT.sub(lambda found: f"port: {ports.get(found[1], found[1])}", _PORT.sub(port, words))
        for pattern, instead in _RULES:
            words = pattern.sub(instead, words)
        return _timed(words, _seconds)

    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            # By its lexer pages know magics from Python.
            "language_info": {"name": "python", "pygments_lexer": "ipython3"},
        }
    )
    for cell in notebook.cells:
        for key in ("execution", "collapsed", "trusted"):
            cell.metadata.pop(key, None)
        if cell.cell_type == "code":
            cell.outputs = [_stable(output, text) for output in _joined(cell.outputs)]


def _timed(words: str, about: Callable[[str], str]) -> str:
    for pattern, width in _TIMES:
        words = pattern.sub(lambda found, width=width: f"{found[1]}{about(found[2]):>{width}}{found[3]}", words)
    return words


def _seconds(number: str) -> str:
    """Keep of a time whole seconds: who waited on purpose is to see it; the rest is the machine's."""
    found = float(number.replace(",", ""))
    return "1" if found < 500 else f"{max(1, round(found / 1000))}000"


def _joined(outputs: list[Any]) -> list[Any]:
    """Join what was printed to one stream in several messages; leave out what only a living kernel can show.

    A panel puts a still picture of the episode below itself: that is what a reader sees.
    """
    joined: list[Any] = []
    for output in outputs:
        if WIDGET in output.get("data", {}):
            continue
        last = joined[-1] if joined else None
        if last is not None and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _stable(output: Any, text: Callable[[str], str]) -> Any:
    if output.output_type == "stream":
        output.text = text(output.text)
    elif output.output_type == "error":
        output.evalue = text(output.evalue)
        output.traceback = [text(line) for line in output.traceback]
    else:
        output.metadata = nbformat.from_dict({})
        for kind, value in output.data.items():
            if isinstance(value, str) and kind.startswith("text/"):
                output.data[kind] = text(value)
    return output


def comparable(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """Give what a notebook shows in a form that is the same on all supported versions.

    Args:
        notebook: A notebook that was stabilised.

    Returns:
        For each code cell its outputs, one text each.
    """
    return [[_told(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


def _told(output: Any) -> str:
    if output.output_type == "stream":
        told = f"{output.name}: {output.text}"
    elif output.output_type == "error":
        told = "\n".join([f"error: {output.ename}", *output.traceback])
    else:
        told = "\n".join(f"{kind}: {value}" for kind, value in sorted(output.data.items()))
    told = _timed(_INSTALLED.sub("", _COLOURS.sub("", told)), lambda number: "1")
    return _PICTURES.sub("data:image/png", _VERSIONS.sub(r"\1…", told))
