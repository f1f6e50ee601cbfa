"""What a hostile server could send to be shown: each tries to run `window.pwned = 1`, or to break its place."""

from __future__ import annotations

import base64
from typing import Any

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values import errors
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.messages import StepResult

TEXTS = (
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 1</script>",
    "</pre></div></td></tr></table></details><h1 id=escaped>out</h1><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'>",
    '"><img src=x onerror=window.pwned=1>',
    "' onmouseover='window.pwned=1' autofocus onfocus='window.pwned=1",
    "<svg onload=window.pwned=1><script>window.pwned=1</script></svg>",
    "<svg><animate onbegin=window.pwned=1 attributeName=x dur=1s>",
    "<a href='javascript:window.pwned=1' id=escaped>click</a>",
    "<iframe srcdoc='<script>parent.window.pwned=1</script>'></iframe>",
    "<iframe src='javascript:parent.pwned=1'></iframe>",
    "<details open ontoggle=window.pwned=1><summary>x</summary></details>",
    "<style>*{display:none}</style><link rel=stylesheet href=data:text/css,*{display:none}>",
    "<button data-commandlinker-command='apputils:reload' id=escaped>x</button>",
    "<math><mtext></table><mglyph><style><img src=x onerror=window.pwned=1>",
    "<!--><img src=x onerror=window.pwned=1>-->",
    "<form action=javascript:window.pwned=1><input type=submit autofocus>",
    "<base href='https://invalid.example/'><meta http-equiv=refresh content='0;url=javascript:window.pwned=1'>",
    "![x](javascript:window.pwned=1) [x](javascript:window.pwned=1) <u>**bold**</u>",
    "$\\href{javascript:window.pwned=1}{x}$ \\(x\\) \\[x\\] $$x$$ \\begin{equation}x\\end{equation}",
    "&lt;script&gt;window.pwned=1&lt;/script&gt; &#60;img src=x onerror=window.pwned=1&#62;",
    "data:text/html,<script>window.pwned=1</script>",
    "data:image/svg+xml;base64," + base64.b64encode(b"<svg onload='window.pwned=1'/>").decode(),
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg" onerror="window.pwned=1',
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" onerror="window.pwned=1" x="',
    "javascript:window.pwned=1",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;javascript:window.pwned=1\x1b\\link\x1b]8;;\x1b\\ \x1b[2J\x9b31m",
    "\u202etxet desrever\u202c \u2066isolated\u2069 \u200f\u061c",
    "null\x00bell\x07back\x08delete\x7f next\x85 form\x0c vertical\x0b",
    "lone \ud800 surrogates \udfff\ud83d",
    "Z" + "\u0351\u036b\u0343\u0334\u0319" * 40 + "a" + "\u0301" * 200 + "lgo",
    "\ufeff\u200b\u2028\u2029\ufffe\U000e0041\U000e007f",
    "x" * 5_000,
    "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd",
    "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1} #{window.pwned=1}",
)  # fmt: skip


def observation() -> AttributeDict:
    """An observation that has every hostile text in every place."""
    return AttributeDict(
        {
            **{text: text for text in TEXTS[:20]},
            "nested": {text: {text: [text, {text: text}]} for text in TEXTS[:4]},
            "lines": "\n".join(TEXTS),
            "list": list(TEXTS),
            "rows": [{"name": text, text[:30]: text[:60]} for text in TEXTS],
            "board": [[text[:4] for text in TEXTS[start : start + 5]] for start in (0, 3, 6, 9, 12)],
            "messages": [{"role": text, "content": text, "tool_calls": [text]} for text in TEXTS],
            "picture": TEXTS[23],
            "screen": [1] * 64,
            "screen_shape": [TEXTS[3], 8],
        }
    )


def schema() -> dict[str, Any]:
    """A schema of an action whose every word is hostile."""
    fields = {
        text: {
            "type": text,
            "description": text,
            "default": text,
            "enum": [text, text],
            "pattern": text,
            "format": text,
            "minimum": text,
            "title": text,
        }
        for text in TEXTS
    }
    return {"type": "object", "title": TEXTS[2], "properties": fields, "required": list(TEXTS[:5])}


def values() -> dict[str, Any]:
    """Values of ours that hold hostile texts, by name."""
    seen = observation()
    result = StepResult(seen, 1.0, True, {text: text for text in TEXTS[:3]})
    tools = [Tool(name=text, description=text, input_schema=schema()) for text in TEXTS[:12]]
    episode = Episode(TEXTS[2])
    for text in TEXTS:
        episode.append(Step("step", {text: text}, StepResult(text, 0.5, False), actor=text))
    failed = errors.EnvironmentFailed("\n".join(TEXTS), url=TEXTS[0], hint=TEXTS[2])
    return {
        "observation": seen,
        "result": result,
        **{f"text {place}": StepResult(text) for place, text in enumerate(TEXTS)},
        "schema": AttributeDict(schema()),
        "schemas": AttributeDict({"action": schema(), "observation": schema(), TEXTS[0]: schema()}),
        "tool": tools[0],
        "tools": tools,
        "episode": episode,
        "step": Step("step", seen, None, failed),
        "steps": list(episode.steps),
        "results": [result, result],
        "error": failed,
    }
