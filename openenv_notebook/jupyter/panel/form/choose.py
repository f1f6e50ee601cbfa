"""Which control stands for which shape."""

from __future__ import annotations

from collections.abc import Callable

from openenv_notebook.jupyter.panel.form.arrays import ArrayControl, DictionaryControl
from openenv_notebook.jupyter.panel.form.control import Control, Heard
from openenv_notebook.jupyter.panel.form.kit import Kit
from openenv_notebook.jupyter.panel.form.objects import ObjectControl, TupleControl
from openenv_notebook.jupyter.panel.form.scalars import ConstControl, NumberControl, boolean_control, choice_control
from openenv_notebook.jupyter.panel.form.texts import JsonControl, TextControl, WholeControl
from openenv_notebook.jupyter.panel.form.unions import UnionControl
from openenv_notebook.schema import shapes
from openenv_notebook.schema.shapes import Shape

_PLAIN: dict[type[Shape], Callable[..., Control]] = {
    shapes.Const: ConstControl,
    shapes.Choice: choice_control,
    shapes.Boolean: boolean_control,
    shapes.Number: NumberControl,
    shapes.Text: TextControl,
}
_COMPOSITE: dict[type[Shape], Callable[..., Control]] = {
    shapes.Array: ArrayControl,
    shapes.Tuple: TupleControl,
    shapes.Object: ObjectControl,
    shapes.Dictionary: DictionaryControl,
    shapes.Union: UnionControl,
}
_WHOLE: dict[type[Shape], str] = {
    shapes.Array: "array",
    shapes.Tuple: "array",
    shapes.Object: "object",
    shapes.Dictionary: "object",
}


def make_control(shape: Shape, kit: Kit, heard: Heard) -> Control:
    """Make the control for a shape: one for JSON where there is no other, or no room for those inside."""
    kind = type(shape)
    if (kit.room <= 0 and kind in _WHOLE) or (isinstance(shape, shapes.Tuple) and len(shape.items) > kit.room):
        return WholeControl(shape, kit, heard, _WHOLE[kind])
    if kind in _COMPOSITE:
        return _COMPOSITE[kind](shape, kit, heard, lambda inner, heard: make_control(inner, kit, heard))
    return _PLAIN.get(kind, JsonControl)(shape, kit, heard)
