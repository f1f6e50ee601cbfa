"""The manual: what ``%openenv?`` and ``%openenv help`` show."""

from __future__ import annotations

from collections.abc import Mapping

from openenv_notebook.jupyter.magic.verbs.verb import Verb

_HEAD = """Drive OpenEnv environments from a notebook.

A line is a verb, its options and a payload. A payload is JSON, key=value pairs, one
value for the only required field, or $name for a variable of the notebook. Nothing is
evaluated, nothing is expanded.

"""
_TAIL = """
--on NAME picks a client; else the one connected last is meant. --out NAME binds the
value; r = %openenv step right works as well. %openenv help VERB says more.
"""


def manual(verbs: Mapping[str, Verb]) -> str:
    """Write the whole manual: a line a verb, with an example each."""
    rows = [(f"%openenv {verb.examples[0]}", verb.summary) for verb in verbs.values()]
    width = min(38, max(len(example) for example, _ in rows))
    return _HEAD + "".join(f"  {example:{width}}  {summary}\n" for example, summary in rows) + _TAIL


def page(verb: Verb) -> str:
    """Write what there is to say of one verb: its usage, summary, options, notes and examples."""
    lines = [f"%openenv {verb.name} {verb.usage}".rstrip(), "", f"  {verb.summary}"]
    if verb.takes:
        lines += ["", "  options: " + ", ".join(f"--{name}" for name in verb.takes)]
    if verb.body_takes:
        lines += ["  with a cell's body also: " + ", ".join(f"--{name}" for name in verb.body_takes)]
    if verb.notes:
        lines += ["", *(f"  {note}" for note in verb.notes)]
    lines += ["", *(f"  %openenv {example}" for example in verb.examples)]
    return "\n".join(lines)
