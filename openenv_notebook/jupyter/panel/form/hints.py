"""What stands below a control in small letters."""

from __future__ import annotations

from openenv_notebook.jupyter.show.html_look import escape
from openenv_notebook.schema.describe import facts
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.values.text import one_line

_LONGEST, _SHORT = 600, 130


def facts_html(shape: Shape) -> str:
    """Write the facts of a field as HTML, for a place beside its label."""
    return f'<div class="openenv-hint">{escape(facts(shape))}</div>'


def hint_html(shape: Shape, *, has_facts: bool = True) -> str:
    """Write the facts and the description of a field as HTML, or the description alone."""
    title = "" if _is_derived(shape.title, shape.name) else shape.title
    words = ". ".join(part.strip().rstrip(".") for part in (title, shape.description) if part.strip())
    parts = [escape(part) for part in (facts(shape) if has_facts else "",) if part]
    if words:
        parts.append(_folded(one_line(" ".join(words[:_LONGEST].split()))))
    return f'<div class="openenv-hint">{" — ".join(parts)}</div>' if parts else ""


def error_html(messages: list[str]) -> str:
    """Write errors as HTML; a screen reader reads them out."""
    lines = "".join(f"<div>{escape(message[:_LONGEST])}</div>" for message in messages)
    return f'<div class="openenv-error" role="alert">{lines}</div>' if lines else ""


def _folded(words: str) -> str:
    if len(words) <= _SHORT:
        return escape(words)
    cut = words.rfind(" ", _SHORT // 2, _SHORT)
    cut = cut if cut > 0 else _SHORT
    start, rest = escape(words[:cut]), escape(words[cut:])
    return f"<details><summary>{start}<span>…</span></summary>{rest}</details>"


def _is_derived(title: str, name: str) -> bool:
    """Tell whether a title is a class's, or only the name in other letters, as pydantic makes them."""
    if " " not in title.strip():
        return True
    return "".join(filter(str.isalnum, title)).lower() == "".join(filter(str.isalnum, name)).lower()
