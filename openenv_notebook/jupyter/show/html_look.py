"""How HTML of ours looks, in the variables of the front end's theme; and words of a server, made safe in it."""

from __future__ import annotations

import html
import re

from openenv_notebook.values.text import one_line

TEXT = "color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit))"
MUTED = "color:var(--jp-content-font-color2,var(--vscode-descriptionForeground,inherit))"
MONO = "font-family:var(--jp-code-font-family,var(--vscode-editor-font-family,monospace))"
TABLE = "margin:0;border-collapse:collapse;table-layout:auto;font-size:13px"
# A front end's own stripes would paint over what the lines say.
ROW = "background:none"
RING = "outline:2px solid var(--jp-brand-color1,var(--vscode-focusBorder,currentColor));outline-offset:-2px"
# $…$, \\(…\\), \\[…\\], \\begin…; none is looked for within pre.
_FORMULA = re.compile(r"\$|\\")


def escape(text: str) -> str:
    """Clean and escape a text of a server, for a place within a line.

    Front ends look for formulas in HTML outputs and typeset them (``\\href`` makes a link to
    anywhere); each sign that could begin one stands in a tag of its own, which ends a formula.
    """
    return _FORMULA.sub(r"<span>\g<0></span>", html.escape(one_line(text)))
