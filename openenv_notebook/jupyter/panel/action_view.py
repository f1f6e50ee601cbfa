"""The action in the panel: tools, legal moves, the form, and the exact call that Step will make."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from openenv_notebook.jupyter.magic.python_twin import Call
from openenv_notebook.jupyter.panel import status_html
from openenv_notebook.jupyter.panel.form import Form
from openenv_notebook.jupyter.panel.moves import MOST_BUTTONS, Moves
from openenv_notebook.jupyter.panel.widgets import Handler, Put, Variable, Widgets
from openenv_notebook.schema.action import constants, given_fields, holds_secret
from openenv_notebook.schema.check import check
from openenv_notebook.schema.moves import Legal, legal_actions
from openenv_notebook.schema.shapes import Const, Json, Object, Shape
from openenv_notebook.schema.tool import Tool, arguments_of
from openenv_notebook.values.text import cut, one_line

_ANY = Json(kind="object")
_STEP = ""
_MOST_MISSING = 50


class _Dots:
    def __repr__(self) -> str:
        return "…"


_DOTS = _Dots()


class Incomplete(ValueError):
    """Something is missing before the call can be made; the text says what."""


class ActionView:
    """Where the person says what to do: ``on_step`` is called by the button, Enter, or one click.

    ``on_change`` is called after every edit; ``name`` is the client's variable, for the code.
    """

    def __init__(self, put: Put, on_step: Handler, on_change: Handler, variable: Variable, name: str) -> None:
        self._put, self._on_step, self._on_change, self._name = put, on_step, on_change, name
        self._schema: Shape | None = None
        self._secrets: Container[str] | None = None
        self._has_secrets = False
        self._tools: dict[str, Tool] = {}
        self._forms: dict[str, Form] = {}
        widgets = Widgets()
        self._sends = widgets.html(status_html.sends("", "…"))
        self.step_button = widgets.button("Step ▸", "Do what stands beside it", on_step, "primary", "step")
        sends = widgets.row([self._sends, self.step_button], "row", "sends")
        self._tool = widgets.choice("Tool", [("", _STEP)], "tool")
        self._tool.observe(lambda _: self._chosen(), "value")
        self._tool.layout.display = "none"
        self._moves = Moves(put, self._clicked, on_step, on_change, variable)
        self._place = widgets.column([], "form-place")
        scroll = widgets.column([self._tool, self._moves.row, self._moves.box, self._place], "scroll")
        self.widget = widgets.column([widgets.heading("Action"), sends, scroll], "area", "area-action")

    def load(self, schema: Shape | None, tools: Sequence[Tool], secrets: Container[str] | None = None) -> None:
        """Take what an action may look like, the tools, and what is secret; before the panel is seen."""
        self._schema = schema
        # What is typed in the box is seen; the form has boxes for secrets.
        self._has_secrets = schema is not None and holds_secret(schema)
        self._secrets = secrets
        self._tools = {tool.name: tool for tool in tools}
        options = [(cut(one_line(_described(tool)), 90), tool.name) for tool in tools]
        if not tools or not _only_calls_tools(schema):
            options.insert(0, ("step: the action itself", _STEP))
        self._tool.options = options
        self._tool.layout.display = None if tools else "none"
        self._chosen()

    @property
    def form(self) -> Form:
        """The form in use: that of the chosen tool, else that of the action."""
        key = self._tool.value or _STEP
        if key not in self._forms:
            schema = arguments_of(self._tools[key]) if key in self._tools else self._schema
            self._forms[key] = Form(schema or _ANY, on_change=self._form_edited, on_enter=self._on_step)
        return self._forms[key]

    @property
    def tool(self) -> str:
        """The chosen tool, "" for the action itself."""
        return str(self._tool.value or _STEP)

    def _form_edited(self) -> None:
        # What was edited last is what is sent.
        if self._moves.text:
            self._moves.empty()
        self._on_change()

    def _chosen(self) -> None:
        self._place.children = (self.form.widget,)
        self._on_change()

    def refresh(self, observation: Any, *, disabled: bool, why: str, verb: str) -> None:
        """Show what can be done now; the live observation has the legal moves, ``why`` not goes into the hint."""
        legal = legal_actions(observation, self._schema) if not self.tool else None
        form = self.form
        offered = self._moves.offer(legal, self._all_values())
        self._put(self._moves.box.layout, display="none" if self.tool or self._has_secrets else None)
        self._put(form.widget.layout, display="none" if self._is_covered(offered) else None)
        chosen: Mapping[str, Any] = {}
        try:
            call = self.call()
            said, chosen, can = status_html.sends(call.code(self._name, self._secrets)), call.arguments, True
        except Incomplete as problem:
            said, can = status_html.sends(self._outline(), str(problem)), False
        self._put(self._sends, value=said)
        field = offered.fields[0] if offered is not None and len(offered.fields) == 1 else ""
        self._moves.show(legal, chosen.get(field), disabled=disabled)
        hint = why if disabled else "Do what stands beside it" if can else "Something is missing"
        self._put(self.step_button, disabled=disabled, tooltip=hint, description=verb)

    def _all_values(self) -> Legal | None:
        """All values of the only required field, where they are few, whatever is legal now."""
        return legal_actions(None, self._schema) if not self.tool else None

    def _is_covered(self, legal: Legal | None) -> bool:
        """Tell whether the buttons alone are the form: one field, all its values."""
        if legal is None or len(legal.values) > MOST_BUTTONS or self._schema is None:
            return False
        return [field.name for field in given_fields(self._schema)] == list(legal.fields)

    def call(self) -> Call:
        """Make the call of what stands in the box, else in the form; Incomplete says what is missing or wrong."""
        if self._moves.text and not self.tool:
            return self._typed()
        form = self.form
        errors = form.errors
        if errors:
            path, text = next(iter(errors.items()))
            more = f" · and {len(errors) - 1} more" if len(errors) > 1 else ""
            raise Incomplete(f"{path}: {text}{more}" if path else f"{text}{more}")
        return Call("call_tool", form.value, self.tool) if self.tool else Call("step", form.value)

    def _outline(self) -> str:
        """Write the call with dots for what is missing."""
        if self._moves.text and not self.tool:
            return f"{self._name}.step({self._moves.text})"
        form = self.form
        missing = {path: _DOTS for path in list(form.errors)[:_MOST_MISSING] if path.isidentifier()}
        arguments = {**form.value, **missing}
        return Call("call_tool" if self.tool else "step", arguments, self.tool).code(self._name, self._secrets)

    def _typed(self) -> Call:
        try:
            found = self._moves.typed(self._schema)
        except Exception as error:  # bad grammar, a file that is not there, or UsageError, which is IPython's own
            raise Incomplete(str(error)) from None
        if not isinstance(found, Mapping):
            raise Incomplete(f"{found!r} is no action here: name its fields, a=1 b=2, or write JSON")
        action = {**constants(self._schema), **found}
        wrong = check(self.form.shape, action) if self._schema is not None else []
        if wrong:
            path, text = wrong[0]
            raise Incomplete(f"{path}: {text}" if path else text)
        return Call("step", action)

    def _clicked(self, place: int) -> None:
        legal = self._moves.offered
        if legal is None or place >= len(legal.values):
            return
        self._moves.clear()
        form = self.form
        field = legal.fields[0]
        if len(legal.fields) > 1:
            field = next((name for name in legal.fields if name not in form.value), field)
        form.fill({field: legal.values[place]})
        if len(legal.fields) == 1 and not form.errors:
            self._moves.empty()
            self._on_step()
        elif form.errors and len(legal.fields) == 1:
            form.reveal_errors()
        self._on_change()

    def sent(self) -> None:
        """Empty the box after its move was made."""
        self._moves.clear()

    def close(self) -> None:
        """Free all forms, also those that are not seen."""
        for form in self._forms.values():
            form.close()


def _described(tool: Tool) -> str:
    about = " ".join(tool.description.split())
    return f"{tool.name} · {about}" if about else tool.name


def _only_calls_tools(schema: Shape | None) -> bool:
    """Tell whether calling a tool is all there is to do."""
    fields = schema.fields if isinstance(schema, Object) else ()
    kind = next((field for field in fields if field.name == "type"), None)
    return schema is None or (isinstance(kind, Const) and kind.value == "call_tool")
