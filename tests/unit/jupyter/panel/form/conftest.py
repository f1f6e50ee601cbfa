"""Forms of recorded schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.recorded import schemas, shapes

from openenv_notebook.jupyter.panel.form import Form

SCHEMAS = {**shapes(), **{name: schema["action"] for name, schema in schemas().items() if "action" in schema}}


@pytest.fixture
def form() -> Iterator[Callable[..., Form]]:
    """Makes forms of a recorded schema by its name, or of any other, and closes them in the end."""
    made: list[Form] = []

    def make(schema: Any, **calls: Any) -> Form:
        made.append(Form(SCHEMAS[schema] if isinstance(schema, str) else schema, **calls))
        return made[-1]

    yield make
    for each in made:
        each.close()
