"""What stands below a control in small letters."""

from __future__ import annotations

from openenv_notebook.jupyter.panel.form.scalars import choice_text
from openenv_notebook.jupyter.panel.form.texts import is_secret
from openenv_notebook.jupyter.show.as_html import escape
from openenv_notebook.schema.check import counted, number_text
from openenv_notebook.schema.shapes import ABSENT, Array, Boolean, Choice, Number, Shape, Text, Union, kind_name
from openenv_notebook.values.text import one_line

_LONGEST, _SHORT = 600, 130


def facts(shape: Shape) -> str:
    """Write what a field takes, in a few words: ``integer · required · 0 to 6``."""
    words = [kind_name(shape)] if not isinstance(shape, (Choice, Union, Boolean)) else []
    if shape.required and shape.name and not isinstance(shape, Boolean):
        words.append("required")
    words += _bounds(shape)
    if shape.default not in (ABSENT, None, "") and not shape.required and not isinstance(shape, (Choice, Boolean)):
        is_hidden = isinstance(shape, Text) and is_secret(shape)
        words.append("has a default" if is_hidden else f"default {_default(shape.default)[:40]}")
    return " · ".join(one_line(word) for word in words)


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


def _default(value: object) -> str:
    return number_text(value) if isinstance(value, float) else choice_text(value)


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


def _bounds(shape: Shape) -> list[str]:
    match shape:
        case Number():
            return _range(shape)
        case Text():
            found = [_count(shape.shortest, shape.longest, "character"), shape.format, shape.pattern[:60]]
            return [each for each in found if each and each not in ("textarea", "password")]
        case Array():
            return [each for each in (_count(shape.fewest, shape.most, "item"),) if each]
    return []


def _range(shape: Number) -> list[str]:
    bounds = [shape.minimum if shape.minimum is not None else shape.above]
    bounds.append(shape.maximum if shape.maximum is not None else shape.below)
    least, most = (None if bound is None else number_text(bound) for bound in bounds)
    words = []
    if least is not None and most is not None:
        words.append(f"{least} to {most}")
    elif least is not None:
        words.append(f"from {least}")
    elif most is not None:
        words.append(f"up to {most}")
    if words and shape.above is not None and shape.minimum is None:
        words[-1] += f", not {least}"
    if words and shape.below is not None and shape.maximum is None:
        words[-1] += f" or {most}" if shape.above is not None and shape.minimum is None else f", not {most}"
    if shape.multiple_of is not None and shape.multiple_of != 1:
        words.append(f"in steps of {number_text(shape.multiple_of)}")
    return words


def _count(fewest: int | None, most: int | None, what: str) -> str:
    if fewest and most is not None:
        return counted(fewest, what) if fewest == most else f"{fewest} to {counted(most, what)}"
    if fewest:
        return f"at least {counted(fewest, what)}"
    return f"at most {counted(most, what)}" if most is not None else ""
