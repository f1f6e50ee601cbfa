"""Which control stands for which shape."""

from __future__ import annotations

from openenv_notebook.jupyter.panel.form.arrays import ArrayControl, DictionaryControl
from openenv_notebook.jupyter.panel.form.control import Control
from openenv_notebook.jupyter.panel.form.objects import ObjectControl, TupleControl
from openenv_notebook.jupyter.panel.form.scalars import ConstControl, NumberControl, boolean_control, choice_control
from openenv_notebook.jupyter.panel.form.texts import JsonControl, TextControl
from openenv_notebook.jupyter.panel.form.unions import UnionControl
from openenv_notebook.jupyter.panel.form.widgets import Kit
from openenv_notebook.schema.shapes import (
    Array,
    Boolean,
    Choice,
    Const,
    Dictionary,
    Number,
    Object,
    Shape,
    Text,
    Tuple,
    Union,
)


def make_control(shape: Shape, kit: Kit) -> Control:
    """Make the control for a shape.

    Args:
        shape: The shape.
        kit: Makes its widgets.

    Returns:
        The control; one for JSON where there is no other.
    """
    match shape:
        case Const():
            return ConstControl(shape, kit)
        case Choice():
            return choice_control(shape, kit)
        case Boolean():
            return boolean_control(shape, kit)
        case Number():
            return NumberControl(shape, kit)
        case Text():
            return TextControl(shape, kit)
        case Array():
            return ArrayControl(shape, kit)
        case Tuple():
            return TupleControl(shape, kit)
        case Object():
            return ObjectControl(shape, kit)
        case Dictionary():
            return DictionaryControl(shape, kit)
        case Union():
            return UnionControl(shape, kit)
    return JsonControl(shape, kit)
